/* The cache of compiled code: stored code is found again, and nothing that another user could have written is read. */
#define _GNU_SOURCE /* mkdtemp */
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../../src/cuda/runtime/ff_code_cache.h"
#include "../../src/cuda/runtime/ff_sha256.h"
#include "check.h"
#include "files.h"

#define OTHER_USER 12345

/* A folder for each test, and the cache opened in it. */
typedef struct {
  char folder[PATH_ROOM];
  ff_code_cache *cache;
} place;

static place new_place(void) {
  place p = {.folder = "/tmp/fireflip-cache-XXXXXX"};
  ff_error err;
  FF_CHECK(mkdtemp(p.folder) != NULL);
  FF_CHECK_OK(ff_code_cache_open(&p.cache, p.folder, &err), &err);
  return p;
}

static void end_place(place *p) {
  ff_code_cache_close(p->cache);
  remove_folder(p->folder);
}

static int good(const char *maker) { return strncmp(maker, "good", 4) == 0; }

static void keep(const place *p, const char *key, const char *maker, const char *code) {
  ff_error err;
  FF_CHECK_OK(ff_code_cache_keep(p->cache, key, maker, code, strlen(code) + 1, &err), &err);
}

static int holds(const place *p, const char *key, const char *want) {
  size_t bytes = 0;
  char *code = ff_code_cache_load(p->cache, key, good, &bytes);
  const int same = code != NULL && want != NULL && bytes == strlen(want) + 1 && strcmp(code, want) == 0;
  const int fine = want == NULL ? code == NULL : same;
  free(code);
  return fine;
}

static mode_t mode_of(const char *path) {
  struct stat s;
  return lstat(path, &s) == 0 ? s.st_mode & 07777 : 0;
}

