/* Compares ff_math.h on a GPU, compiled by nvcc and by NVRTC, with the processor, bit for bit, and its speed with CUDA's
 * functions. Needs a GPU. Run in the top folder of the repository, where NVRTC finds the headers:
 *
 *   nvcc -std=c++17 -O3 -fmad=false -arch=sm_90 -Xcompiler -ffp-contract=off,-pthread tests/cuda/math.cu -lnvrtc -o math
 *   ./math
 *
 * Each function gets 1e8 arguments (./math 1e7: that many). Results are compared by a checksum of the bits of each block of
 * 65,536. If checksums differ, the first value of the block that differs is printed.
 */
#include <cuda.h>
#include <nvrtc.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "../../src/cuda/runtime/ff_divide.h"
#include "../c/math_cases.h"

#define BLOCK_VALUES 65536u

static void check(cudaError_t status, const char *what) {
  if (status == cudaSuccess) return;
  fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(status));
  exit(2);
}

/* ---- bits --------------------------------------------------------------------------------------------------------------- */

template <int function> __global__ void sum_blocks(unsigned long long *sums) {
  __shared__ unsigned long long all;
  if (threadIdx.x == 0) all = 0;
  __syncthreads();
  unsigned long long own = 0;
  for (unsigned j = threadIdx.x; j < BLOCK_VALUES; j += blockDim.x) {
    const uint64_t i = (uint64_t)blockIdx.x * BLOCK_VALUES + j;
    own += math_mixed(math_value(function, math_arguments_of(function, i)), i);
  }
  atomicAdd(&all, own);
  __syncthreads();
  if (threadIdx.x == 0) sums[blockIdx.x] = all;
}

template <int function> __global__ void values_of(uint64_t first, double *values) {
  const uint64_t j = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (j < BLOCK_VALUES) values[j] = math_value(function, math_arguments_of(function, first + j));
}

template <int function> static void sum_on_host(std::vector<unsigned long long> *sums) {
  const unsigned n = (unsigned)sums->size(), threads = std::max(1u, std::thread::hardware_concurrency());
  std::vector<std::thread> pool;
  for (unsigned t = 0; t < threads; t++)
    pool.emplace_back([=] {
      for (unsigned b = t; b < n; b += threads) {
        unsigned long long sum = 0;
        for (uint64_t i = (uint64_t)b * BLOCK_VALUES; i < (uint64_t)(b + 1) * BLOCK_VALUES; i++)
          sum += math_mixed(math_value(function, math_arguments_of(function, i)), i);
        (*sums)[b] = sum;
      }
    });
  for (auto &one : pool) one.join();
}

template <int function> static void say_where(unsigned block) {
  double *there;
  std::vector<double> values(BLOCK_VALUES);
  check(cudaMalloc(&there, BLOCK_VALUES * sizeof(double)), "cudaMalloc");
  values_of<function><<<BLOCK_VALUES / 256, 256>>>((uint64_t)block * BLOCK_VALUES, there);
  check(cudaMemcpy(values.data(), there, BLOCK_VALUES * sizeof(double), cudaMemcpyDeviceToHost), "values_of");
  cudaFree(there);
  unsigned differ = 0;
  for (unsigned j = 0; j < BLOCK_VALUES; j++) {
    const math_arguments at = math_arguments_of(function, (uint64_t)block * BLOCK_VALUES + j);
    const double here = math_value(function, at);
    if (ff_math_bits(here) == ff_math_bits(values[j])) continue;
    if (differ++ == 0) printf("  %s(%a, %a) is %a here and %a on the GPU\n", math_name(function), at.x, at.y, here, values[j]);
  }
  printf("  %u of the %u values of block %u differ\n", differ, BLOCK_VALUES, block);
}

/* ---- NVRTC -------------------------------------------------------------------------------------------------------------- */

