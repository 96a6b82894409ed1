#include "ff_jit.h"

extern "C" {
#include "ff_texts.h"
}

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cuda.h>
#include <dlfcn.h>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <nvrtc.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string>
#include <string.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

#define PATH_ROOM 4096
#define STACK_BYTES (16u << 20) /* of a thread that compiles: long code nests deep */
#define CODE_VERSION "1"       /* to be raised when the compiler's options change: kept code is then made anew */
#define CUBIN_MARK 0x31626966u /* the first word of a kept file */

/* ---- libraries ---------------------------------------------------------------------------------------------------------- */

typedef struct {
  void *library;
  decltype(&nvrtcVersion) version;
  decltype(&nvrtcCreateProgram) create;
  decltype(&nvrtcCompileProgram) compile;
  decltype(&nvrtcGetProgramLogSize) log_size;
  decltype(&nvrtcGetProgramLog) log;
  decltype(&nvrtcGetCUBINSize) cubin_size;
  decltype(&nvrtcGetCUBIN) cubin;
  decltype(&nvrtcDestroyProgram) destroy;
} compiler;

typedef struct {
  void *library;
  decltype(&cuModuleLoadData) load;
  decltype(&cuModuleUnload) unload;
  decltype(&cuModuleGetFunction) function;
  decltype(&cuFuncSetAttribute) set;
  decltype(&cuFuncGetAttribute) get;
  decltype(&cuOccupancyMaxActiveBlocksPerMultiprocessor) occupancy;
  decltype(&cuLaunchKernel) launch;
  decltype(&cuGetErrorString) text;
} driver;

/* A compilation, which its thread and who waits for it own together. */
struct job {
  compiler tools = {};
  std::string text, arch, folder, path, saved; /* where to keep it, and what it would have saved: nowhere if empty */
  std::mutex mutex;
  std::condition_variable ended;
  bool done = false;
  char *cubin = NULL;
  size_t bytes = 0;
  ff_status status = FF_OK;
  ff_error err = {};
  ~job() { free(cubin); }
};

struct ff_jit {
  driver cuda = {};
  CUmodule module = NULL;
  int from_cache = 0;
  std::shared_ptr<job> compiling; /* none: loaded */
};

template <typename T> static int find(T *out, void *library, const char *name) {
  *out = (T)dlsym(library, name);
  return *out != NULL;
}

#define NAME_OF_(x) #x
#define NAME_OF(x) NAME_OF_(x) /* with the version that the header gives it, as in cuModuleUnload or cuMemAlloc_v2 */

static int open_driver(driver *d) {
  d->library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  return d->library != NULL && find(&d->load, d->library, NAME_OF(cuModuleLoadData)) &&
         find(&d->unload, d->library, NAME_OF(cuModuleUnload)) && find(&d->function, d->library, NAME_OF(cuModuleGetFunction)) &&
         find(&d->set, d->library, NAME_OF(cuFuncSetAttribute)) && find(&d->get, d->library, NAME_OF(cuFuncGetAttribute)) &&
         find(&d->occupancy, d->library, NAME_OF(cuOccupancyMaxActiveBlocksPerMultiprocessor)) &&
         find(&d->launch, d->library, NAME_OF(cuLaunchKernel)) && find(&d->text, d->library, NAME_OF(cuGetErrorString));
}

static void *open_nvrtc(void) {
  char name[PATH_ROOM];
  const char *home = getenv("CUDA_HOME");
  const char *const folders[] = {"", home != NULL ? home : "/usr/local/cuda", "/usr/local/cuda"};
  for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
    for (int major = CUDART_VERSION / 1000; major >= 12; major--) {
      snprintf(name, sizeof name, "%s%slibnvrtc.so.%d", folders[i], folders[i][0] != '\0' ? "/lib64/" : "", major);
      void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE); /* for good: threads have used it */
      if (library != NULL) return library;
    }
  }
  return NULL;
}

