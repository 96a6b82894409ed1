#define _GNU_SOURCE /* openat, flock, futimens */
#include "ff_code_cache.h"

#include "ff_sha256.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define STEM 32                          /* hexadecimal digits of a key's digest in a file's name */
#define NAME_ROOM 96
#define MOST_BYTES (UINT64_C(1) << 30)   /* of a file */
#define MOST_SAVED 1e9                   /* seconds */
/* O_NONBLOCK and O_NOCTTY: opening a pipe or a device must not block or have side effects */
#define OPEN_FLAGS (O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)

struct ff_code_cache {
  int folder; /* its descriptor */
};

/* ---- the folder ----------------------------------------------------------------------------------------------------------- */

static int only_mine(const struct stat *s) { return s->st_uid == geteuid() && (s->st_mode & (S_IWGRP | S_IWOTH)) == 0; }

static void make_folder(const char *path) {
  char *part = ff_strndup(path, strlen(path));
  if (part == NULL) return;
  for (char *at = part; *at != '\0'; at++) {
    if (*at != '/' || at == part) continue;
    *at = '\0';
    mkdir(part, 0700);
    *at = '/';
  }
  mkdir(part, 0700);
  free(part);
}

static ff_status check_folder(int folder, const char *path, ff_error *err) {
  struct stat s;
  if (fstat(folder, &s) != 0) return ff_error_set(err, FF_EFILE, "compiled code is not stored: %s: %s", path, strerror(errno));
  if (s.st_uid != geteuid())
    return ff_error_set(err, FF_EFILE, "compiled code is not stored: %s belongs to another user", path);
  if (!only_mine(&s))
    return ff_error_set(err, FF_EFILE, "compiled code is not stored: others may write to %s (chmod 700 corrects this)", path);
  if ((s.st_mode & (S_IRWXG | S_IRWXO)) != 0) fchmod(folder, 0700); /* if this fails, others still cannot write */
  return FF_OK;
}

ff_status ff_code_cache_open(ff_code_cache **out, const char *folder, ff_error *err) {
  *out = NULL;
  make_folder(folder);
  int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC); /* the folder itself may be a link: only its owner and mode matter */
  if (fd < 0) return ff_error_set(err, FF_EFILE, "compiled code is not stored: %s: %s", folder, strerror(errno));
  ff_status status = check_folder(fd, folder, err);
  ff_code_cache *cache = status == FF_OK ? ff_calloc(1, sizeof *cache) : NULL;
  if (status == FF_OK && cache == NULL) status = ff_error_set(err, FF_EMEMORY, "no memory for a cache");
  if (status != FF_OK) {
    close(fd);
    return status;
  }
  cache->folder = fd;
  *out = cache;
  return FF_OK;
}

void ff_code_cache_close(ff_code_cache *cache) {
  if (cache == NULL) return;
  close(cache->folder);
  free(cache);
}