/* The kernel sum_blocks as text. The options are those of src/cuda/runtime/ff_jit.c. */
static const char *const text =
    "#include \"tests/c/math_cases.h\"\n"
    "extern \"C\" __global__ void sums_of(int function, unsigned long long *sums) {\n"
    "  unsigned long long own = 0;\n"
    "  for (unsigned j = threadIdx.x; j < 65536u; j += blockDim.x) {\n"
    "    const uint64_t i = (uint64_t)blockIdx.x * 65536u + j;\n"
    "    own += math_mixed(math_value(function, math_arguments_of(function, i)), i);\n"
    "  }\n"
    "  atomicAdd(sums + blockIdx.x, own);\n"
    "}\n";
static const char *const header_name[] = {"stddef.h", "stdint.h"};
static const char *const header_text[] = {
    "typedef unsigned long size_t;\n",
    "typedef unsigned char uint8_t;\ntypedef unsigned int uint32_t;\ntypedef int int32_t;\n"
    "typedef unsigned long uint64_t;\ntypedef long int64_t;\n#define UINT32_C(x) x##u\n#define UINT64_C(x) x##ul\n"};

/* Functions of the driver. They are found through the runtime, so no further library must be linked. */
template <typename type> static type driver(const char *name) {
  void *found = nullptr;
#if CUDART_VERSION >= 13000
  check(cudaGetDriverEntryPointByVersion(name, &found, 12000, cudaEnableDefault), name);
#else
  check(cudaGetDriverEntryPoint(name, &found, cudaEnableDefault), name);
#endif
  return (type)found;
}

static std::vector<char> compile_text(const cudaDeviceProp &device, const char *output) {
  nvrtcProgram program;
  const std::string arch = "--gpu-architecture=sm_" + std::to_string(device.major) + std::to_string(device.minor);
  const char *const options[] = {arch.c_str(), "--std=c++17", "-fmad=false", "-default-device", "--include-path=."};
  std::vector<char> code;
  size_t n = 0;
  if (nvrtcCreateProgram(&program, text, "math.cu", 2, header_text, header_name) != NVRTC_SUCCESS) return code;
  if (nvrtcCompileProgram(program, 5, options) == NVRTC_SUCCESS && nvrtcGetCUBINSize(program, &n) == NVRTC_SUCCESS) {
    code.resize(n);
    nvrtcGetCUBIN(program, code.data());
    FILE *file = output != nullptr ? fopen(output, "wb") : nullptr;
    if (file != nullptr) {
      fwrite(code.data(), 1, n, file);
      fclose(file);
    }
  } else {
    nvrtcGetProgramLogSize(program, &n);
    std::string log(n, '\0');
    nvrtcGetProgramLog(program, &log[0]);
    printf("%s\n", log.c_str());
  }
  nvrtcDestroyProgram(&program);
  return code;
}

typedef struct {
  CUfunction kernel; /* or NULL */
  decltype(&cuLaunchKernel) launch;
} compiled;

static compiled load_text(const cudaDeviceProp &device) {
  compiled out = {nullptr, nullptr};
  const std::vector<char> code = compile_text(device, nullptr);
  CUmodule module;
  if (code.empty()) return out;
  check(cudaFree(nullptr), "a context"); /* the driver's own functions need one */
  CUresult result = driver<decltype(&cuModuleLoadData)>("cuModuleLoadData")(&module, code.data());
  if (result == CUDA_SUCCESS)
    result = driver<decltype(&cuModuleGetFunction)>("cuModuleGetFunction")(&out.kernel, module, "sums_of");
  if (result != CUDA_SUCCESS) {
    printf("the driver does not load NVRTC's code (CUresult %d)\n", (int)result);
    out.kernel = nullptr;
  }
  out.launch = driver<decltype(&cuLaunchKernel)>("cuLaunchKernel");
  return out;
}

/* Whether code from NVRTC gives the same checksums. */
static bool same_by_text(const compiled &code, int function, const std::vector<unsigned long long> &want) {
  const size_t bytes = want.size() * sizeof want[0];
  std::vector<unsigned long long> got(want.size());
  unsigned long long *sums;
  if (code.kernel == nullptr) return false;
  check(cudaMalloc(&sums, bytes), "cudaMalloc");
  check(cudaMemset(sums, 0, bytes), "cudaMemset");
  void *arguments[] = {&function, &sums};
  if (code.launch(code.kernel, (unsigned)want.size(), 1, 1, 256, 1, 1, 0, nullptr, arguments, nullptr) != CUDA_SUCCESS) {
    fprintf(stderr, "NVRTC's kernel does not start\n");
    exit(2);
  }
  check(cudaMemcpy(got.data(), sums, bytes, cudaMemcpyDeviceToHost), "NVRTC's kernel");
  cudaFree(sums);
  return got == want;
}