static ff_status open_compiler(compiler *c, ff_error *err) {
  c->library = open_nvrtc();
  if (c->library == NULL)
    return ff_error_set(err, FF_EARGUMENT,
                        "no generated code: the library libnvrtc.so.%d was not found (the CUDA toolkit has it)",
                        CUDART_VERSION / 1000);
  if (find(&c->version, c->library, "nvrtcVersion") && find(&c->create, c->library, "nvrtcCreateProgram") &&
      find(&c->compile, c->library, "nvrtcCompileProgram") && find(&c->log_size, c->library, "nvrtcGetProgramLogSize") &&
      find(&c->log, c->library, "nvrtcGetProgramLog") && find(&c->cubin_size, c->library, "nvrtcGetCUBINSize") &&
      find(&c->cubin, c->library, "nvrtcGetCUBIN") && find(&c->destroy, c->library, "nvrtcDestroyProgram"))
    return FF_OK;
  dlclose(c->library);
  return ff_error_set(err, FF_EARGUMENT, "no generated code: the library libnvrtc.so lacks a function");
}

/* ---- the cache ------------------------------------------------------------------------------------------------------------ */

/* Two 64-bit sums over the text, what it may include, the architecture and the compiler's version. */
static void mix(uint64_t sum[2], const char *text) {
  for (const unsigned char *at = (const unsigned char *)text; *at != 0; at++) {
    sum[0] = (sum[0] ^ *at) * UINT64_C(1099511628211);
    sum[1] = (sum[1] ^ *at ^ sum[1] >> 29) * UINT64_C(0x9FB21C651E98DF25);
  }
}

static void key_of(char out[33], const char *text, const char *options) {
  uint64_t sum[2] = {UINT64_C(14695981039346656037), UINT64_C(0x9AE16A3B2F90404F)};
  mix(sum, text);
  mix(sum, options);
  for (const ff_text *t = ff_texts(); t->name != NULL; t++) mix(sum, t->text);
  snprintf(out, 33, "%016llx%016llx", (unsigned long long)sum[0], (unsigned long long)sum[1]);
}

static uint64_t sum_of(const char *bytes, size_t n) {
  uint64_t a = UINT64_C(14695981039346656037);
  for (size_t i = 0; i < n; i++) a = (a ^ (unsigned char)bytes[i]) * UINT64_C(1099511628211);
  return a;
}

typedef struct {
  uint32_t mark, unused;
  uint64_t bytes, sum;
} file_head;

/* What a file holds, or NULL where there is none or it is not whole. */
static char *read_kept(const char *path) {
  FILE *file = fopen(path, "rb");
  if (file == NULL) return NULL;
  file_head head;
  char *out = NULL;
  if (fread(&head, sizeof head, 1, file) == 1 && head.mark == CUBIN_MARK && head.bytes > 0 && head.bytes < UINT64_C(1) << 30) {
    out = (char *)ff_calloc((size_t)head.bytes, 1);
    if (out != NULL && (fread(out, 1, (size_t)head.bytes, file) != head.bytes || sum_of(out, (size_t)head.bytes) != head.sum)) {
      free(out);
      out = NULL;
    }
  }
  fclose(file);
  return out;
}

static void make_folder(const char *path) {
  char part[PATH_ROOM];
  snprintf(part, sizeof part, "%s", path);
  for (char *at = part + 1; *at != '\0'; at++) {
    if (*at != '/') continue;
    *at = '\0';
    mkdir(part, 0777);
    *at = '/';
  }
  mkdir(part, 0777);
}

/* Written beside and renamed, so that no process ever reads a part; where it cannot be kept it is made again next time. */
static void keep(const char *folder, const char *path, const char *bytes, size_t n) {
  char temporary[PATH_ROOM];
  if ((size_t)snprintf(temporary, sizeof temporary, "%s.%ld.%p", path, (long)getpid(), (void *)temporary) >= sizeof temporary) return;
  make_folder(folder);
  FILE *file = fopen(temporary, "wb");
  if (file == NULL) return;
  const file_head head = {CUBIN_MARK, 0, n, sum_of(bytes, n)};
  int fine = fwrite(&head, sizeof head, 1, file) == 1 && fwrite(bytes, 1, n, file) == n;
  fine = fclose(file) == 0 && fine;
  if (!fine || rename(temporary, path) != 0) unlink(temporary);
}

