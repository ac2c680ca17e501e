# make            bin/tabard (needs Go and a C compiler; no MPI)
# make demo       record a real parallel program and show what was found
# make check      formatting, vet, generated files, unit tests (no MPI)
# make test       everything: check, end-to-end tests, faults
# make damage     the reader against 100,000 damaged files
# make faults     200 randomised kills of program and collector
# make bench      the tables of docs/benchmarks.md
# make scale      bytes of synthetic jobs of up to 1,048,576 ranks, and the bars that they have to meet (SCALE='-max 4096')
# make size       bytes of real recordings beside other tracers, and the bars (SIZE='-programs FILE -pilgrim LIBRARY' for more)
# make timing     bytes, errors and speed of every way to store times, and the bars (TIMING='-programs FILE' for more programs)
# make analysis   what answers cost, on 10^9 calls without times and 20 million with, and the bars
# make otf2       bytes, cost and time to a matrix beside OTF2 by EZTrace (Debian: eztrace, libotf2-trace-dev)
# make rerun      replay and proxies: speed beside the original, round trips, size of proxies (RERUN='-programs FILE' for more programs)
# make mpichsuite MPICH=DIR   MPICH's own tests, untraced and traced (SUITE_MPI=openmpi for the other MPI, SUITE='-replay -proxy' run again)
# make arm64      build for AArch64 and test the C parts, under emulation elsewhere (.ci/arm64.sh says what it needs)
# make gen        write the generated files again
# make deps       install what make test needs (Debian, as root)
.PHONY: all gen check test e2e faults bench scale size timing mpichsuite demo deps install clean FORCE

VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
PREFIX ?= /usr/local

# Found when a recipe needs it: an old Go fetches the right one first.
GOCMD = $$(.ci/go.sh)
export GOTOOLCHAIN ?= auto
# Building and testing need no version control.
export GOFLAGS ?= -buildvcs=false

all: bin/tabard

include capture/build.mk
include internal/replay/executor/build.mk

# C programs that are embedded: to be built before Go.
EMBEDDED = capture/libtabard.so $(REPLAY)/tabard-replay $(REPLAY)/libtabardreplay.so

bin/tabard: $(EMBEDDED) FORCE
	@mkdir -p bin
	$(GOCMD) build -trimpath -o $@ ./cmd/tabard

gen:
	$(GOCMD) run ./internal/gen

check: $(EMBEDDED)
	@unformatted=$$("$$(dirname "$$(.ci/go.sh)")/gofmt" -l $$(find . -name '*.go')) && \
		[ -z "$$unformatted" ] || { echo "run gofmt -w on: $$unformatted"; exit 1; }
	$(GOCMD) run ./internal/gen -diff
	$(GOCMD) vet ./...
	$(GOCMD) vet -tags e2e ./...
	$(GOCMD) test ./...

test: deps check damage e2e faults-short

# One test at a time: each starts as many ranks as there are cores, or more.
E2E = TABARD_BIN=$(CURDIR)/bin/tabard $(GOCMD) test -tags e2e -count=1 -parallel=1 -timeout=25m ./e2e

e2e: bin/tabard
	$(E2E) -skip '^TestFaults$$'

.PHONY: damage faults-short
damage: $(EMBEDDED)
	TABARD_DAMAGE=100000 $(GOCMD) test -count=1 -run 'Damage' ./trace

faults-short: bin/tabard
	TABARD_FAULTS=30 $(E2E) -run '^TestFaults$$'

faults: bin/tabard
	TABARD_FAULTS=200 $(E2E) -run '^TestFaults$$' -v

bench: bin/tabard
	$(GOCMD) run ./bench/cost

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

otf2: bin/tabard
	$(GOCMD) run ./bench/otf2

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

install: bin/tabard
	install -D -m 755 bin/tabard $(DESTDIR)$(PREFIX)/bin/tabard

clean:
	rm -rf bin demo $(EMBEDDED)
