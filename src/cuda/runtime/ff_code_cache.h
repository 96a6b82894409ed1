/* A cache of compiled code in a folder, which processes share. It uses POSIX only and does not depend on CUDA.
 *
 * Security: only files that no other user could have written are read. The folder and each file must belong to the user of this
 * process and must not be writable by others. Files are opened without following links and checked by their descriptors. If
 * others may read the folder, its mode is set to 0700; if others may write to it, it is not used. Files have mode 0600. They are
 * written under another name and then renamed. Each holds its key, its maker (the compiler), and a SHA-256 digest of everything,
 * which are compared when it is read. If the disk is full, the folder is not writable, or a file is damaged, the code is not
 * stored or not found, but nothing else fails.
 *
 * A key is a text of any length. The name of a file begins with 32 hexadecimal digits of its key's SHA-256. No other files in the
 * folder are ever removed.
 */
#ifndef FF_CODE_CACHE_H
#define FF_CODE_CACHE_H

#ifdef __cplusplus
extern "C" {
#endif

#include "../../base/ff_base.h"

typedef struct ff_code_cache ff_code_cache;

/* Opens the folder and creates it, with its parent folders, if it does not exist. Returns FF_EFILE, with the reason, if the
 * folder must not or cannot be used. The caller frees *out with ff_code_cache_close(). */
ff_status ff_code_cache_open(ff_code_cache **out, const char *folder, ff_error *err);
void ff_code_cache_close(ff_code_cache *cache);

/* Returns the code that is stored under `key`, as terminated memory that the caller frees with free(), and its size in *bytes.
 * Returns NULL if there is none. If several makers (compilers) have stored code, the first file whose maker `is_good` accepts is
 * taken. Marks the file as used now. O(files in the folder + size of the code). */
char *ff_code_cache_load(const ff_code_cache *cache, const char *key, int (*is_good)(const char *maker), size_t *bytes);

/* Stores code under `key` and the name of its maker, removes what ff_code_cache_saved() stored for the key, and prunes the cache.
 * FF_EFILE if the file cannot be written. */
ff_status ff_code_cache_keep(const ff_code_cache *cache, const char *key, const char *maker, const char *code, size_t bytes,
                             ff_error *err);

/* Adds `now` to the seconds that the code of this key, which is not stored, would have saved in earlier runs. Stores the sum and
 * returns it. */
double ff_code_cache_saved(const ff_code_cache *cache, const char *key, double now);

/* Tries to become the only caller, among all threads and processes, that compiles the code of `key`. Returns 1 on success; then
 * the caller must call ff_code_cache_unlock() with *lock. The end of the process also releases the lock. Returns 0 if another
 * caller has the lock. If the file system has no locks, it returns 1 and *lock is -1. */
int ff_code_cache_lock(const ff_code_cache *cache, const char *key, int *lock);
void ff_code_cache_unlock(const ff_code_cache *cache, const char *key, int lock);

/* The limits of a cache. */
typedef struct {
  uint64_t bytes;
  size_t files;
  double days; /* since a file was last used */
} ff_code_cache_bounds;
#define FF_CODE_CACHE_BOUNDS ((ff_code_cache_bounds){UINT64_C(256) << 20, 4096, 90})

/* Removes files of this cache until it is within the limits, the least recently used first. O(n log n) for n files. */
void ff_code_cache_prune(const ff_code_cache *cache, ff_code_cache_bounds bounds);

#ifdef __cplusplus
}
#endif

#endif