/* ---- speed -------------------------------------------------------------------------------------------------------------- */

/* Arguments from the usual range that take almost no time to compute. */
template <int function, bool ours> __device__ static double timed(double x) {
  const math_arguments at = {x, 2.7};
  if (ours) return math_value(function, at);
  switch (function) {
  case MATH_log: return log(x);
  case MATH_log1p: return log1p(x);
  case MATH_exp: return exp(x);
  case MATH_expm1: return expm1(x);
  case MATH_pow: return pow(x, 2.7);
  case MATH_sinh: return sinh(x);
  case MATH_cosh: return cosh(x);
  case MATH_tanh: return tanh(x);
  case MATH_sin: return sin(x);
  case MATH_cos: return cos(x);
  case MATH_tan: return tan(x);
  case MATH_asin: return asin(x);
  case MATH_acos: return acos(x);
  default: return atan(x);
  }
}

#define TIMED_EACH 1024u /* per thread */

template <int function, bool ours> __global__ void time_values(double low, double high, double *out) {
  uint32_t state = blockIdx.x * blockDim.x + threadIdx.x;
  double sum = 0.0;
  for (unsigned i = 0; i < TIMED_EACH; i++) {
    state = state * 1664525u + 1013904223u;
    sum += timed<function, ours>(low + (high - low) * ((state >> 1) + 0.5) * 0x1p-31);
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

template <int function, bool ours> static double rate(double low, double high) {
  const unsigned blocks = 132 * 16, threads = 256;
  double *out;
  cudaEvent_t from, to;
  check(cudaMalloc(&out, (size_t)blocks * threads * sizeof(double)), "cudaMalloc");
  check(cudaEventCreate(&from), "cudaEventCreate");
  check(cudaEventCreate(&to), "cudaEventCreate");
  float best = 1e9f;
  for (int run = 0; run < 5; run++) {
    float milliseconds;
    cudaEventRecord(from);
    time_values<function, ours><<<blocks, threads>>>(low, high, out);
    cudaEventRecord(to);
    check(cudaEventSynchronize(to), "time_values");
    cudaEventElapsedTime(&milliseconds, from, to);
    if (milliseconds < best) best = milliseconds;
  }
  cudaEventDestroy(from);
  cudaEventDestroy(to);
  cudaFree(out);
  return (double)blocks * threads * TIMED_EACH / best * 1e3;
}

/* ------------------------------------------------------------------------------------------------------------------------- */

template <int function> static int compare(const compiled &code, double values, double low, double high) {
  const unsigned n = (unsigned)((values + BLOCK_VALUES - 1) / BLOCK_VALUES);
  std::vector<unsigned long long> here(n), there(n);
  unsigned long long *sums;
  check(cudaMalloc(&sums, n * sizeof *sums), "cudaMalloc");
  sum_blocks<function><<<n, 256>>>(sums);
  check(cudaGetLastError(), "sum_blocks");
  sum_on_host<function>(&here);
  check(cudaMemcpy(there.data(), sums, n * sizeof *sums, cudaMemcpyDeviceToHost), "sum_blocks");
  cudaFree(sums);
  unsigned differ = 0, first = 0;
  for (unsigned b = 0; b < n; b++)
    if (here[b] != there[b] && differ++ == 0) first = b;
  const bool same = same_by_text(code, function, here);
  const double ours = rate<function, true>(low, high), theirs = rate<function, false>(low, high);
  printf("%-6s %.4g values: nvcc %s, NVRTC %s; %.3g values/s, CUDA's %.3g, %.2f times as fast\n", math_name(function),
         (double)n * BLOCK_VALUES, differ == 0 ? "the same bits" : "DIFFERENT", same ? "the same bits" : "DIFFERENT", ours,
         theirs, ours / theirs);
  if (differ > 0) {
    printf("  %u of %u blocks differ\n", differ, n);
    say_where<function>(first);
  }
  fflush(stdout);
  return differ == 0 && same;
}

/* ---- division ----------------------------------------------------------------------------------------------------------- */

/* A number from 1 to 2 whose bits are random, or in one case of four close to a run of zeros or ones. */
__device__ static double mantissa_of(uint64_t random, uint64_t kind) {
  uint64_t bits = random >> 12;
  if (kind % 4 == 1) bits &= 0xFFFull << (kind / 4 % 52);
  if (kind % 4 == 2) bits |= ~0ull << (kind / 4 % 52);
  return __longlong_as_double((long long)(0x3FF0000000000000ull | (bits & 0xFFFFFFFFFFFFFull)));
}

/* Counts the quotients that differ. Each thread tests `n` of them, and that no division by 0 gives a number below infinity. */
__global__ static void count_quotients(unsigned long long *wrong, uint64_t n) {
  uint64_t state = ((uint64_t)blockIdx.x * blockDim.x + threadIdx.x + 1) * 0x9E3779B97F4A7C15ull, found = 0;
  for (uint64_t i = 0; i < n; i++) {
    uint64_t v[3];
    for (int k = 0; k < 3; k++) {
      state ^= state << 13;
      state ^= state >> 7;
      state ^= state << 17;
      v[k] = state * 0x2545F4914F6CDD1Dull;
    }
    const double a = scalbn(mantissa_of(v[0], v[2] & 0xFFFF), (int)(v[2] >> 16 & 0xFFFF) % 72 - 66);
    const double b = scalbn(mantissa_of(v[1], v[2] >> 32 & 0xFFFF), (int)(v[2] >> 48) % 1494 - 664);
    found += ff_divide(a, b) != __ddiv_rn(a, b);
    found += ff_divide(a, copysign(0.0, v[0] & 1u ? -1.0 : 1.0)) < INFINITY;
  }
  if (found > 0) atomicAdd(wrong, (unsigned long long)found);
}

static int compare_quotients(double values) {
  unsigned long long *wrong, host = 1;
  const uint64_t each = (uint64_t)(values * 20 / (1024 * 256)) + 1;
  check(cudaMalloc(&wrong, sizeof *wrong), "cudaMalloc");
  check(cudaMemset(wrong, 0, sizeof *wrong), "cudaMemset");
  count_quotients<<<1024, 256>>>(wrong, each);
  check(cudaMemcpy(&host, wrong, sizeof host, cudaMemcpyDeviceToHost), "quotients");
  cudaFree(wrong);
  printf("division: %llu of %.3g quotients differ\n", host, (double)each * 1024 * 256);
  return host == 0;
}

int main(int argc, char **argv) {
  const double values = argc > 1 ? atof(argv[1]) : 1e8;
  int devices = 0, passed = 0, all = 0;
  if (argc == 3 && strcmp(argv[1], "cubin") == 0) { /* NVRTC only, for compute capability 9.0; needs no GPU */
    cudaDeviceProp device = {};
    device.major = 9;
    return compile_text(device, argv[2]).empty();
  }
  check(cudaGetDeviceCount(&devices), "no GPU");
  if (!(values >= 1 && values <= 1e12)) {
    fprintf(stderr, "usage: %s [VALUES]\n", argv[0]);
    return 2;
  }
  cudaDeviceProp device;
  check(cudaGetDeviceProperties(&device, 0), "cudaGetDeviceProperties");
  const compiled code = load_text(device);
  printf("%s; speeds are of the range that is used most\n", device.name);
#define MATH_X(name, a, b, c, d, e, f, g) \
  passed += compare<MATH_##name>(code, values, a, b); \
  all++;
  MATH_LIST(MATH_X)
#undef MATH_X
  passed += compare_quotients(values);
  all++;
  printf("%d passed, %d failed\n", passed, all - passed);
  return passed != all;
}
