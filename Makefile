# make run   install what is missing, build, start a server and show it working
# make test  install what is missing, build, run the quick suites
# the others: see the comments at each
PRESET ?= release
JOBS ?= $(shell nproc)
FUZZ_SECONDS ?= 30
SOAK_MINUTES ?= 20

.PHONY: build cross optimized package package-test run test test-memory bench paper lint tidy format test-sanitizers prove soak fuzz site deps clean
.NOTPARALLEL:

build: deps build/$(PRESET)/build.ninja
	cmake --build build/$(PRESET) -j$(JOBS)

build/%/build.ninja: | deps
	cmake --preset $*

# make build PRESET=arm64, and package, package-test and test with it: for 64-bit Arm, on this machine. What is built runs under
# qemu-user, some twenty times slower. The libraries are unpacked into a folder; nothing of another architecture is installed.
build/arm64/build.ninja: | cross
	cmake --preset arm64

# Debian packages of docker/packages.txt.
deps:
	@docker/install-packages

cross: deps
	@docker/install-packages docker/packages_arm64.txt
	@docker/make-sysroot arm64 build/sysroot-arm64

run: deps build/$(PRESET)/build.ninja
	cmake --build build/$(PRESET) -j$(JOBS) --target indigo
	@scripts/demo build/$(PRESET)/indigo

# The server in build/optimized: a fifth to a third less processor time than the plain one. It is built with options of its own, run
# under a training load of half a minute, and laid out by what that has executed (scripts/layout/README.md).
optimized: deps
	@docker/install-packages docker/packages_optimized.txt
	cmake --preset optimized
	cmake --build build/optimized -j$(JOBS) --target indigo

# Tarball, Debian packages, Python wheel, npm package and Maven artifact, in build/PRESET/packages: of the optimized build where llvm-bolt is
# installed and no PRESET is given. The second installs and uses each with its real framework, which takes the registries of
# Python, Node, Java and Go: see tests/packages/check.
ifeq ($(origin PRESET)$(wildcard /usr/lib/llvm-16/bin/llvm-bolt),file/usr/lib/llvm-16/bin/llvm-bolt)
PACKAGED = optimized
else
PACKAGED = $(PRESET)
endif
package: deps build/$(PACKAGED)/build.ninja
	@scripts/package --preset $(PACKAGED) --jobs $(JOBS) $(KINDS)

package-test: package
	@tests/packages/check --preset $(PACKAGED) $(KINDS)

# FILTER=tests/sql, FILTER=tests/sql/joins, FILTER=unit_storage, FILTER=Certifier: see scripts/run_tests.
SERVER_ONLY = $(filter-out tests/history% tests/crash%,$(filter tests/%,$(FILTER)))
test: deps build/$(PRESET)/build.ninja
	cmake --build build/$(PRESET) -j$(JOBS) $(if $(SERVER_ONLY),--target indigo)
	@scripts/run_tests --preset $(PRESET) --jobs $(JOBS) --filter "$(FILTER)"

# The suites that send the most statements, under the address and undefined-behaviour sanitizers.
test-memory: deps
	@for suite in sql random hostile privileges; do \
	  $(MAKE) --no-print-directory test PRESET=asan FILTER=tests/$$suite || exit 1; \
	done

# The same suites under the address, undefined-behaviour and thread sanitizers.
test-sanitizers:
	$(MAKE) test PRESET=asan
	$(MAKE) test PRESET=tsan

# The long proofs: 200 random histories of 10,000 transactions; crashes on simulated disks, 1,000 seeds; a hundred kills of
# real servers; and that the first two see each rule that is switched off.
prove: build build/mutations/build.ninja
	cmake --build build/mutations -j$(JOBS) --target indigo-prove indigo-crash unit_storage
	tests/history/run build/$(PRESET)/indigo --long --mutations build/mutations
	tests/crash/run build/$(PRESET)/indigo --long --mutations build/mutations
	tests/durability/run build/$(PRESET)/indigo --kills 100

# Model tests with pause points, and stress tests of storage and of sessions, with new seeds for SOAK_MINUTES in each build: plain, under
# the thread sanitizer, and under the address and undefined-behaviour sanitizers.
soak: deps build/release/build.ninja build/tsan/build.ninja build/asan/build.ninja
	for preset in release tsan asan; do \
	  cmake --build build/$$preset -j$(JOBS) --target unit_storage stress_storage indigo || exit 1; \
	done
	@scripts/soak --minutes $(SOAK_MINUTES)

# Every fuzzer for FUZZ_SECONDS.
fuzz: deps build/fuzz/build.ninja
	cmake --build build/fuzz -j$(JOBS) --target fuzzers
	@FUZZ_SECONDS=$(FUZZ_SECONDS) scripts/run_fuzzers

# The documents as a site in build/site, every link checked: mkdocs-material, from Python's registry, which wants python3-venv.
site:
	@python3 -m venv build/site-tools
	@build/site-tools/bin/pip install --quiet --requirement docs/site/requirements.txt
	build/site-tools/bin/mkdocs build --quiet --strict --config-file docs/site/mkdocs.yml

# make bench ARGS='...': indigo-bench's own arguments.
bench: build
	build/$(PRESET)/indigo-bench $(ARGS)

# The figures of the Index-Organized paper, section 6, beside ours, and those of the papers on indexes and locks;
# bench/paper --help and bench/paper_indexes --help have the options.
paper: build
	@bench/paper build/$(PRESET)/indigo-bench $(ARGS)
	@bench/paper_indexes build/$(PRESET)/indigo-bench $(INDEX_ARGS)

# Format, the house's rules, and clang-tidy on what changed; make tidy runs clang-tidy on everything.
lint: deps
	@status=0; \
	scripts/format --check || status=1; \
	scripts/house_check.py --self-test || status=1; \
	scripts/house_check.py || status=1; \
	scripts/tidy --jobs $(JOBS) || status=1; \
	exit $$status

tidy: deps
	@scripts/tidy --all --jobs $(JOBS)

format: deps
	@scripts/format

clean:
	rm -rf build
