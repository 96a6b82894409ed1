# What a user types:      make demo
# What a developer types: make check, make docs, make bench, make fuzz, make valgrind, make campaign, make clean
# The package itself is built by R (configure, src/Makevars.in); this file is not part of it.
# Each target installs the Debian packages that it needs and does not find (tools/need).

R = R
RSCRIPT = Rscript
BUILD = build
JOBS := $(shell nproc 2>/dev/null || echo 1)

FLOORS = base model io graph exact pbn estimate
CORE := $(sort $(foreach floor,$(FLOORS),$(wildcard src/$(floor)/*.c)))
TESTS := $(patsubst tests/c/%.c,%,$(sort $(wildcard tests/c/test_*.c)))
FUZZERS := $(patsubst tests/fuzz/%.c,%,$(sort $(wildcard tests/fuzz/fuzz_*.c)))

WARN = -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Werror
LIB_CFLAGS = $(shell pkg-config --cflags igraph libsbml | sed 's/-I/-isystem /g')
LIB_LIBS = $(shell pkg-config --libs igraph libsbml)
COMMON = -std=c11 -g -pthread -ffp-contract=off -MMD -MP $(WARN) $(LIB_CFLAGS)
SANITIZE = -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer

.PHONY: demo check c-tests fuzz bench docs valgrind campaign clean install

demo:
	@tools/need demo
	@tools/install-package
	@$(RSCRIPT) inst/scripts/demo.R

install:
	@tools/need demo
	@tools/install-package

check:
	@tools/need check
	@tools/check

# ---- the core without R, in three builds: asan (the tests of make check), plain (valgrind), fuzz -----------------------

define flavour
$(BUILD)/$(1)/%.o: %.c
	@mkdir -p $$(@D)
	$(2) $$(COMMON) $(3) -c $$< -o $$@
endef
# GCC warns of texts cut by snprintf where the sanitizers keep it from seeing their length: that alone is no error here
$(eval $(call flavour,asan,$(CC),-O1 $(SANITIZE) -Wno-error=format-truncation))
$(eval $(call flavour,plain,$(CC),-O2))
$(eval $(call flavour,fuzz,clang,-O1 -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all))
$(BUILD)/fuzz/%.o: WARN = -w

# an archive, so that a test links with no more of the core than it uses
$(BUILD)/%/libcore.a:
	@rm -f $@
	ar rcs $@ $^
$(BUILD)/asan/libcore.a: $(CORE:%.c=$(BUILD)/asan/%.o)
$(BUILD)/plain/libcore.a: $(CORE:%.c=$(BUILD)/plain/%.o)
$(BUILD)/fuzz/libcore.a: $(CORE:%.c=$(BUILD)/fuzz/%.o)

$(BUILD)/asan/test_%: $(BUILD)/asan/tests/c/test_%.o $(BUILD)/asan/libcore.a
	$(CC) $(SANITIZE) -pthread $^ $(LIB_LIBS) -lm -o $@
$(BUILD)/plain/test_%: $(BUILD)/plain/tests/c/test_%.o $(BUILD)/plain/libcore.a
	$(CC) -pthread $^ $(LIB_LIBS) -lm -o $@
$(BUILD)/fuzz/fuzz_%: $(BUILD)/fuzz/tests/fuzz/fuzz_%.o $(BUILD)/fuzz/libcore.a
	clang++ -fsanitize=fuzzer,address,undefined -pthread $^ $(LIB_LIBS) -lm -o $@

c-tests: $(TESTS:%=$(BUILD)/asan/%)
plain-tests: $(TESTS:%=$(BUILD)/plain/%)
fuzzers: $(FUZZERS:%=$(BUILD)/fuzz/%)
.PHONY: plain-tests fuzzers
.SECONDARY:
-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)

# ---- the rest -------------------------------------------------------------------------------------------------------

# RUNS inputs for each fuzzer; the found cases belong into tests/c/corpus/<reader>, which make check replays.
RUNS = 1000000
fuzz:
	@tools/need fuzz
	@$(MAKE) -s -j$(JOBS) fuzzers
	@RUNS=$(RUNS) tools/fuzz $(FUZZERS)

valgrind:
	@tools/need valgrind
	@$(MAKE) -s -j$(JOBS) plain-tests
	@tools/valgrind $(TESTS)

# The statistics that take longer than make check may; CAMPAIGN=name runs one.
campaign:
	@tools/need check
	@tools/install-package $(BUILD)/lib
	@set -e; for script in tests/campaign/$(or $(CAMPAIGN),*).R; do \
	  echo "== $$script"; R_LIBS=$(BUILD)/lib $(RSCRIPT) $$script; done

bench:
	@tools/need check
	@tools/install-package $(BUILD)/lib
	@R_LIBS=$(BUILD)/lib $(RSCRIPT) bench/pbn.R

docs:
	@tools/need docs
	@tools/list-objects
	@$(RSCRIPT) tools/roxygenise.R

clean:
	rm -rf $(BUILD) fireflip.Rcheck fireflip_*.tar.gz
	./cleanup
