# make            bin/tabard (needs Go and a C compiler; no MPI)
# make demo       record a real parallel program and show what was found
# make check      formatting, vet, generated files, unit tests (no MPI; a part of the longest ones)
# make test       everything: check, end-to-end tests (E2E_JOBS side by side), damage, faults
# make soak       damage, faults, crowds of ranks and random programs, many times: when something about them has changed
# make damage     the reader against 1,000,000 damaged files, every command against 20,000
# make fuzz       every fuzz target for a while, and the bar of 1,000 inputs a second of one core (FUZZ='-for 1m')
# make sanitized  tests of the C runtime, built with the sanitizers of addresses, of undefined behaviour and of threads
# make faults     300 randomised kills of program and collector
# make return     10,000,000 calls beside eight busy processes: whether the file is there when mpirun returns
# make bench      the tables of docs/benchmarks.md
# make functions  what recording function calls costs (FUNCTIONS='-programs FILE' for more programs)
# make scale      bytes of synthetic jobs of up to 1,048,576 ranks, and the bars that they have to meet (SCALE='-max 4096')
# make size       bytes of real recordings beside other tracers, and the bars (SIZE='-programs FILE -pilgrim LIBRARY' for more)
# make timing     bytes, errors and speed of every way to store times, and the bars (TIMING='-programs FILE' for more programs)
# make view-bench what the server of the viewer costs, on synthetic recordings of 10^9 calls and of 100,000 ranks
# make page       types and formatting of the viewer's page (needs npm), what its pictures cost in Chromium
#                 (VIEW=-beside, and VIEW='-faults DIR', with make view-bench: beside readers of OTF2, planted faults)
# make analysis   what answers cost, on 10^9 calls without times and 20 million with, and the bars
# make bounds     memory and time of all commands on recordings of 10^7 calls without order, of 100,000 ranks, and the bars (BOUNDS='-calls 1000000')
# make same OLD=BIN  whether another build of tabard gives the same answers, byte by byte
# make steps STEPS='-list FILE'  whether time steps are those of the sources
# make unharmed UNHARMED='-list FILE'  whether programs do the same when they are recorded, and files are recorded as strace sees them
# make findings      whether planted faults are the first finding; HEALTHY=FILE adds programs
# make whatif        what runs would take without planted faults, computed and measured
# make regression    whether tabard check tells planted regressions from noise
# make house         how the source is laid out (BEFORE=TREE to compare with another checkout)
# make exports    rates and sizes of all exports, of the import, and of Python, against their bars
# make otf2       bytes, cost and time to a matrix beside OTF2 by EZTrace (Debian: eztrace, libotf2-trace-dev)
# make rerun      replay and proxies: speed beside the original, round trips, size of proxies (RERUN='-programs FILE' for more programs)
# make mpichsuite MPICH=DIR   MPICH's own tests, untraced and traced (SUITE_MPI=openmpi for the other MPI, SUITE='-replay -proxy' run again)
# make arm64      build for AArch64 and test the C parts, under emulation elsewhere (.ci/arm64.sh says what it needs)
# make install    the program, manual pages, completion and module file, below PREFIX (/usr/local)
# make release    packages, archives, bill of materials and checksums in dist/release (RELEASE=amd64 leaves AArch64 out)
# make site       the documentation as a site with search: dist/site/index.html
# make gen        write the generated files again
# make deps       install what make test needs (Debian, as root)
.PHONY: all gen check test e2e faults bench scale size timing mpichsuite demo deps clean FORCE

VERSION ?= $(shell packaging/version.sh)
PREFIX ?= /usr/local

# Found when a recipe needs it: an old Go fetches the right one first.
GOCMD = $$(.ci/go.sh)
export GOTOOLCHAIN ?= auto
# Building and testing need no version control.
export GOFLAGS ?= -buildvcs=false

