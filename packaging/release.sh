#!/bin/sh
# Makes what is published, in dist/: release.sh ARCHITECTURE... (amd64, arm64). For each an archive, a .deb and an .rpm;
# once the source, the Python wheel, the bill of materials, and the checksums of all. The same commit, compiler and Go
# give the same bytes. Environment: VERSION and GOCMD as `make release` sets them, SOURCE_DATE_EPOCH (the commit's).
set -eu
cd "$(dirname "$0")/.."
umask 022
LC_ALL=C TZ=UTC
export LC_ALL TZ
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export SOURCE_DATE_EPOCH
name=tabard-$VERSION
dist=$PWD/dist
work=$dist/work
rm -rf "$work"
mkdir -p "$work" "$dist/release"
rm -f "$dist/release"/*
cd packaging/tools
for tool in sbom github.com/goreleaser/nfpm/v2/cmd/nfpm; do
	case $tool in */*) p=$tool ;; *) p=./$tool ;; esac
	"$GOCMD" build -trimpath -o "$work/$(basename "$tool")" "$p"
done
cd ../..

archive() { # archive FILE FOLDER: a folder of $work, in an order and with times that are always the same
	tar -C "$work" --sort=name --format=gnu --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner \
		-cf - "$2" | gzip -9n > "$1"
}

for ARCH; do
	binary=bin/tabard machine=x86_64
	if [ "$ARCH" = arm64 ]; then
		.ci/arm64.sh build
		binary=bin/arm64/tabard machine=aarch64
	fi
	rm -rf "$work/stage"
	make --no-print-directory -s install BINARY="$binary" VERSION="$VERSION" DESTDIR="$work/stage" PREFIX=/usr
	export ARCH VERSION
	for kind in deb rpm; do
		(cd "$work" && ./nfpm package -f ../../packaging/nfpm.yaml -p $kind -t "$dist/release/")
	done
	mkdir "$work/$name-linux-$machine"
	cp -r "$work/stage/usr/." "$work/$name-linux-$machine/"
	cp README.md LICENSE "$work/$name-linux-$machine/"
	archive "$dist/release/$name-linux-$machine.tar.gz" "$name-linux-$machine"
	packaging/wheel.sh "$VERSION" "$PWD/$binary" $machine "$work/wheel" "$dist/release"
done

git archive --format=tar --prefix="$name/" HEAD | gzip -9n > "$dist/release/$name.tar.gz"
bin/tabard version --licenses --json > "$work/licenses.json"
"$work/sbom" -version "$VERSION" -licenses "$work/licenses.json" bin/tabard > "$dist/release/$name.cdx.json"
rm -rf "$work"
cd "$dist/release"
sha256sum -- * > "$work.sums"
mv "$work.sums" SHA256SUMS
ls -l