/* What code that is not kept would have saved in runs begun earlier, with this one: a number in a file beside where it would be. */
static double saved_so_far(const job *j, double now) {
  const std::string fresh = j->saved + "." + std::to_string(getpid());
  double before = 0;
  FILE *file = fopen(j->saved.c_str(), "r");
  if (file != NULL) {
    if (fscanf(file, "%lf", &before) != 1 || !(before > 0 && before < 1e9)) before = 0;
    fclose(file);
  }
  make_folder(j->folder.c_str());
  file = fopen(fresh.c_str(), "w");
  if (file != NULL) {
    int fine = fprintf(file, "%g\n", before + now) > 0;
    fine = fclose(file) == 0 && fine;
    if (!fine || rename(fresh.c_str(), j->saved.c_str()) != 0) unlink(fresh.c_str());
  }
  return before + now;
}

/* ---- compiling ---------------------------------------------------------------------------------------------------------- */

#define MOST_TEXTS 16
#define NAME_ROOM 64

/* What NVRTC finds behind #include: every text by the names that files beside it, in a folder beside its own, and in an engine's folder
 * use; and the two headers of C that they need. */
typedef struct {
  const char *text[3 * MOST_TEXTS + 2], *name[3 * MOST_TEXTS + 2];
  char names[MOST_TEXTS][3][NAME_ROOM];
  int n;
} header_list;

static void list_headers(header_list *out) {
  out->n = 2;
  out->name[0] = "stddef.h";
  out->text[0] = "typedef unsigned long size_t;\n";
  out->name[1] = "stdint.h";
  out->text[1] = "typedef signed char int8_t;\ntypedef unsigned char uint8_t;\ntypedef unsigned int uint32_t;\n"
                 "typedef int int32_t;\ntypedef unsigned long uint64_t;\ntypedef long int64_t;\n"
                 "#define UINT32_C(x) x##u\n#define UINT64_C(x) x##ul\n";
  const ff_text *text = ff_texts();
  for (int i = 0; i < MOST_TEXTS && text[i].name != NULL; i++) {
    const char *last = strrchr(text[i].name, '/'), *folder = last; /* both are there: see CUDA_TEXTS */
    while (folder > text[i].name && folder[-1] != '/') folder--;
    snprintf(out->names[i][0], NAME_ROOM, "%s", last + 1);
    snprintf(out->names[i][1], NAME_ROOM, "../%s", folder);
    snprintf(out->names[i][2], NAME_ROOM, "../../%s", text[i].name);
    for (int j = 0; j < 3; j++) {
      out->name[out->n] = out->names[i][j];
      out->text[out->n++] = text[i].text;
    }
  }
}

static ff_status run_compiler(job *j, ff_error *err) {
  const compiler *c = &j->tools;
  nvrtcProgram program;
  header_list headers;
  list_headers(&headers);
  if (c->create(&program, j->text.c_str(), "fireflip.cu", headers.n, headers.text, headers.name) != NVRTC_SUCCESS)
    return ff_error_set(err, FF_EMEMORY, "the run-time compiler does not start");
  const char *const options[] = {j->arch.c_str(), "--std=c++17", "-fmad=false", "-default-device"};
  ff_status status = FF_OK;
  nvrtcResult result = c->compile(program, 4, options);
  if (result == NVRTC_ERROR_INVALID_OPTION) {
    status = ff_error_set(err, FF_EARGUMENT, "no generated code: the run-time compiler does not know this GPU (%s)", j->arch.c_str());
  } else if (result != NVRTC_SUCCESS) {
    size_t n = 0;
    c->log_size(program, &n);
    char *log = (char *)ff_calloc(n + 1, 1);
    if (log != NULL) c->log(program, log);
    status = ff_error_set(err, FF_EINTERNAL, "generated code does not compile: %.600s", log != NULL ? log : "");
    free(log);
  } else if (c->cubin_size(program, &j->bytes) != NVRTC_SUCCESS || (j->cubin = (char *)ff_calloc(j->bytes, 1)) == NULL) {
    status = ff_error_set(err, FF_EMEMORY, "no memory for compiled code");
  } else {
    c->cubin(program, j->cubin);
  }
  c->destroy(&program);
  return status;
}

/* Compilers at work in this process: it must not end under them, for what they use would be torn down first. Said at exit when one is
 * left behind, not before: what it has put there itself by then comes after this. */
