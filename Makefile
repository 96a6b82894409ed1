# The targets.
#   For users:      make demo, make install
#   For developers: make check, make docs, make bench, make bench-ssa, make bench-math, make bench-ode, make bench-ssp, make fuzz,
#                   make valgrind, make campaign, make campaign-math, make campaign-dram,
#                   make campaign-ssp, make clean
#   With CUDA:      make cuda, make cuda-check, make cuda-math, make cuda-collect; on a machine with a GPU make gpu-check,
#                   make gpu-bench, make bench-ssa-gpu
# R builds the package itself (configure, src/Makevars.in); this file is not part of the package. Each target installs the Debian
# packages that it needs and does not find (tools/need).

R = R
RSCRIPT = Rscript
BUILD = build
JOBS := $(shell nproc 2>/dev/null || echo 1)

FLOORS := $(filter-out rglue rglue/% cuda/nvrtc,$(shell tools/check-layers folders))
CORE := $(sort $(foreach floor,$(FLOORS),$(wildcard src/$(floor)/*.c)))
TESTS := $(patsubst tests/c/%.c,%,$(sort $(filter-out tests/c/test_memory.c,$(wildcard tests/c/test_*.c))))
FUZZERS := $(patsubst tests/fuzz/%.c,%,$(sort $(wildcard tests/fuzz/fuzz_*.c)))

WARN = -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Werror
LIB_CFLAGS = $(shell pkg-config --cflags igraph libsbml 2>/dev/null | sed 's/-I/-isystem /g')
LIB_LIBS = $(shell pkg-config --libs igraph libsbml 2>/dev/null) $(SUNDIALS_LIBS)
# As configure finds it, but without asking for it again.
SUNDIALS := $(wildcard /usr/include/cvode/cvode.h /usr/local/include/cvode/cvode.h)
SUNDIALS_LIBS = $(if $(SUNDIALS),-lsundials_cvode -lsundials_nvecserial -lsundials_sunmatrixdense -lsundials_sunlinsoldense \
  -lsundials_sunlinsolspgmr -lsundials_sunnonlinsolfixedpoint -lsundials_generic)
COMMON = -std=c11 -g -pthread -ffp-contract=off -MMD -MP $(WARN) $(LIB_CFLAGS)
SANITIZE = -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer

.PHONY: demo check c-tests fuzz bench bench-ssa bench-math bench-ode bench-ssp docs valgrind campaign campaign-math campaign-dram \
  campaign-ssp cuda cuda-check cuda-math cuda-collect gpu-check gpu-bench bench-ssa-gpu clean install

demo:
	@tools/need demo
	@tools/install-package
	@$(RSCRIPT) inst/scripts/demo.R
	@tools/install-vignettes

install:
	@tools/need demo
	@tools/install-package
	@tools/install-vignettes

check:
	@tools/need check
	@tools/check

# ---- the core without R, compiled in three ways: asan (make check), plain (valgrind), fuzz ---------------------------------

define flavour
$(BUILD)/$(1)/%.o: %.c
	@mkdir -p $$(@D)
	$(2) $$(COMMON) $(3) -c $$< -o $$@
endef
# With the sanitizers, GCC does not see the lengths of texts and warns that snprintf may cut them. Only this warning is no error.
$(eval $(call flavour,asan,$(CC),$$(LEVEL) $(SANITIZE) -Wno-error=format-truncation $$(FAILING)))
$(eval $(call flavour,plain,$(CC),-O2))
$(eval $(call flavour,fuzz,clang,-O1 -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all))
$(BUILD)/fuzz/%.o: WARN = -w
# GCC takes two or three times as long for -O1 and -g, and only the core wins this back when the tests run. With -O1, it takes
# 25 s for each ff_ssa_vector16_*.c.
LEVEL = -Og -g1
$(BUILD)/asan/src/%.o: LEVEL = -O1 -g1
$(BUILD)/asan/src/ssa/lanes/ff_ssa_vector16_%.o: LEVEL = -Og -g1

# Allocations of the core fail when test_memory asks for this (tests/c/failing_memory.h). All tests use this core, since compiling
# another one takes minutes. Each file begins with that header, so macros that a file defines for the C library's headers must
# be defined before.
$(BUILD)/asan/src/%.o: FAILING = -DFAILING_MEMORY -D_GNU_SOURCE= -include tests/c/failing_memory.h
$(BUILD)/asan/src/base/ff_memory.o: FAILING =
FAILING_MEMORY = $(BUILD)/asan/tests/c/failing_memory.o

from_makevars = $(shell sed -n 's/^$(1) = //p' src/Makevars.in)
objects_of_compiler = $(addprefix $(1)/,$(call from_makevars,CUDA_COMPILER))
# The texts that src/cuda/runtime/ff_texts.c contains.
CUDA_TEXTS := $(call from_makevars,CUDA_TEXTS)
$(BUILD)/texts/ff_texts.inc: src/cuda/runtime/embed.awk src/Makevars.in $(CUDA_TEXTS:%=src/%)
	@mkdir -p $(@D)
	cd src && LC_ALL=C awk -f cuda/runtime/embed.awk $(CUDA_TEXTS) >$(abspath $@).tmp
	mv $@.tmp $@
$(BUILD)/%/src/cuda/runtime/ff_texts.o: COMMON += -I$(BUILD)/texts
$(BUILD)/%/src/ode/ff_cvode.o: COMMON += $(if $(SUNDIALS),-DFF_SUNDIALS)
$(foreach flavour,asan plain fuzz,$(BUILD)/$(flavour)/src/cuda/runtime/ff_texts.o): $(BUILD)/texts/ff_texts.inc

# The hash of the headers that the core shares with backends.
SHARED_HEADERS := $(patsubst %,src/%,$(shell sed -n '/^SHARED_HEADERS/,/^$$/p' src/Makevars.in | tr -d '\\' | sed 1d))
$(BUILD)/texts/ff_build.inc: $(SHARED_HEADERS)
	@mkdir -p $(@D)
	cat $^ | cksum | awk '{ print "#define FF_BUILD \"" $$1 "-" $$2 "\"" }' >$@.tmp
	mv $@.tmp $@
$(BUILD)/%/src/backend/ff_build.o: COMMON += -I$(BUILD)/texts
$(foreach flavour,asan plain fuzz,$(BUILD)/$(flavour)/src/backend/ff_build.o): $(BUILD)/texts/ff_build.inc

# An archive, so that a test links only the parts of the core that it uses.
$(BUILD)/%/libcore.a:
	@rm -f $@
	ar rcs $@ $^
$(BUILD)/asan/libcore.a: $(CORE:%.c=$(BUILD)/asan/%.o) $(FAILING_MEMORY)
$(BUILD)/plain/libcore.a: $(CORE:%.c=$(BUILD)/plain/%.o)
$(BUILD)/fuzz/libcore.a: $(CORE:%.c=$(BUILD)/fuzz/%.o)

# Links the whole core, so that no place that allocates is left out. The other files are those that the test opens or starts.
FAKE_NVRTC = $(BUILD)/fake/libnvrtc.so.12 $(BUILD)/fake/libnvrtc.so.13 $(BUILD)/fake/libnvrtc.so.14
$(BUILD)/memory/test_memory: $(BUILD)/asan/tests/c/test_memory.o $(BUILD)/asan/tests/c/failing_igraph.o $(FAILING_MEMORY) \
  $(CORE:%.c=$(BUILD)/asan/%.o) $(BUILD)/memory/fake_right.so $(BUILD)/memory/fireflip_nvrtc $(FAKE_NVRTC)
	$(CC) $(SANITIZE) -pthread $(filter %.o,$^) $(LIB_LIBS) -lm -ldl -o $@

$(BUILD)/asan/test_%: $(BUILD)/asan/tests/c/test_%.o $(BUILD)/asan/libcore.a
	$(CC) $(SANITIZE) -pthread $^ $(LIB_LIBS) -lm -ldl -o $@
$(BUILD)/plain/test_%: $(BUILD)/plain/tests/c/test_%.o $(BUILD)/plain/libcore.a
	$(CC) -pthread $^ $(LIB_LIBS) -lm -ldl -o $@
# Finds data races in the code of a test itself, and of headers that it includes.
$(BUILD)/tsan/test_%: tests/c/test_%.c $(BUILD)/plain/libcore.a
	@mkdir -p $(@D)
	$(CC) $(COMMON) -O1 -fsanitize=thread $(filter %.c %.a,$^) $(LIB_LIBS) -lm -ldl -o $@
$(BUILD)/fuzz/fuzz_%: $(BUILD)/fuzz/tests/fuzz/fuzz_%.o $(BUILD)/fuzz/libcore.a
	clang++ -fsanitize=fuzzer,address,undefined -pthread $^ $(LIB_LIBS) -lm -ldl -o $@

# The shared objects that test_backend opens: one valid backend and several invalid ones, beside the program.
FAKES = right abi small build null nodriver noentry
define fakes
$(BUILD)/$(1)/fake_%.so: tests/c/fake_backend.c src/backend/ff_backend.h $(BUILD)/texts/ff_build.inc
	@mkdir -p $$(@D)
	$(CC) -std=c11 $(WARN) -fPIC -shared -I$(BUILD)/texts -DFAKE_$$* $$< -o $$@
endef
$(foreach flavour,asan plain memory,$(eval $(call fakes,$(flavour))))
$(BUILD)/asan/test_backend: | $(FAKES:%=$(BUILD)/asan/fake_%.so)
$(BUILD)/plain/test_backend: | $(FAKES:%=$(BUILD)/plain/fake_%.so)

# The run-time compiler, beside the test that starts it, and a fake library that takes the place of NVRTC.
$(BUILD)/asan/fireflip_nvrtc $(BUILD)/plain/fireflip_nvrtc: $(BUILD)/%/fireflip_nvrtc: $(call objects_of_compiler,$(BUILD)/%/src)
	$(CC) $(if $(filter asan,$*),$(SANITIZE)) -pthread $^ -ldl -o $@
$(BUILD)/memory/fireflip_nvrtc: $(BUILD)/plain/fireflip_nvrtc
	@mkdir -p $(@D)
	cp $< $@
$(BUILD)/fake/libcuda.so.1: tests/cuda/fake_libraries.c
	@mkdir -p $(@D)
	$(CC) -std=c11 -O1 $(WARN) -fPIC -shared $< -o $@
$(FAKE_NVRTC): $(BUILD)/fake/libcuda.so.1
	cp $< $@
$(BUILD)/asan/test_petri_nvrtc: | $(BUILD)/asan/fireflip_nvrtc
$(BUILD)/plain/test_petri_nvrtc: | $(BUILD)/plain/fireflip_nvrtc
$(BUILD)/asan/test_jit: | $(BUILD)/asan/fireflip_nvrtc $(FAKE_NVRTC)
$(BUILD)/plain/test_jit: | $(BUILD)/plain/fireflip_nvrtc $(FAKE_NVRTC)

c-tests: $(TESTS:%=$(BUILD)/asan/%) $(FAKES:%=$(BUILD)/asan/fake_%.so) $(BUILD)/memory/test_memory
plain-tests: $(TESTS:%=$(BUILD)/plain/%) $(FAKES:%=$(BUILD)/plain/fake_%.so)
fuzzers: $(FUZZERS:%=$(BUILD)/fuzz/%)
.PHONY: plain-tests fuzzers
.SECONDARY:
-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)

# ---- the CUDA backend without R: build/cuda/fireflip_cuda.so, for one compute capability (ARCH=90 is 9.0) ----------------

ARCH = 90
NVCC := $(or $(shell command -v nvcc 2>/dev/null),$(wildcard /usr/local/cuda/bin/nvcc),nvcc)
CUDA_BUILD = $(BUILD)/cuda
CUDA_GENCODE = -gencode arch=compute_$(ARCH),code=[sm_$(ARCH),compute_$(ARCH)]
CUDA_SOURCES := $(sort $(shell find src/base src/backend src/cuda -name '*.c' -o -name '*.cu'))
CUDA_OBJECTS := $(patsubst src/%,$(CUDA_BUILD)/%.o,$(filter-out src/cuda/nvrtc/%,$(CUDA_SOURCES)))

cuda:
	@command -v $(NVCC) >/dev/null || { echo "make cuda: nvcc is missing: install CUDA 12.1 or later, or say NVCC=..." >&2; exit 1; }
	@$(MAKE) -s -j$(JOBS) $(CUDA_BUILD)/fireflip_cuda.so $(CUDA_BUILD)/fireflip_nvrtc

$(CUDA_BUILD)/%.cu.o: src/%.cu
	@mkdir -p $(@D)
	$(NVCC) $(call from_makevars,CUDA_FLAGS) $(CUDA_GENCODE) -MMD -MP -Werror all-warnings -diag-suppress 128 \
	  -Xcompiler -Wall,-Wno-format-truncation -c $< -o $@
$(CUDA_BUILD)/%.c.o: src/%.c
	@mkdir -p $(@D)
	$(CC) $(COMMON) -O2 -fPIC -fvisibility=hidden -I$(BUILD)/texts -c $< -o $@
$(CUDA_BUILD)/cuda/runtime/ff_texts.c.o: $(BUILD)/texts/ff_texts.inc
$(CUDA_BUILD)/backend/ff_build.c.o: $(BUILD)/texts/ff_build.inc
$(CUDA_BUILD)/fireflip_nvrtc: $(patsubst %.o,%.c.o,$(call objects_of_compiler,$(CUDA_BUILD)))
	$(CC) -pthread -o $@ $^ -ldl
$(CUDA_BUILD)/fireflip_cuda.so: $(CUDA_OBJECTS) src/cuda/exports.map
	$(NVCC) $(call from_makevars,CUDA_LINK),--version-script=src/cuda/exports.map -o $@ $(CUDA_OBJECTS)

# gpu_check uses only the engine, so a machine without igraph, libsbml and SUNDIALS can build it.
# petri_check asks whether there is code for a net.
ENGINE := $(filter-out src/io/% src/exact/% src/cuda/% src/graph/% src/pbn/reduce/ff_components.c,$(CORE)) \
  $(filter src/cuda/petri/code/% src/cuda/formula/%,$(CORE))
cuda-check:
	@$(MAKE) -s -j$(JOBS) LIB_CFLAGS= $(CUDA_BUILD)/gpu_check $(CUDA_BUILD)/ssa_check $(CUDA_BUILD)/petri_check
$(BUILD)/plain/without_cvode.o: src/ode/ff_cvode.c
	@mkdir -p $(@D)
	$(CC) -O2 $(COMMON) -c $< -o $@
$(BUILD)/plain/libengine.a: $(filter-out %/ff_cvode.o,$(ENGINE:%.c=$(BUILD)/plain/%.o)) $(BUILD)/plain/without_cvode.o
	@rm -f $@
	ar rcs $@ $^
$(CUDA_BUILD)/gpu_check $(CUDA_BUILD)/ssa_check $(CUDA_BUILD)/petri_check: $(CUDA_BUILD)/%: $(BUILD)/plain/tests/cuda/%.o $(BUILD)/plain/libengine.a
	@mkdir -p $(@D)
	$(CC) -pthread $^ -lm -ldl -o $@

# Compares ff_math.h on the GPU with the processor, bit for bit. Runs on a machine with a GPU.
MATH_HEADERS := $(wildcard src/base/ff_math*.h) src/cuda/runtime/ff_divide.h tests/c/math_cases.h src/base/ff_philox.h \
  src/base/ff_base.h
cuda-math: $(CUDA_BUILD)/math
$(CUDA_BUILD)/math: tests/cuda/math.cu $(MATH_HEADERS)
	@mkdir -p $(@D)
	$(NVCC) -std=c++17 -O3 -fmad=false $(CUDA_GENCODE) -Werror all-warnings -Xcompiler -Wall,-ffp-contract=off,-pthread $< \
	  -lnvrtc -o $@

# Compares the statistics of ensembles on the GPU with the processor, bit for bit. Runs on a machine with a GPU.
COLLECT := cuda/device/ff_collect.cu.o cuda/device/ff_collect_reals.cu.o cuda/device/ff_collect_values.cu.o \
  cuda/runtime/ff_cuda_device.cu.o
cuda-collect:
	@$(MAKE) -s -j$(JOBS) LIB_CFLAGS= $(CUDA_BUILD)/collect
$(CUDA_BUILD)/collect: tests/cuda/collect.cu $(COLLECT:%=$(CUDA_BUILD)/%) $(BUILD)/plain/libengine.a \
  $(wildcard tests/c/*wave.h src/cuda/device/*.h src/base/ff_*sum*.h src/ensemble/ff_*.h) tests/c/same_sums.h tests/c/random.h
	$(NVCC) -std=c++17 -O3 $(CUDA_GENCODE) -Werror all-warnings -Xcompiler -Wall -o $@ \
	  $(filter %.cu %.o %.a,$^) -lm -ldl

# Compares cuRAND's Philox with ours, on the processor.
$(CUDA_BUILD)/curand: tests/cuda/curand.cu src/base/ff_philox.h src/base/ff_base.h
	@mkdir -p $(@D)
	$(NVCC) -std=c++17 -o $@ $<

# Tests run-time compilation with a fake driver and a fake compiler.
$(CUDA_BUILD)/jit: tests/cuda/jit.cu $(filter $(CUDA_BUILD)/cuda/runtime/% $(CUDA_BUILD)/base/%,$(CUDA_OBJECTS)) \
  | $(CUDA_BUILD)/fireflip_nvrtc $(FAKE_NVRTC)
	$(NVCC) -std=c++17 -o $@ $(filter %.cu %.o,$^) -ldl

gpu-check:
	@tools/gpu-check

gpu-bench bench-ssa-gpu:
	@library=$$(tools/gpu-library) && R_LIBS="$$library" $(RSCRIPT) bench/$(if $(filter gpu-bench,$@),gpu,ssa_gpu).R

# ---- other targets --------------------------------------------------------------------------------------------------

# RUNS inputs for each fuzzer. Put inputs that fail into tests/c/corpus/<reader>; make check replays them.
RUNS = 1000000
fuzz:
	@tools/need fuzz
	@$(MAKE) -s -j$(JOBS) fuzzers
	@RUNS=$(RUNS) tools/fuzz $(FUZZERS)

valgrind:
	@tools/need valgrind
	@$(MAKE) -s -j$(JOBS) plain-tests
	@tools/valgrind $(TESTS)

# Statistical tests that take longer than make check may take. CAMPAIGN=name runs one of them.
campaign:
	@tools/need check
	@tools/install-package $(BUILD)/lib
	@set -e; for script in tests/campaign/$(or $(CAMPAIGN),*).R; do \
	  echo "== $$script"; R_LIBS=$(BUILD)/lib $(RSCRIPT) $$script; done

# Compares ff_math.h with long double (VALUES arguments for each function, some minutes), and its speed with the C library's.
VALUES = 1e8
campaign-math: $(BUILD)/plain/campaign_math
	$< $(VALUES) $(JOBS)
# Judges COMMANDS commands of channels of memory, some minutes, and prints the speed of a channel.
COMMANDS = 1e8
campaign-dram: $(BUILD)/plain/campaign_dram
	$< $(COMMANDS)
# Reads MUTANTS files of the Stochastic Simulation Processor, and uses those that are accepted, under the sanitizers.
MUTANTS = 1e6
campaign-ssp: $(BUILD)/asan/campaign_ssp
	$< $(MUTANTS)
bench-ode: $(BUILD)/plain/bench_ode
	$<
$(BUILD)/plain/bench_ode: $(BUILD)/plain/bench/ode.o $(BUILD)/plain/libcore.a
	$(CC) -pthread $^ $(LIB_LIBS) -lm -ldl -o $@
bench-ssp: $(BUILD)/plain/bench_ssp
	$<
$(BUILD)/plain/bench_ssp: $(BUILD)/plain/bench/ssp/speed.o $(BUILD)/plain/libcore.a
	$(CC) -pthread $^ $(LIB_LIBS) -lm -ldl -o $@
bench-math: $(BUILD)/plain/bench_math
	$<
BASE_OBJECTS := $(addprefix $(BUILD)/plain/src/base/,ff_base.o ff_decimal.o ff_memory.o ff_threads.o)
$(BUILD)/plain/campaign_math: $(BUILD)/plain/tests/campaign/math.o $(BASE_OBJECTS)
	$(CC) -pthread $^ -lm -o $@
$(BUILD)/plain/campaign_dram: $(BUILD)/plain/tests/campaign/dram.o $(BUILD)/plain/libcore.a
	$(CC) -pthread $^ $(LIB_LIBS) -lm -ldl -o $@
$(BUILD)/asan/campaign_ssp: $(BUILD)/asan/tests/campaign/ssp.o $(BUILD)/asan/libcore.a
	$(CC) $(SANITIZE) -pthread $^ $(LIB_LIBS) -lm -ldl -o $@
$(BUILD)/plain/bench_math: $(BUILD)/plain/bench/math.o $(BASE_OBJECTS)
	$(CC) -pthread $^ -lm -o $@

bench bench-ssa:
	@tools/need check
	@tools/install-package $(BUILD)/lib
	@R_LIBS=$(BUILD)/lib $(RSCRIPT) bench/$(if $(filter bench,$@),pbn,ssa).R

docs:
	@tools/need docs
	@tools/list-objects
	@$(RSCRIPT) tools/roxygenise.R
	@$(RSCRIPT) tools/readme-figure.R

clean:
	rm -rf $(BUILD) fireflip.Rcheck fireflip_*.tar.gz
	./cleanup
