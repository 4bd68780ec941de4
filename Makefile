# The way in: a few words over CMake's presets (CMakePresets.json). `make help` lists them.
JOBS ?= $(shell nproc)
PREFIX ?= /usr/local
# The thread sanitizer wants addresses that do not move, where that may be asked for.
still = $(shell setarch -R true 2>/dev/null && echo setarch -R)

.DEFAULT_GOAL := all
.PHONY: all demo test nightly bench deps ensure check-asan check-tsan format abi-lists lint install packages gpu-bundle clean help

# Configured once; ninja configures again by itself when a CMake file changes.
build/build.ninja:
	cmake --preset default || { echo "'make deps' installs what is missing." >&2; exit 1; }
build-%/build.ninja:
	cmake --preset $*

all: build/build.ninja  ## build everything into build/
	cmake --build build -j $(JOBS)

demo: ensure  ## build gpudl and run the main job: load a kernel, launch it, load a changed one
	@$(MAKE) --no-print-directory build/build.ninja
	cmake --build build -j $(JOBS) --target demo
	@echo
	build/bin/demo build/share/demo/paint_v1.fatbin build/share/demo/paint_v2.fatbin
	@printf '\nA kernel can be launched from the command line, too: y = 2 * x + y.\n'
	GPUDL_QUIET=1 build/bin/gpudl run build/share/02-saxpy-from-file/saxpy.fatbin saxpy --grid 4 --block 256 \
	    i32:1024 f32:2 'f32[1024]=iota' 'f32[1024]=1' --print 3:4

test: ensure  ## build everything and run the tests
	@$(MAKE) --no-print-directory all
	ctest --preset default -j $(JOBS)

nightly: ensure  ## the long tests: random kernels for an hour, a slice of all values of each instruction
	@$(MAKE) --no-print-directory all
	ctest --preset default -C nightly -L nightly

bench: ensure  ## build and run the benchmarks: tables here, JSON in build/bench-results/
	@$(MAKE) --no-print-directory build/build.ninja
	cmake --build build -j $(JOBS) --target bench

deps:  ## install what gpudl is built with (apt), saying what and why first
	@cmake/deps.sh install

ensure:
	@cmake/deps.sh ensure

check-asan: build-asan/build.ninja  ## the tests under the address, leak and undefined-behaviour sanitizers
	cmake --build build-asan -j $(JOBS)
	ctest --preset asan -j $(JOBS)

check-tsan: build-tsan/build.ninja  ## the tests under the thread sanitizer
	cmake --build build-tsan -j $(JOBS)
	$(still) ctest --preset tsan -j $(JOBS)

format:  ## set the lines changed since the last commit in the house's format
	git clang-format-14 --force

abi-lists: all  ## write tests/abi/symbols.txt and layout.txt anew, after an addition to the API
	for list in symbols layout; do SOURCE=. CC=cc LIBRARY=build/lib/libgpudl.so tests/abi/check.sh $$list --write || exit 1; done

lint: build/build.ninja  ## check the text of the sources, and run clang-tidy
	cmake/lint.sh build

install: all  ## install into PREFIX (/usr/local), below DESTDIR if that is set
	cmake --install build --prefix $(PREFIX) --strip

packages: all  ## make an archive and Debian packages, in build/packages/
	cpack --config build/CPackConfig.cmake -B build/packages

gpu-bundle: all  ## pack tests, benches and libraries for a machine that has a GPU and no packages
	cmake --build build --target gpu-bundle

clean:  ## remove what was built
	rm -rf build build-asan build-tsan

help:  ## this list
	@sed -n 's/^\([a-z-]*\):.*  ## \(.*\)/\1\t\2/p' $(MAKEFILE_LIST) | expand -t 14
