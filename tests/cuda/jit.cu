/* Compiling at run time, keeping and sharing what comes of it, without a GPU: ff_jit.cu against fake_libraries.c. Run as `jit FOLDER`
 * with the fakes in LD_LIBRARY_PATH; `jit FOLDER leave` ends while a compiler is at work. */
#include "../../src/cuda/runtime/ff_jit.h"

#include <dlfcn.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string>
#include <string.h>
#include <thread>
#include <unistd.h>
#include <vector>

static int wrong, passed, failed; /* checks; tests */
static ff_error err;

static void check(int fine, const char *what, int line) {
  wrong += !fine;
  if (!fine) printf("jit.cu:%d: not true: %s\n", line, what);
}
#define CHECK(x) check((x) ? 1 : 0, #x, __LINE__)
#define TEST(x)                             \
  do {                                      \
    const int before = wrong;               \
    x;                                      \
    (wrong == before ? passed : failed)++;  \
  } while (0)

static int (*compiles)(void), (*heard_interrupts)(void);

static ff_status start(ff_jit **out, const char *text, const char *cache, double saves = 1, double price = 0) {
  const char *const parts[] = {"first part", text};
  return ff_jit_start(out, parts, 2, 90, cache, saves, price, &err);
}

/* To the end; *kept: whether it was not compiled now. */
static ff_status run(const char *text, const char *cache, int *kept, double saves = 1, double price = 0) {
  ff_jit *jit = NULL;
  ff_jit_kernel kernel;
  int ready = 0;
  ff_status status = start(&jit, text, cache, saves, price);
  while (status == FF_OK && !ready) status = ff_jit_wait(jit, 0.01, &ready, &err);
  if (status == FF_OK) status = ff_jit_kernel_of(&kernel, jit, "g_kernel", 128, 1000, &err);
  *kept = status == FF_OK && kernel.from_cache;
  ff_jit_free(jit);
  return status;
}

/* Files in a folder whose names end so; `one` becomes the last one's path. */
static int files(const std::string &folder, const char *end, std::string *one = NULL) {
  int n = 0;
  DIR *d = opendir(folder.c_str());
  for (struct dirent *e; d != NULL && (e = readdir(d)) != NULL;) {
    const size_t length = strlen(e->d_name), tail = strlen(end);
    if (length < tail || strcmp(e->d_name + length - tail, end) != 0) continue;
    n++;
    if (one != NULL) *one = folder + "/" + e->d_name;
  }
  if (d != NULL) closedir(d);
  return n;
}

static void code_is_kept(const std::string &folder) {
  int kept, before = compiles();
  std::string path;
  CHECK(run("a", folder.c_str(), &kept) == FF_OK && !kept && compiles() == before + 1);
  CHECK(run("a", folder.c_str(), &kept) == FF_OK && kept && compiles() == before + 1);
  CHECK(run("another", folder.c_str(), &kept) == FF_OK && !kept);
  CHECK(run("a", NULL, &kept) == FF_OK && !kept); /* without a folder every time anew */
  CHECK(files(folder, ".cubin", &path) == 2);
  CHECK(truncate(path.c_str(), 60) == 0);
  before = compiles();
  CHECK(run("a", folder.c_str(), &kept) == FF_OK && run("another", folder.c_str(), &kept) == FF_OK && compiles() == before + 1);
  CHECK(run("a", folder.c_str(), &kept) == FF_OK && kept && run("another", folder.c_str(), &kept) == FF_OK && kept);
  FILE *file = fopen(path.c_str(), "r+");
  CHECK(file != NULL && fseek(file, -1, SEEK_END) == 0 && fputc('!', file) == '!' && fclose(file) == 0); /* a byte is wrong */
  before = compiles();
  CHECK(run("a", folder.c_str(), &kept) == FF_OK && run("another", folder.c_str(), &kept) == FF_OK && compiles() == before + 1);
}

static void what_does_not_compile_says_why(const std::string &folder) {
  int kept;
  setenv("FAKE_FAIL", "1", 1);
  CHECK(run("bad", folder.c_str(), &kept) == FF_EINTERNAL && strstr(err.text, "no, no!") != NULL);
  CHECK(files(folder, ".cubin") == 0);
  unsetenv("FAKE_FAIL");
  CHECK(run("bad", folder.c_str(), &kept) == FF_OK && !kept);
}

