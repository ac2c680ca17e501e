#!/bin/sh
# Builds tabard for AArch64 (bin/arm64/tabard) and runs the tests of its C parts, on another machine under emulation: arm64.sh [build].
# Needs a cross compiler for C and C++ (Debian: gcc-aarch64-linux-gnu, g++-aarch64-linux-gnu) and, for the tests, qemu-aarch64
# of QEMU 8.1 or later (Debian: qemu-user; older ones need memory for all address space that a replay reserves).
# Environment: ARM64_PREFIX of the compilers' names (aarch64-linux-gnu-), ARM64_QEMU (qemu-aarch64),
# ARM64_ROOT with the C library (/usr/aarch64-linux-gnu).
set -eu
cd "$(dirname "$0")/.."
go=$(.ci/go.sh)
prefix=${ARM64_PREFIX-aarch64-linux-gnu-}
qemu=${ARM64_QEMU:-qemu-aarch64}
root=${ARM64_ROOT:-/usr/aarch64-linux-gnu}
need() { command -v "$1" >/dev/null || { echo "make arm64 needs $1 ($2)" >&2; exit 1; }; }
need "${prefix}gcc" "Debian: gcc-aarch64-linux-gnu; or set ARM64_PREFIX"

# The objects of this machine stay where they are: an overlay shows the others to the Go compiler.
out=$PWD/bin/arm64
mkdir -p "$out"
CC=${prefix}gcc capture/build.sh "$out/libtabard.so"
CC=${prefix}gcc internal/program/replay/executor/build.sh "$out"
cat > "$out/overlay.json" <<END
{"Replace": {"capture/libtabard.so": "$out/libtabard.so",
 "internal/program/replay/executor/tabard-replay": "$out/tabard-replay",
 "internal/program/replay/executor/libtabardreplay.so": "$out/libtabardreplay.so"}}
END
export GOARCH=arm64 CGO_ENABLED=0 GOFLAGS="${GOFLAGS:-} -overlay=$out/overlay.json"
[ "${1:-}" = build ] || "$go" vet ./...
"$go" build -trimpath -ldflags "${LDFLAGS:-}" -o "$out/tabard" ./cmd/tabard
echo "built bin/arm64/tabard"
[ "${1:-}" = build ] && exit

need "${prefix}g++" "Debian: g++-aarch64-linux-gnu"
tools=$(mktemp -d)
trap 'rm -rf "$tools"' EXIT
for p in capture internal/program/replay/executor internal/record/ring; do
	"$go" test -c -o "$tools/$(basename $p).test" "./$p"
done
# What the tests compile is for AArch64, too.
for t in gcc g++; do ln -s "$(command -v "$prefix$t")" "$tools/$t"; done

run() {
	# TestOrdinaryPrograms preloads the runtime into programs of this machine.
	for p in capture internal/program/replay/executor internal/record/ring; do
		echo "$p"
		(cd $p && PATH=$tools:$PATH QEMU_LD_PREFIX=$root "$@" "$tools/$(basename $p).test" -test.skip '^TestOrdinaryPrograms$' -test.timeout 60m)
	done
}
# A program as it is: its functions are counted, exceptions and all.
record() {
	echo "record --functions"
	"${prefix}g++" -O2 -mbranch-protection=standard -o "$tools/program" capture/testdata/functions/exceptions.cc
	export QEMU_LD_PREFIX="$root" XDG_CACHE_HOME="$tools/cache"
	code=0
	(cd "$tools" && "$@" "$out/tabard" record -q --functions=main -o f.tabard ./program >said) || code=$?
	[ $code = 3 ] || { echo "the program ended with $code"; exit 1; }
	"$@" "$out/tabard" functions "$tools/f.tabard" --limit 0 >"$tools/counts"
	grep -Eq '^thrower\(int\) +24 ' "$tools/counts" && grep -Eq '^catcher\(int\) +4 ' "$tools/counts" ||
		{ cat "$tools/counts"; exit 1; }
}
if "$out/tabard" version >/dev/null 2>&1; then run env; record env; exit; fi # the system runs such programs already
need "$qemu" "Debian: qemu-user; or set ARM64_QEMU"
# Else in a name space of our own (Linux 6.7), so that nothing changes for others.
cat > "$tools/emulated" <<'END'
#!/bin/sh
exec unshare -Urm sh -ec 'mount -t binfmt_misc none /proc/sys/fs/binfmt_misc
printf "%s" ":tabard:M::\\x7fELF\\x02\\x01\\x01\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x02\\x00\\xb7\\x00:\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\x00\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xfe\\xff\\xff\\xff:$QEMU:F" > /proc/sys/fs/binfmt_misc/register
exec "$@"' sh "$@"
END
chmod +x "$tools/emulated"
QEMU=$(command -v "$qemu")
export QEMU
"$tools/emulated" "$out/tabard" version >/dev/null || { echo "the kernel lets nobody register an emulator here (Linux 6.7 does): register $QEMU with binfmt_misc" >&2; exit 1; }
run "$tools/emulated"
record "$tools/emulated"