static void digests_are_those_of_the_standard(void) {
  char hex[65];
  ff_sha256 s;
  uint8_t digest[FF_SHA256_BYTES];
  ff_sha256_hex(hex, 64, "", 0);
  FF_CHECK_STR(hex, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  ff_sha256_hex(hex, 64, "abc", 3);
  FF_CHECK_STR(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  ff_sha256_hex(hex, 64, "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56);
  FF_CHECK_STR(hex, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  ff_sha256_begin(&s);
  for (int i = 0; i < 15625; i++) ff_sha256_add(&s, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", 64);
  ff_sha256_end(&s, digest);
  static const uint8_t million[4] = {0xcd, 0xc7, 0x6e, 0x5c};
  FF_CHECK(memcmp(digest, million, sizeof million) == 0 && digest[31] == 0xd0);
  char text[200];
  memset(text, 'x', sizeof text);
  for (size_t n = 0; n < sizeof text; n++) { /* in two pieces, for all lengths */
    char whole[65];
    ff_sha256_hex(whole, 64, text, n);
    ff_sha256_begin(&s);
    ff_sha256_add(&s, text, n / 3);
    ff_sha256_add(&s, text + n / 3, n - n / 3);
    ff_sha256_end(&s, digest);
    for (int i = 0; i < 32; i++) snprintf(hex + 2 * i, 3, "%02x", digest[i]);
    FF_CHECK_STR(hex, whole);
  }
}

static void what_is_kept_is_found(void) {
  char path[PATH_ROOM];
  place p = new_place();
  FF_CHECK(holds(&p, "a", NULL));
  keep(&p, "a", "good 1", "code of a");
  keep(&p, "b", "good 1", "code of b");
  FF_CHECK(holds(&p, "a", "code of a") && holds(&p, "b", "code of b") && holds(&p, "c", NULL) && holds(&p, "", NULL));
  keep(&p, "a", "good 1", "new code of a");
  FF_CHECK(holds(&p, "a", "new code of a"));
  keep(&p, "c", "bad", "code that a compiler made that is there no more");
  FF_CHECK(holds(&p, "c", NULL));
  keep(&p, "c", "good 2", "code of c");
  FF_CHECK(holds(&p, "c", "code of c"));
  FF_CHECK_INT(find_files(p.folder, ".cubin", path), 4);
  FF_CHECK_INT(find_files(p.folder, "", NULL), 4);
  FF_CHECK_INT(mode_of(path), 0600);
  FF_CHECK_INT(mode_of(p.folder), 0700);
  end_place(&p);
}

static void folders_are_made_and_made_private(void) {
  char folder[PATH_ROOM] = "/tmp/fireflip-cache-XXXXXX", inner[2 * PATH_ROOM], link[2 * PATH_ROOM];
  ff_code_cache *cache;
  ff_error err;
  FF_CHECK(mkdtemp(folder) != NULL);
  snprintf(inner, sizeof inner, "%s/one/two", folder);
  FF_CHECK_OK(ff_code_cache_open(&cache, inner, &err), &err);
  ff_code_cache_close(cache);
  FF_CHECK_INT(mode_of(inner), 0700);
  FF_CHECK(chmod(inner, 0755) == 0);
  FF_CHECK_OK(ff_code_cache_open(&cache, inner, &err), &err);
  ff_code_cache_close(cache);
  FF_CHECK_INT(mode_of(inner), 0700);
  snprintf(link, sizeof link, "%s/link", folder);
  FF_CHECK(symlink(inner, link) == 0);
  FF_CHECK_OK(ff_code_cache_open(&cache, link, &err), &err); /* the user may have moved the folder to a larger disk */
  ff_code_cache_close(cache);
  static const mode_t open_to_others[] = {0770, 0720, 0702, 01777};
  for (size_t i = 0; i < sizeof open_to_others / sizeof *open_to_others; i++) {
    FF_CHECK(chmod(inner, open_to_others[i]) == 0);
    FF_CHECK_FAILS(ff_code_cache_open(&cache, inner, &err), FF_EFILE, &err, "others may write");
    FF_CHECK(cache == NULL);
  }
  FF_CHECK(unlink(link) == 0 && rmdir(inner) == 0);
  FILE *file = fopen(inner, "w"); /* a file, not a folder */
  if (file != NULL) fclose(file);
  FF_CHECK_FAILS(ff_code_cache_open(&cache, inner, &err), FF_EFILE, &err, inner);
  FF_CHECK(unlink(inner) == 0);
  snprintf(inner, sizeof inner, "%s/one", folder);
  FF_CHECK(rmdir(inner) == 0 && rmdir(folder) == 0);
}

static void another_users_is_not_used(void) {
  char path[PATH_ROOM];
  ff_code_cache *cache;
  ff_error err;
  if (geteuid() != 0) FF_SKIP("only root can give files to another user");
  place p = new_place();
  keep(&p, "a", "good", "code");
  FF_CHECK(find_files(p.folder, ".cubin", path) == 1 && chown(path, OTHER_USER, (gid_t)-1) == 0);
  FF_CHECK(holds(&p, "a", NULL));
  FF_CHECK(chown(path, 0, (gid_t)-1) == 0 && holds(&p, "a", "code"));
  FF_CHECK(chown(p.folder, OTHER_USER, (gid_t)-1) == 0);
  FF_CHECK_FAILS(ff_code_cache_open(&cache, p.folder, &err), FF_EFILE, &err, "another user");
  FF_CHECK(chown(p.folder, 0, (gid_t)-1) == 0);
  FF_CHECK_NEAR(ff_code_cache_saved(p.cache, "b", 2), 2, 0);
  FF_CHECK(find_files(p.folder, ".saved", path) == 1 && chown(path, OTHER_USER, (gid_t)-1) == 0);
  FF_CHECK_NEAR(ff_code_cache_saved(p.cache, "b", 2), 2, 0);
  end_place(&p);
}

static void what_others_could_have_written_is_not_read(void) {
  char path[PATH_ROOM], aside[2 * PATH_ROOM];
  static const mode_t open_to_others[] = {0620, 0602, 0666};
  place p = new_place();
  keep(&p, "a", "good", "code");
  FF_CHECK_INT(find_files(p.folder, ".cubin", path), 1);
  for (size_t i = 0; i < sizeof open_to_others / sizeof *open_to_others; i++) {
    FF_CHECK(chmod(path, open_to_others[i]) == 0);
    FF_CHECK(holds(&p, "a", NULL));
  }
  FF_CHECK(chmod(path, 0600) == 0 && holds(&p, "a", "code"));
  snprintf(aside, sizeof aside, "%s/aside", p.folder);
  FF_CHECK(rename(path, aside) == 0 && symlink(aside, path) == 0);
  FF_CHECK(holds(&p, "a", NULL)); /* a link is not read, even one to a file of this user */
  FF_CHECK(unlink(path) == 0 && mkfifo(path, 0600) == 0);
  FF_CHECK(holds(&p, "a", NULL)); /* opening a pipe must not block either */
  FF_CHECK(unlink(path) == 0 && mkdir(path, 0700) == 0);
  FF_CHECK(holds(&p, "a", NULL));
  FF_CHECK(rmdir(path) == 0 && rename(aside, path) == 0 && holds(&p, "a", "code"));
  end_place(&p);
}

/* Changes the byte at `at` (counted from the end if negative), checks, and restores it. */
static void check_wrong_byte(const place *p, const char *path, long at) {
  FILE *file = fopen(path, "r+");
  FF_CHECK(file != NULL);
  if (file == NULL) return;
  fseek(file, at, at < 0 ? SEEK_END : SEEK_SET);
  const long where = ftell(file);
  const int byte = fgetc(file);
  fseek(file, where, SEEK_SET);
  fputc(byte ^ 1, file);
  fflush(file);
  FF_CHECK_SAY(holds(p, "key", NULL), "byte %ld", where);
  fseek(file, where, SEEK_SET);
  fputc(byte, file);
  fclose(file);
}

static void broken_files_are_not_read(void) {
  char path[PATH_ROOM], other[PATH_ROOM];
  struct stat s;
  place p = new_place();
  keep(&p, "key", "good maker", "code");
  FF_CHECK(find_files(p.folder, ".cubin", path) == 1 && stat(path, &s) == 0);
  for (long at = 0; at < (long)s.st_size; at++) check_wrong_byte(&p, path, at);
  FF_CHECK(holds(&p, "key", "code"));
  keep(&p, "another key", "good maker", "code"); /* under the wrong name */
  unlink(path);
  FF_CHECK(find_files(p.folder, ".cubin", other) == 1 && rename(other, path) == 0);
  FF_CHECK(holds(&p, "key", NULL));
  for (off_t n = s.st_size - 1; n >= 0; n--) {
    keep(&p, "key", "good maker", "code");
    FF_CHECK(truncate(path, n) == 0 && holds(&p, "key", NULL));
  }
  keep(&p, "key", "good maker", "code");
  FF_CHECK(truncate(path, s.st_size + 1) == 0 && holds(&p, "key", NULL));
  FF_CHECK(truncate(path, (off_t)1 << 40) == 0 && holds(&p, "key", NULL));
  end_place(&p);
}

static void savings_add_up(void) {
  char path[PATH_ROOM];
  place p = new_place();
  FF_CHECK_NEAR(ff_code_cache_saved(p.cache, "a", 0.25), 0.25, 0);
  FF_CHECK_NEAR(ff_code_cache_saved(p.cache, "a", 0.5), 0.75, 0);
  FF_CHECK_NEAR(ff_code_cache_saved(p.cache, "b", 0.5), 0.5, 0);
  FF_CHECK_INT(find_files(p.folder, ".saved", path), 2);
  keep(&p, "a", "good", "code"); /* the sum of savings is removed */
  FF_CHECK_INT(find_files(p.folder, ".saved", path), 1);
  FF_CHECK_NEAR(ff_code_cache_saved(p.cache, "a", 1), 1, 0);
  end_place(&p);
}

/* A folder in which nobody may write has the same effect as a full disk: no code is stored, and nothing else fails. */
static void what_cannot_be_kept_is_no_harm(void) {
  ff_error err;
  place p = new_place();
  keep(&p, "a", "good", "code");
  char folder[2 * PATH_ROOM];
  snprintf(folder, sizeof folder, "%s-gone", p.folder);
  FF_CHECK(rename(p.folder, folder) == 0); /* the cache keeps the folder open, whatever its name is */
  FF_CHECK(holds(&p, "a", "code"));
  char path[PATH_ROOM];
  while (find_files(folder, "", path) > 0 && unlink(path) == 0) {}
  FF_CHECK(rmdir(folder) == 0);
  FF_CHECK_FAILS(ff_code_cache_keep(p.cache, "b", "good", "code", 5, &err), FF_EFILE, &err, "not stored");
  FF_CHECK(holds(&p, "a", NULL));
  FF_CHECK_NEAR(ff_code_cache_saved(p.cache, "a", 1), 1, 0);
  int lock;
  FF_CHECK(ff_code_cache_lock(p.cache, "a", &lock) == 1 && lock == -1);
  ff_code_cache_unlock(p.cache, "a", lock);
  ff_code_cache_close(p.cache);
}

static void a_full_disk_is_no_harm(void) {
  ff_error err;
  ff_code_cache *cache;
  size_t bytes;
  if (geteuid() != 0) FF_SKIP("only root can mount a small disk");
  char folder[] = "/tmp/fireflip-cache-XXXXXX", command[PATH_ROOM];
  FF_CHECK(mkdtemp(folder) != NULL);
  snprintf(command, sizeof command, "mount -t tmpfs -o size=64k,mode=700 none %s 2>/dev/null", folder);
  if (system(command) != 0) {
    rmdir(folder);
    FF_SKIP("no small disk can be mounted");
  }
  char *large = ff_calloc(1 << 20, 1);
  FF_CHECK_OK(ff_code_cache_open(&cache, folder, &err), &err);
  if (cache != NULL && large != NULL) {
    FF_CHECK_FAILS(ff_code_cache_keep(cache, "a", "good", large, 1 << 20, &err), FF_EFILE, &err, "No space");
    FF_CHECK_INT(find_files(folder, "", NULL), 0); /* no partial file remains */
    FF_CHECK(ff_code_cache_load(cache, "a", good, &bytes) == NULL);
  }
  free(large);
  ff_code_cache_close(cache);
  snprintf(command, sizeof command, "umount %s", folder);
  FF_CHECK(system(command) == 0 && rmdir(folder) == 0);
}

/* Makes a file with this name that was last used `days` days ago. */
static void make_file(const place *p, const char *name, int bytes, double days) {
  char path[2 * PATH_ROOM];
  snprintf(path, sizeof path, "%s/%s", p->folder, name);
  FILE *file = fopen(path, "w");
  FF_CHECK(file != NULL);
  if (file == NULL) return;
  for (int i = 0; i < bytes; i++) fputc('x', file);
  fclose(file);
  const time_t then = time(NULL) - (time_t)(days * 86400);
  const struct timespec times[2] = {{.tv_sec = then}, {.tv_sec = then}};
  FF_CHECK(utimensat(AT_FDCWD, path, times, 0) == 0);
}

#define DIGITS "0123456789abcdef0123456789abcde" /* one digit too short */

static void the_longest_unused_go_first(void) {
  char path[PATH_ROOM];
  place p = new_place();
  make_file(&p, DIGITS "0-1.cubin", 100, 4);
  make_file(&p, DIGITS "1-1.cubin", 100, 2);
  make_file(&p, DIGITS "2-1.cubin", 100, 3);
  make_file(&p, DIGITS "3.saved", 100, 1);
  make_file(&p, "notes.cubin", 100, 400); /* not a file of the cache */
  make_file(&p, DIGITS ".cubin", 100, 400);
  make_file(&p, DIGITS "g.cubin", 100, 400);
  ff_code_cache_prune(p.cache, (ff_code_cache_bounds){1000, 10, 90});
  FF_CHECK_INT(find_files(p.folder, "", NULL), 7);
  ff_code_cache_prune(p.cache, (ff_code_cache_bounds){1000, 3, 90});
  FF_CHECK_INT(find_files(p.folder, "", NULL), 6);
  FF_CHECK_INT(find_files(p.folder, "0-1.cubin", NULL), 0);
  ff_code_cache_prune(p.cache, (ff_code_cache_bounds){200, 3, 90});
  FF_CHECK_INT(find_files(p.folder, "2-1.cubin", NULL), 0);
  FF_CHECK(find_files(p.folder, "1-1.cubin", NULL) == 1 && find_files(p.folder, ".saved", NULL) == 1);
  ff_code_cache_prune(p.cache, (ff_code_cache_bounds){200, 3, 1.5});
  FF_CHECK_INT(find_files(p.folder, "1-1.cubin", NULL), 0);
  FF_CHECK_INT(find_files(p.folder, "", NULL), 4);
  ff_code_cache_prune(p.cache, (ff_code_cache_bounds){0, 0, 0});
  FF_CHECK(find_files(p.folder, "", NULL) == 3 && find_files(p.folder, ".saved", path) == 0);
  end_place(&p);
}

static void use_counts_and_old_names_go_too(void) {
  place p = new_place();
  make_file(&p, DIGITS "0.cubin", 10, 91); /* named as by earlier versions */
  make_file(&p, DIGITS "0.cubin.saved", 10, 91);
  make_file(&p, DIGITS "0.cubin.77.0x55", 10, 91);
  make_file(&p, DIGITS "1.new-4d-1-0", 10, 1.1); /* of a process that was killed */
  make_file(&p, DIGITS "2.lock", 0, 1.1);
  make_file(&p, DIGITS "3.new-4d-1-0", 10, 0.9); /* of a process that may still run */
  make_file(&p, DIGITS "4.lock", 0, 0.9);
  ff_code_cache_prune(p.cache, (ff_code_cache_bounds){0, 0, 90});
  FF_CHECK_INT(find_files(p.folder, "", NULL), 2);
  keep(&p, "old", "good", "code");
  char path[PATH_ROOM];
  FF_CHECK_INT(find_files(p.folder, ".cubin", path), 1);
  const struct timespec then[2] = {{.tv_sec = 1000000000}, {.tv_sec = 1000000000}};
  FF_CHECK(utimensat(AT_FDCWD, path, then, 0) == 0);
  FF_CHECK(holds(&p, "old", "code"));
  ff_code_cache_prune(p.cache, FF_CODE_CACHE_BOUNDS); /* it was used just now */
  FF_CHECK(holds(&p, "old", "code"));
  FF_CHECK(utimensat(AT_FDCWD, path, then, 0) == 0);
  keep(&p, "new", "good", "code");
  FF_CHECK(holds(&p, "old", NULL) && holds(&p, "new", "code"));
  end_place(&p);
}

static void other_users_files_are_not_pruned(void) {
  char path[2 * PATH_ROOM];
  if (geteuid() != 0) FF_SKIP("only root can give files to another user");
  place p = new_place();
  make_file(&p, DIGITS "0-1.cubin", 100, 400);
  snprintf(path, sizeof path, "%s/" DIGITS "0-1.cubin", p.folder);
  FF_CHECK(chown(path, OTHER_USER, (gid_t)-1) == 0);
  ff_code_cache_prune(p.cache, (ff_code_cache_bounds){0, 0, 0});
  FF_CHECK_INT(find_files(p.folder, ".cubin", NULL), 1);
  end_place(&p);
}

static void one_at_a_time_compiles(void) {
  int first, second, other;
  place p = new_place();
  FF_CHECK_INT(ff_code_cache_lock(p.cache, "a", &first), 1);
  FF_CHECK_INT(ff_code_cache_lock(p.cache, "a", &second), 0); /* other threads of this process do not get the lock either */
  FF_CHECK_INT(ff_code_cache_lock(p.cache, "b", &other), 1);
  const pid_t child = fork();
  if (child == 0) {
    int lock;
    _exit(ff_code_cache_lock(p.cache, "a", &lock)); /* another process */
  }
  int status = 1;
  FF_CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
  ff_code_cache_unlock(p.cache, "b", other);
  ff_code_cache_unlock(p.cache, "a", first);
  FF_CHECK_INT(find_files(p.folder, "", NULL), 0);
  FF_CHECK_INT(ff_code_cache_lock(p.cache, "a", &second), 1);
  ff_code_cache_unlock(p.cache, "a", second);
  end_place(&p);
}

/* Processes that store and load the same key at the same time find a complete file or none. */
static void processes_keep_at_once(void) {
  enum { PROCESSES = 4, ROUNDS = 200 };
  place p = new_place();
  pid_t children[PROCESSES];
  for (int i = 0; i < PROCESSES; i++) {
    children[i] = fork();
    if (children[i] != 0) continue;
    int wrong = 0;
    for (int j = 0; j < ROUNDS; j++) {
      size_t bytes;
      wrong |= ff_code_cache_keep(p.cache, "a", "good", "the same code", 14, NULL) != FF_OK;
      char *code = ff_code_cache_load(p.cache, "a", good, &bytes);
      wrong |= code != NULL && (bytes != 14 || strcmp(code, "the same code") != 0);
      free(code);
    }
    _exit(wrong);
  }
  for (int i = 0; i < PROCESSES; i++) {
    int status = 1;
    FF_CHECK(waitpid(children[i], &status, 0) == children[i] && status == 0);
  }
  FF_CHECK(holds(&p, "a", "the same code") && find_files(p.folder, "", NULL) == 1);
  end_place(&p);
}

FF_TEST_MAIN("code_cache", digests_are_those_of_the_standard, what_is_kept_is_found, folders_are_made_and_made_private,
             another_users_is_not_used, what_others_could_have_written_is_not_read, broken_files_are_not_read, savings_add_up,
             what_cannot_be_kept_is_no_harm, a_full_disk_is_no_harm, the_longest_unused_go_first, use_counts_and_old_names_go_too,
             other_users_files_are_not_pruned, one_at_a_time_compiles, processes_keep_at_once)