/* Lists the folder; the caller calls closedir(). NULL if it cannot be read. */
static DIR *list_folder(const ff_code_cache *cache) {
  int fd = openat(cache->folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *list = fd >= 0 ? fdopendir(fd) : NULL;
  if (fd >= 0 && list == NULL) close(fd);
  return list;
}

/* ---- files: a head, the key, the maker, the content ------------------------------------------------------------------------ */

typedef struct {
  char mark[8];
  uint64_t key, maker, content; /* bytes */
  uint8_t digest[FF_SHA256_BYTES]; /* of the three numbers and everything after the head */
} file_head;

static const char file_mark[8] = "ffcode2";

static void digest_of(uint8_t digest[FF_SHA256_BYTES], const file_head *head, const char *key, const char *maker,
                      const char *content) {
  ff_sha256 s;
  ff_sha256_begin(&s);
  ff_sha256_add(&s, &head->key, 3 * sizeof head->key);
  ff_sha256_add(&s, key, (size_t)head->key);
  ff_sha256_add(&s, maker, (size_t)head->maker);
  ff_sha256_add(&s, content, (size_t)head->content);
  ff_sha256_end(&s, digest);
}

static int read_all(int fd, char *to, size_t bytes) {
  while (bytes > 0) {
    ssize_t n = read(fd, to, bytes);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return 0;
    to += n;
    bytes -= (size_t)n;
  }
  return 1;
}

static int write_all(int fd, const void *from, size_t bytes) {
  const char *at = from;
  while (bytes > 0) {
    ssize_t n = write(fd, at, bytes);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return 0;
    at += n;
    bytes -= (size_t)n;
  }
  return 1;
}

/* Reads an open file. Returns its bytes after the head, which the caller frees. Returns NULL if the file is damaged, is not
 * private, or has another key. */
static char *read_entry(int fd, file_head *head, const char *key) {
  struct stat s;
  if (fstat(fd, &s) != 0 || !S_ISREG(s.st_mode) || !only_mine(&s)) return NULL;
  if (s.st_size < (off_t)sizeof *head || (uint64_t)s.st_size > MOST_BYTES) return NULL;
  const uint64_t rest = (uint64_t)s.st_size - sizeof *head;
  if (!read_all(fd, (char *)head, sizeof *head) || memcmp(head->mark, file_mark, sizeof file_mark) != 0) return NULL;
  if (head->key != strlen(key) || head->maker > rest || head->content > rest || head->key + head->maker + head->content != rest)
    return NULL;
  char *bytes = ff_calloc((size_t)rest + 1, 1);
  if (bytes == NULL) return NULL;
  uint8_t digest[FF_SHA256_BYTES];
  int fine = read_all(fd, bytes, (size_t)rest) && memcmp(bytes, key, (size_t)head->key) == 0;
  if (fine) {
    const char *maker = bytes + head->key;
    digest_of(digest, head, key, maker, maker + head->maker);
    fine = memcmp(digest, head->digest, sizeof digest) == 0;
  }
  if (fine) return bytes;
  free(bytes);
  return NULL;
}

/* Returns a copy of the content of file `name`, which the caller frees, if its key is `key` and its maker is accepted. Otherwise
 * NULL. */
static char *load_file(const ff_code_cache *cache, const char *name, const char *key, int (*is_good)(const char *maker),
                       size_t *bytes) {
  int fd = openat(cache->folder, name, O_RDONLY | OPEN_FLAGS);
  if (fd < 0) return NULL;
  file_head head;
  char *all = read_entry(fd, &head, key), *content = NULL;
  if (all != NULL) {
    char *maker = ff_strndup(all + head.key, (size_t)head.maker);
    if (maker != NULL && (is_good == NULL || is_good(maker))) content = ff_calloc((size_t)head.content + 1, 1);
    free(maker);
    if (content != NULL) memcpy(content, all + head.key + head.maker, (size_t)head.content);
    if (content != NULL) futimens(fd, NULL); /* records the use; if that fails, the file is pruned earlier */
    *bytes = (size_t)head.content;
  }
  free(all);
  close(fd);
  return content;
}

/* Creates a new file whose name begins with `stem` and is not in use. Returns its descriptor, or -1. */
static int create(const ff_code_cache *cache, const char *stem, char name[NAME_ROOM]) {
  int fd = -1;
  for (int i = 0; i < 100 && fd < 0; i++) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    snprintf(name, NAME_ROOM, "%s.new-%lx-%lx-%d", stem, (long)getpid(), now.tv_nsec, i);
    fd = openat(cache->folder, name, O_WRONLY | O_CREAT | O_EXCL | OPEN_FLAGS, 0600);
    if (fd < 0 && errno != EEXIST) break;
  }
  return fd;
}