static std::atomic<int> at_work{0};
static std::atomic<pid_t> at_work_in{0};

static void let_them_end(void) {
  while (getpid() == at_work_in && at_work > 0) std::this_thread::sleep_for(std::chrono::milliseconds(20));
}

static void leave_behind(const std::shared_ptr<job> &j) {
  std::lock_guard<std::mutex> guard(j->mutex);
  if (!j->done) atexit(let_them_end);
}

static void compile(job *j) {
  ff_error err = {};
  ff_status status;
  try {
    status = run_compiler(j, &err);
    if (status == FF_OK && !j->path.empty()) {
      keep(j->folder.c_str(), j->path.c_str(), j->cubin, j->bytes);
      unlink(j->saved.c_str());
    }
  } catch (const std::exception &) {
    status = ff_error_set(&err, FF_EMEMORY, "no memory to compile code");
  }
  std::lock_guard<std::mutex> guard(j->mutex);
  j->status = status;
  j->err = err;
  j->done = true;
  j->ended.notify_all();
}

static void *compile_apart(void *context) {
  std::shared_ptr<job> *own = (std::shared_ptr<job> *)context;
  compile(own->get());
  delete own;
  at_work--;
  return NULL;
}

/* In a thread that hears no signal, for an interrupt is for the one that R runs in. Where the system has no thread to give, here. */
static void start_compiling(const std::shared_ptr<job> &j) {
  std::unique_ptr<std::shared_ptr<job>> own(new std::shared_ptr<job>(j));
  pthread_attr_t attributes;
  pthread_t thread;
  sigset_t all, before;
  at_work_in = getpid();
  at_work++;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, STACK_BYTES);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  const int failed = pthread_create(&thread, &attributes, compile_apart, own.get());
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  pthread_attr_destroy(&attributes);
  if (!failed) {
    own.release();
    return;
  }
  compile(j.get());
  at_work--;
}

/* Several devices, or a call after one that was interrupted, want the same code: it is made once. */
static std::shared_ptr<job> join_or_start(const std::shared_ptr<job> &j, const std::string &key) {
  static std::mutex mutex;
  static std::map<std::string, std::weak_ptr<job>> under_way;
  std::lock_guard<std::mutex> guard(mutex);
  for (auto at = under_way.begin(); at != under_way.end();) at = at->second.expired() ? under_way.erase(at) : std::next(at);
  std::weak_ptr<job> &known = under_way[key];
  if (std::shared_ptr<job> there = known.lock()) {
    std::lock_guard<std::mutex> its(there->mutex);
    if (!there->done) return there; /* what is done is in the cache, or failed */
  }
  known = j;
  start_compiling(j);
  return j;
}

static ff_status load(ff_jit *jit, const char *cubin, ff_error *err) {
  CUresult result = jit->cuda.load(&jit->module, cubin);
  if (result == CUDA_SUCCESS) return FF_OK;
  const char *text = "unknown";
  jit->cuda.text(result, &text);
  jit->module = NULL;
  return ff_error_set(err, FF_EARGUMENT, "no generated code: the driver does not load it (%s)", text);
}

static std::string join(const char *const *parts, int n) {
  std::string out;
  for (int i = 0; i < n; i++) out += parts[i];
  return out;
}

static ff_status start(ff_jit *jit, const std::shared_ptr<job> &j, const char *cache, double saves, double price,
                       ff_error *err) {
  char key[33], options[64];
  int major = 0, minor = 0;
  if (!open_driver(&jit->cuda))
    return ff_error_set(err, FF_EARGUMENT, "no generated code: the driver's library libcuda.so.1 lacks a function");
  ff_status status = open_compiler(&j->tools, err);
  if (status != FF_OK) return status;
  j->tools.version(&major, &minor);
  snprintf(options, sizeof options, "%s %d.%d " CODE_VERSION, j->arch.c_str(), major, minor);
  key_of(key, j->text.c_str(), options);
  if (cache != NULL) {
    j->folder = cache;
    j->path = j->folder + "/" + key + ".cubin";
    j->saved = j->path + ".saved";
    if (j->saved.size() + 16 >= PATH_ROOM) j->path.clear();
  }
  char *cubin = j->path.empty() ? NULL : read_kept(j->path.c_str());
  jit->from_cache = cubin != NULL && load(jit, cubin, NULL) == FF_OK;
  free(cubin);
  if (jit->from_cache) return FF_OK;
  if (saves < price && (j->path.empty() || saved_so_far(j.get(), saves) < price))
    return ff_error_set(err, FF_EARGUMENT, "no generated code yet: it would save some %.1g s a run, and takes more to make", saves);
  jit->compiling = join_or_start(j, key);
  return FF_OK;
}