# What tabard says that it is; no tables for debuggers. The program is static, so that one runs on all systems.
export LDFLAGS = -s -w -X github.com/tabard-hpc/tabard/internal/report.version=$(VERSION)

all: bin/tabard

include capture/build.mk
include internal/program/replay/executor/build.mk
include packaging/build.mk

# C programs that are embedded: to be built before Go.
EMBEDDED = capture/libtabard.so $(REPLAY)/tabard-replay $(REPLAY)/libtabardreplay.so

bin/tabard: $(EMBEDDED) FORCE
	@mkdir -p bin
	CGO_ENABLED=0 $(GOCMD) build -trimpath -ldflags '$(LDFLAGS)' -o $@ ./cmd/tabard

# What the second generator writes follows from the program itself, so that it has to compile.
gen:
	$(GOCMD) run ./internal/gen
	@$(MAKE) --no-print-directory $(EMBEDDED)
	$(GOCMD) run ./internal/gen/docs

# Some tests do less where SHORT is set.
SHORT = -short
check: $(EMBEDDED)
	@unformatted=$$("$$(dirname "$$(.ci/go.sh)")/gofmt" -l $$(find . -name '*.go')) && \
		[ -z "$$unformatted" ] || { echo "run gofmt -w on: $$unformatted"; exit 1; }
	$(GOCMD) run ./internal/gen -diff
	$(GOCMD) run ./internal/gen/docs -diff
	$(GOCMD) vet ./...
	$(GOCMD) vet -tags e2e ./...
	$(GOCMD) test $(SHORT) ./...

test: SHORT =
test: deps check damage-short e2e faults-short

# More of what chance has a part in: what make test does with less.
.PHONY: soak
soak: deps damage faults crowds return functionruns
	TABARD_PROGRAMS=300 $(GOCMD) test -count=1 -timeout 1h -run '^TestRandom$$' ./internal/program/infer
	TABARD_PROGRAMS=10000 $(GOCMD) test -count=1 -timeout 1h -run '^TestSources$$' ./internal/codec/nest

# Jobs side by side: while one starts or ends, which is most of what they do, the others compute.
E2E_JOBS ?= 4
# In the folder of the tests: with a package named, go keeps what passing tests say (NOT TESTED) to itself.
E2E = TABARD_BIN=$(CURDIR)/bin/tabard $(GOCMD) test -C e2e -tags e2e -count=1 -parallel=$(E2E_JOBS) -timeout=65m

e2e: bin/tabard
	$(E2E) -skip '^Test(Source)?Faults$$'

.PHONY: damage damage-short faults-short fuzz
damage-short: $(EMBEDDED)
	TABARD_DAMAGE=20000 $(GOCMD) test -count=1 -run 'Damage' ./internal/archive
	TABARD_DAMAGE=40 $(GOCMD) test -count=1 -run '^TestDamage$$' ./internal/cli

damage: $(EMBEDDED)
	TABARD_DAMAGE=1000000 $(GOCMD) test -count=1 -timeout 3h -run 'Damage' ./internal/archive
	TABARD_DAMAGE=20000 $(GOCMD) test -count=1 -timeout 10h -run '^TestDamage$$' ./internal/cli

fuzz: $(EMBEDDED)
	$(GOCMD) run ./bench/fuzz $(FUZZ)

# A sanitizer that finds something ends the program, so that its test fails.
SANITIZERS ?= address undefined thread
.PHONY: sanitized
sanitized: $(EMBEDDED)
	@for s in $(SANITIZERS); do echo "sanitizer: $$s"; \
		TABARD_TEST_SANITIZE=$$s $(GOCMD) test -count=1 -timeout 1h ./capture || exit 1; done

faults-short: bin/tabard
	TABARD_FAULTS=30 $(E2E) -run '^Test(Source)?Faults$$'

faults: bin/tabard
	TABARD_FAULTS=200 $(E2E) -run '^Test(Source)?Faults$$' -v