static void savings_add_up_to_the_price(const std::string &folder) {
  int kept, before = compiles();
  for (int i = 0; i < 3; i++) CHECK(run("c", folder.c_str(), &kept, 0.3, 1) == FF_EARGUMENT && strstr(err.text, "yet") != NULL);
  CHECK(run("other", folder.c_str(), &kept, 0.3, 1) == FF_EARGUMENT); /* an account of its own */
  CHECK(compiles() == before && files(folder, ".saved") == 2);
  CHECK(run("c", folder.c_str(), &kept, 0.3, 1) == FF_OK && compiles() == before + 1 && files(folder, ".saved") == 1);
  CHECK(run("c", folder.c_str(), &kept, 0.3, 1) == FF_OK && kept);
  CHECK(run("d", folder.c_str(), &kept, 2, 1) == FF_OK && !kept);
  CHECK(run("e", NULL, &kept, 0.3, 1) == FF_EARGUMENT && run("e", NULL, &kept, 0.9, 1) == FF_EARGUMENT); /* nowhere to remember */
}

static void several_share_one_compilation(void) {
  const int before = compiles();
  std::vector<std::thread> all;
  int fine = 0;
  for (int i = 0; i < 6; i++)
    all.emplace_back([&fine] {
      int kept, ready = 0;
      ff_error mine;
      ff_jit *jit = NULL;
      const char *const parts[] = {"shared"};
      ff_status status = ff_jit_start(&jit, parts, 1, 90, NULL, 1, 0, &mine);
      while (status == FF_OK && !ready) status = ff_jit_wait(jit, 0.01, &ready, &mine);
      kept = status == FF_OK;
      ff_jit_free(jit);
      __atomic_fetch_add(&fine, kept, __ATOMIC_SEQ_CST);
    });
  for (std::thread &one : all) one.join();
  CHECK(fine == 6 && compiles() == before + 1);
}

static void what_is_left_behind_is_kept(const std::string &folder, const char *self) {
  ff_jit *jit = NULL;
  int ready = 1, kept, before = compiles();
  CHECK(start(&jit, "left", folder.c_str()) == FF_OK);
  CHECK(ff_jit_wait(jit, 0.01, &ready, &err) == FF_OK && !ready);
  ff_jit_free(jit);
  CHECK(run("left", folder.c_str(), &kept) == FF_OK && compiles() == before + 1); /* joined, or kept by now */
  const std::string command = std::string("exec '") + self + "' '" + folder + "/end' leave";
  CHECK(system(command.c_str()) == 0); /* a process ends well, and not before its compiler */
  CHECK(files(folder + "/end", ".cubin") == 1);
}

int main(int argc, char **argv) {
  const std::string folder = argv[1];
  if (argc > 2) {
    ff_jit *jit = NULL;
    if (start(&jit, "leave", folder.c_str()) != FF_OK) return 1;
    ff_jit_free(jit);
    return 0;
  }
  void *fake = dlopen("libcuda.so.1", RTLD_NOW);
  *(void **)&compiles = fake != NULL ? dlsym(fake, "fake_compiles") : NULL;
  *(void **)&heard_interrupts = fake != NULL ? dlsym(fake, "fake_heard_interrupts") : NULL;
  if (compiles == NULL) {
    printf("the fake libraries are not in LD_LIBRARY_PATH\njit: 0 passed, 1 failed\n");
    return 1;
  }
  TEST(code_is_kept(folder + "/kept"));
  TEST(what_does_not_compile_says_why(folder + "/bad"));
  TEST(savings_add_up_to_the_price(folder + "/price"));
  setenv("FAKE_SECONDS", "1", 1); /* time enough for a loaded machine to be there before the compiler ends */
  TEST(several_share_one_compilation());
  TEST(what_is_left_behind_is_kept(folder + "/left", argv[0]));
  TEST(CHECK(heard_interrupts() == 0)); /* Ctrl-C is for R's thread */
  printf("jit: %d passed, %d failed\n", passed, failed);
  return failed != 0;
}