extern "C" ff_status ff_jit_start(ff_jit **out, const char *const *parts, int n, int arch, const char *cache, double saves,
                                  double price, ff_error *err) {
  *out = NULL;
  ff_jit *jit = NULL;
  ff_status status;
  try {
    jit = new ff_jit;
    std::shared_ptr<job> j = std::make_shared<job>();
    j->text = join(parts, n);
    j->arch = "--gpu-architecture=sm_" + std::to_string(arch);
    status = start(jit, j, cache, saves, price, err);
  } catch (const std::exception &) {
    status = ff_error_set(err, FF_EMEMORY, "no memory for code");
  }
  if (status == FF_OK)
    *out = jit;
  else
    ff_jit_free(jit);
  return status;
}

extern "C" ff_status ff_jit_wait(ff_jit *jit, double seconds, int *ready, ff_error *err) {
  *ready = jit->compiling == NULL;
  if (*ready) return FF_OK;
  job *j = jit->compiling.get();
  {
    std::unique_lock<std::mutex> guard(j->mutex);
    if (!j->ended.wait_for(guard, std::chrono::duration<double>(seconds), [j] { return j->done; })) return FF_OK;
  }
  ff_status status = j->status == FF_OK ? load(jit, j->cubin, err) : ff_error_set(err, j->status, "%s", j->err.text);
  jit->compiling.reset();
  *ready = status == FF_OK;
  return status;
}

extern "C" void ff_jit_free(ff_jit *jit) {
  if (jit == NULL) return;
  if (jit->compiling != NULL) leave_behind(jit->compiling);
  if (jit->module != NULL) jit->cuda.unload(jit->module);
  if (jit->cuda.library != NULL) dlclose(jit->cuda.library);
  delete jit;
}

static ff_status check(const ff_jit *jit, CUresult result, const char *doing, ff_error *err) {
  if (result == CUDA_SUCCESS) return FF_OK;
  const char *text = "unknown";
  jit->cuda.text(result, &text);
  return ff_error_set(err, FF_EBACKEND, "the GPU failed at %s: %s; if it goes on to, start a new R session, or say backend = \"cpu\"",
                      doing, text);
}

extern "C" ff_status ff_jit_kernel_of(ff_jit_kernel *out, ff_jit *jit, const char *name, int threads, size_t shared,
                                      ff_error *err) {
  CUfunction function = NULL;
  memset(out, 0, sizeof *out);
  out->from_cache = jit->from_cache;
  ff_status status = check(jit, jit->cuda.function(&function, jit->module, name), "finding the generated kernel", err);
  out->function = function;
  if (status == FF_OK)
    status = check(jit, jit->cuda.set(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, (int)shared),
                   "asking for shared memory", err);
  if (status == FF_OK)
    status = check(jit, jit->cuda.get(&out->registers, CU_FUNC_ATTRIBUTE_NUM_REGS, function), "planning a launch", err);
  if (status == FF_OK)
    status = check(jit, jit->cuda.occupancy(&out->blocks, function, threads, shared), "planning a launch", err);
  if (status == FF_OK && out->blocks == 0)
    status = ff_error_set(err, FF_EARGUMENT, "no generated code: a block does not fit a multiprocessor");
  return status;
}

extern "C" ff_status ff_jit_launch(ff_jit *jit, const ff_jit_kernel *kernel, unsigned blocks, unsigned threads, size_t shared,
                                   cudaStream_t stream, void **arguments, ff_error *err) {
  return check(jit, jit->cuda.launch((CUfunction)kernel->function, blocks, 1, 1, threads, 1, 1, (unsigned)shared,
                                     (CUstream)stream, arguments, NULL),
               "launching generated code", err);
}