static ff_status write_file(const ff_code_cache *cache, const char *stem, const char *name, const char *key, const char *maker,
                            const char *content, size_t bytes, ff_error *err) {
  char fresh[NAME_ROOM];
  file_head head = {.key = strlen(key), .maker = strlen(maker), .content = bytes};
  memcpy(head.mark, file_mark, sizeof file_mark);
  digest_of(head.digest, &head, key, maker, content);
  int fd = create(cache, stem, fresh);
  int fine = fd >= 0 && write_all(fd, &head, sizeof head) && write_all(fd, key, strlen(key)) &&
             write_all(fd, maker, strlen(maker)) && write_all(fd, content, bytes);
  int why = errno;
  if (fd >= 0 && close(fd) != 0 && fine) {
    fine = 0;
    why = errno;
  }
  if (fine && renameat(cache->folder, fresh, cache->folder, name) != 0) {
    fine = 0;
    why = errno;
  }
  if (fine) return FF_OK;
  if (fd >= 0) unlinkat(cache->folder, fresh, 0);
  return ff_error_set(err, FF_EFILE, "compiled code is not stored: %s", strerror(why));
}

/* ---- stored code ---------------------------------------------------------------------------------------------------------- */

static void stem_of(char stem[STEM + 1], const char *key) { ff_sha256_hex(stem, STEM, key, strlen(key)); }

static int ends_with(const char *text, const char *end) {
  const size_t n = strlen(text), m = strlen(end);
  return n >= m && strcmp(text + n - m, end) == 0;
}

char *ff_code_cache_load(const ff_code_cache *cache, const char *key, int (*is_good)(const char *maker), size_t *bytes) {
  char stem[STEM + 2], *code = NULL;
  DIR *list = list_folder(cache);
  stem_of(stem, key);
  stem[STEM] = '-';
  stem[STEM + 1] = '\0';
  for (struct dirent *entry; code == NULL && list != NULL && (entry = readdir(list)) != NULL;)
    if (strncmp(entry->d_name, stem, STEM + 1) == 0 && ends_with(entry->d_name, ".cubin"))
      code = load_file(cache, entry->d_name, key, is_good, bytes);
  if (list != NULL) closedir(list);
  return code;
}

ff_status ff_code_cache_keep(const ff_code_cache *cache, const char *key, const char *maker, const char *code, size_t bytes,
                             ff_error *err) {
  char stem[STEM + 1], by[9], name[NAME_ROOM];
  stem_of(stem, key);
  ff_sha256_hex(by, 8, maker, strlen(maker));
  snprintf(name, sizeof name, "%s-%s.cubin", stem, by);
  ff_status status = write_file(cache, stem, name, key, maker, code, bytes, err);
  snprintf(name, sizeof name, "%s.saved", stem);
  if (status == FF_OK) unlinkat(cache->folder, name, 0);
  ff_code_cache_prune(cache, FF_CODE_CACHE_BOUNDS);
  return status;
}

double ff_code_cache_saved(const ff_code_cache *cache, const char *key, double now) {
  char stem[STEM + 1], name[NAME_ROOM];
  double before = 0, sum;
  size_t bytes = 0;
  stem_of(stem, key);
  snprintf(name, sizeof name, "%s.saved", stem);
  char *content = load_file(cache, name, key, NULL, &bytes);
  if (content != NULL && bytes == sizeof before) memcpy(&before, content, sizeof before);
  if (!(before > 0 && before < MOST_SAVED)) before = 0;
  sum = before + now;
  write_file(cache, stem, name, key, "", (const char *)&sum, sizeof sum, NULL);
  if (content == NULL) ff_code_cache_prune(cache, FF_CODE_CACHE_BOUNDS); /* a new file was added */
  free(content);
  return sum;
}

/* ---- the lock of a key --------------------------------------------------------------------------------------------------- */

/* Returns 1 if the lock was taken, 0 if another process has it, -1 if locks do not work here, and -2 if the file was removed in
 * the meantime (try again). */
static int try_lock(const ff_code_cache *cache, const char *name, int *lock) {
  struct stat s;
  int fd = openat(cache->folder, name, O_RDWR | O_CREAT | OPEN_FLAGS, 0600), answer = -1;
  *lock = -1;
  if (fd < 0) return -1;
  if (fstat(fd, &s) == 0 && S_ISREG(s.st_mode) && only_mine(&s)) {
    if (flock(fd, LOCK_EX | LOCK_NB) != 0)
      answer = errno == EWOULDBLOCK || errno == EINTR ? 0 : -1;
    else
      answer = fstat(fd, &s) != 0 ? -1 : s.st_nlink > 0 ? 1 : -2;
  }
  if (answer == 1)
    *lock = fd;
  else
    close(fd);
  return answer;
}

