#!/bin/sh
# Prints the path of a Go command that can build this module, or says why not.
# Go since 1.21 fetches the version that go.mod asks for by itself. The older
# one of Debian 12 cannot, but the same toolchain is a module like any other,
# so it can download it (checked against the checksum database).
set -eu
cd "$(dirname "$0")/.."
want=$(sed -n 's/^go //p' go.mod)
case $want in *.*.*) ;; *) want=$want.0 ;; esac

go=$(command -v "${GO:-go}" || true)
if [ -z "$go" ] && [ -x /usr/local/go/bin/go ]; then go=/usr/local/go/bin/go; fi
if [ -z "$go" ]; then
	echo "no Go here: make deps installs it on Debian" >&2
	exit 1
fi
minor=$(cd / && "$go" env GOVERSION | sed 's/^go1\.\([0-9]*\).*/\1/')
if [ "$minor" -ge 21 ]; then
	echo "$go"
	exit
fi
module=golang.org/toolchain@v0.0.1-go$want.$("$go" env GOOS)-$("$go" env GOARCH)
tree=$(cd / && "$go" env GOMODCACHE)/$module
if [ ! -x "$tree/bin/go" ]; then
	echo "go1.$minor is too old for this module: fetching go$want" >&2
	(cd / && "$go" mod download "$module") >&2
	chmod -R u+w "$tree"
	chmod +x "$tree"/bin/* "$tree"/pkg/tool/*/*
fi
echo "$tree/bin/go"