# Runs of many more ranks than processors.
.PHONY: crowds
crowds: bin/tabard
	TABARD_CROWDS=500 TABARD_BIN=$(CURDIR)/bin/tabard $(GOCMD) test -tags e2e -count=1 -timeout=6h ./e2e -run '^TestCrowd$$' -v

# A run of many calls beside busy processes.
.PHONY: return
return: bin/tabard
	TABARD_RETURN_CALLS=10000000 $(E2E) -timeout=1h -run '^TestReturn$$' -v

# Runs with the functions of all libraries recorded.
.PHONY: functionruns
functionruns: bin/tabard
	TABARD_FUNCTION_RUNS=50 TABARD_BIN=$(CURDIR)/bin/tabard $(GOCMD) test -tags e2e -count=1 -timeout=6h ./e2e -run '^TestFunctionsSoak$$' -v

bench: bin/tabard
	$(GOCMD) run ./bench/cost

.PHONY: functions
functions: bin/tabard
	$(GOCMD) run ./bench/functions $(FUNCTIONS)

scale:
	$(GOCMD) run ./bench/scale $(SCALE)

size: bin/tabard
	$(GOCMD) run ./bench/size $(SIZE)

timing: bin/tabard
	$(GOCMD) run ./bench/timing $(TIMING)

.PHONY: analysis otf2 rerun
rerun: bin/tabard
	$(GOCMD) run ./bench/rerun $(RERUN)

analysis: bin/tabard
	$(GOCMD) run ./bench/analysis

.PHONY: view-bench
view-bench:
	$(GOCMD) run ./bench/view $(VIEW)

# What checks the page is not needed to build it: the bundle is generated by Go.
.PHONY: page
page: bin/tabard
	cd internal/view/ui && npm install --no-package-lock --no-audit --no-fund && npm run check
	$(GOCMD) run ./bench/view -page $(VIEW)

.PHONY: bounds same house findings regression whatif unharmed steps
steps: bin/tabard
	$(GOCMD) run ./bench/steps $(STEPS)

unharmed: bin/tabard
	$(GOCMD) run ./bench/unharmed -strace $(UNHARMED)

bounds: bin/tabard
	$(GOCMD) run ./bench/bounds $(BOUNDS)
	TABARD_TEST_RANKS=100000 $(GOCMD) test -count=1 -v -timeout 60m ./internal/cli -run TestManyRanks

same: bin/tabard
	@[ -n "$(OLD)" ] || { echo "make same OLD=BIN, where BIN is the tabard to compare with"; exit 1; }
	$(GOCMD) run ./bench/same -old "$(OLD)" -new bin/tabard

whatif: bin/tabard
	$(GOCMD) run ./bench/whatif $(WHATIF)

regression: bin/tabard
	$(GOCMD) run ./bench/regression $(REGRESSION)

findings: bin/tabard
	@$(GOCMD) run ./bench/findings $(if $(HEALTHY),-healthy $(HEALTHY)) $(FINDINGS)

house: bin/tabard
	@$(GOCMD) run ./bench/house $(BEFORE) .

otf2: bin/tabard
	$(GOCMD) run ./bench/otf2

.PHONY: exports
exports: bin/tabard
	$(GOCMD) run ./bench/export
	$(GOCMD) run ./bench/python

SUITE_MPI ?= mpich
SUITE ?= -check
mpichsuite: bin/tabard
	@[ -n "$(MPICH)" ] || { echo "make mpichsuite MPICH=DIR, where DIR is a source tree of MPICH 4.0.2"; exit 1; }
	$(GOCMD) run ./bench/mpichsuite -source "$(MPICH)" -mpi $(SUITE_MPI) $(SUITE)

.PHONY: arm64
arm64:
	@.ci/arm64.sh

demo:
	@.ci/deps.sh demo
	@$(MAKE) --no-print-directory bin/tabard
	@.ci/demo.sh

deps:
	@.ci/deps.sh test

clean:
	rm -rf bin dist demo $(EMBEDDED)