static void lock_name(char name[NAME_ROOM], const char *key) {
  char stem[STEM + 1];
  stem_of(stem, key);
  snprintf(name, NAME_ROOM, "%s.lock", stem);
}

int ff_code_cache_lock(const ff_code_cache *cache, const char *key, int *lock) {
  char name[NAME_ROOM];
  int answer = -2;
  lock_name(name, key);
  for (int i = 0; i < 100 && answer == -2; i++) answer = try_lock(cache, name, lock);
  return answer != 0;
}

void ff_code_cache_unlock(const ff_code_cache *cache, const char *key, int lock) {
  char name[NAME_ROOM];
  if (lock < 0) return;
  lock_name(name, key);
  unlinkat(cache->folder, name, 0); /* before the lock is released, so that nobody removes the file of the next owner */
  close(lock);
}

/* ---- pruning ------------------------------------------------------------------------------------------------------------ */

typedef struct {
  char name[NAME_ROOM];
  uint64_t bytes;
  struct timespec used;
} entry;

static int by_use(const void *a, const void *b) {
  const entry *x = a, *y = b;
  if (x->used.tv_sec != y->used.tv_sec) return x->used.tv_sec < y->used.tv_sec ? -1 : 1;
  if (x->used.tv_nsec != y->used.tv_nsec) return x->used.tv_nsec < y->used.tv_nsec ? -1 : 1;
  return strcmp(x->name, y->name);
}

static int is_ours(const char *name) {
  const size_t stem = strspn(name, "0123456789abcdef");
  return stem == STEM && (name[STEM] == '-' || name[STEM] == '.') && strlen(name) < NAME_ROOM;
}

/* Lists the files of the cache in *list, which the caller frees, and returns their number. */
static size_t list_entries(const ff_code_cache *cache, entry **list) {
  size_t n = 0, capacity = 0;
  DIR *folder = list_folder(cache);
  *list = NULL;
  for (struct dirent *e; folder != NULL && (e = readdir(folder)) != NULL;) {
    struct stat s;
    if (!is_ours(e->d_name) || fstatat(cache->folder, e->d_name, &s, AT_SYMLINK_NOFOLLOW) != 0) continue;
    if (!S_ISREG(s.st_mode) || s.st_uid != geteuid()) continue;
    if (ff_grow((void **)list, &capacity, n + 1, sizeof **list, NULL) != FF_OK) break;
    entry *to = &(*list)[n++];
    memcpy(to->name, e->d_name, strlen(e->d_name) + 1);
    to->bytes = (uint64_t)s.st_size;
    to->used = s.st_mtim;
  }
  if (folder != NULL) closedir(folder);
  return n;
}

void ff_code_cache_prune(const ff_code_cache *cache, ff_code_cache_bounds bounds) {
  entry *list;
  struct timespec now;
  uint64_t bytes = 0;
  size_t n = list_entries(cache, &list), left = n;
  clock_gettime(CLOCK_REALTIME, &now);
  for (size_t i = 0; i < n; i++) bytes += list[i].bytes;
  if (n > 0) qsort(list, n, sizeof *list, by_use);
  for (size_t i = 0; i < n; i++) {
    const double days = difftime(now.tv_sec, list[i].used.tv_sec) / 86400;
    /* files that a running process is writing or has locked are kept for a day, which is longer than any compilation takes */
    const int passing = ends_with(list[i].name, ".lock") || strstr(list[i].name, ".new-") != NULL;
    const int old = days > (passing && bounds.days > 1 ? 1 : bounds.days);
    if (!old && (passing || (bytes <= bounds.bytes && left <= bounds.files))) continue;
    if (unlinkat(cache->folder, list[i].name, 0) != 0) continue;
    bytes -= list[i].bytes;
    left--;
  }
  free(list);
}
