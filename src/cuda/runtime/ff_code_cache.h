/* A folder of compiled code, kept between processes. Plain POSIX; nothing here knows CUDA.
 *
 * What another user could have written is not read: the folder and each file must belong to this process's user and may not be
 * writable by others; files are opened without following links, and looked at by their descriptor. A folder that others may read
 * is made private (mode 0700); one that others may write to is not used. Files have mode 0600, are written under another name and
 * renamed, and hold their key, what made them, and a SHA-256 of it all, which are compared when they are read. A full disk, a
 * folder that cannot be written to, or a broken file only mean that nothing is kept or found.
 *
 * Keys are texts of any length. A file's name begins with 32 hexadecimal digits of its key's SHA-256; nothing else in the folder
 * is ever removed.
 */
#ifndef FF_CODE_CACHE_H
#define FF_CODE_CACHE_H

#ifdef __cplusplus
extern "C" {
#endif

#include "../../base/ff_base.h"

typedef struct ff_code_cache ff_code_cache;

/* Opens the folder, which is made where it is missing, with those that it lies in. FF_EFILE, with the reason, where it is not to
 * be used. To be given back to ff_code_cache_close. */
ff_status ff_code_cache_open(ff_code_cache **out, const char *folder, ff_error *err);
void ff_code_cache_close(ff_code_cache *cache);

/* The code that is kept under `key`, terminated, in memory for the caller to free(), and its size; NULL where there is none.
 * Where several makers (compilers) have made some, the first whose maker `is_good` accepts. The file counts as used now. */
char *ff_code_cache_load(const ff_code_cache *cache, const char *key, int (*is_good)(const char *maker), size_t *bytes);

/* Keeps code under `key` and its maker's name, forgets what it would have saved, and prunes. FF_EFILE where that cannot be. */
ff_status ff_code_cache_keep(const ff_code_cache *cache, const char *key, const char *maker, const char *code, size_t bytes,
                             ff_error *err);

/* Adds `now` to the seconds that the code of this key, which is not kept, would have saved so far, and returns the sum. */
double ff_code_cache_saved(const ff_code_cache *cache, const char *key, double now);

/* Makes this caller the one, among all threads and processes, that compiles what belongs to `key`: *lock is then to be given
 * back to ff_code_cache_unlock, as happens when the process ends. 0 where another one is at it. Where the file system has no
 * locks, the answer is 1 and *lock is -1. */
int ff_code_cache_lock(const ff_code_cache *cache, const char *key, int *lock);
void ff_code_cache_unlock(const ff_code_cache *cache, const char *key, int lock);

/* What is kept at most. */
typedef struct {
  uint64_t bytes;
  size_t files;
  double days; /* since a file was used last */
} ff_code_cache_bounds;
#define FF_CODE_CACHE_BOUNDS ((ff_code_cache_bounds){UINT64_C(256) << 20, 4096, 90})

/* Removes files of this cache until they are within the bounds, the longest unused first. O(n log n) for n files. */
void ff_code_cache_prune(const ff_code_cache *cache, ff_code_cache_bounds bounds);

#ifdef __cplusplus
}
#endif

#endif
