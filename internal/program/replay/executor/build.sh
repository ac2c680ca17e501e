#!/bin/sh
# Builds the replay executor: build.sh [FOLDER [compiler flags...]]
# It becomes FOLDER/tabard-replay and FOLDER/libtabardreplay.so (this folder by default), which embed.go embeds. The program finds the library beside itself.
# Environment: CC.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=${1:-$here}
[ $# -gt 0 ] && shift
capture=$here/../../../../capture
tmp=$out/build.tmp.$$
mkdir "$tmp"
trap 'rm -rf "$tmp"' EXIT
sources=
for f in "$here"/*.c; do
	[ "$f" = "$here/main.c" ] || sources="$sources $f"
done
flags="-std=gnu11 -O2 -pthread -Wall -Wextra -Werror"
# shellcheck disable=SC2086 -- lists
"${CC:-gcc}" -shared $flags -fPIC -fexceptions -fasynchronous-unwind-tables -fno-semantic-interposition -fvisibility=hidden \
	-I"$here" -I"$capture" "$@" $sources "$capture/mpi/kind.c" "$here/invoke.S" \
	-Wl,-soname,libtabardreplay.so -Wl,-z,relro -ldl -o "$tmp/libtabardreplay.so"
# shellcheck disable=SC2086
"${CC:-gcc}" $flags -fPIE -pie "$@" "$here/main.c" "$tmp/libtabardreplay.so" -Wl,--disable-new-dtags -Wl,-rpath,'$ORIGIN' -o "$tmp/tabard-replay"
mv "$tmp/libtabardreplay.so" "$tmp/tabard-replay" "$out"
