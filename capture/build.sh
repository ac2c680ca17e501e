#!/bin/sh
# Builds the in-process runtime: build.sh [OUTPUT [compiler flags...]]
# OUTPUT is capture/libtabard.so by default, which embed.go embeds. Flags of
# interest: -DTB_NO_TIMING (no time stamps), -DTB_NOOP (wrappers only forward):
# what each costs is compared in bench/. Environment: CC. tb_version is a hash of
# the sources, so that a test can tell whether the embedded library is current.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=${1:-$here/libtabard.so}
[ $# -gt 0 ] && shift
case $out in /*) ;; *) out=$PWD/$out ;; esac
LC_ALL=C
export LC_ALL
cd "$here"
# Every room: what lies below a folder of capture/ belongs to the runtime.
sources=$(find . -path ./testdata -prune -o -name '*.c' -print | sort)
headers=$(find . -path ./testdata -prune -o -name '*.h' -print | sort)
version=$(cat $sources $headers libtabard.map build.sh | sha256sum | cut -c1-16)
tmp=$out.tmp.$$
trap 'rm -f "$tmp"' EXIT
# Exceptions and unwinding pass through the wrappers; a tail call would hide the caller.
"${CC:-gcc}" -shared -std=gnu11 -O2 -fPIC -pthread \
	-Wall -Wextra -Werror \
	-fexceptions -fasynchronous-unwind-tables -fno-optimize-sibling-calls \
	-fno-semantic-interposition -fvisibility=hidden \
	-I. -DTB_VERSION="\"$version\"" "$@" \
	$sources \
	-Wl,-soname,libtabard.so -Wl,--version-script=libtabard.map -Wl,-z,relro,-z,now,-z,defs -ldl -o "$tmp"
mv "$tmp" "$out"
