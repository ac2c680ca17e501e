#!/bin/sh
# Makes what is published, in dist/release: release.sh ARCHITECTURE... (amd64, arm64). For each an archive, a .deb, an
# .rpm and a wheel; once the source, the bill of materials, and the checksums of all. The same commit, compiler and Go
# give the same bytes. Environment: VERSION and GOCMD as `make release` sets them, SOURCE_DATE_EPOCH (the commit's).
set -eu
cd "$(dirname "$0")/.."
umask 022
LC_ALL=C TZ=UTC
export LC_ALL TZ VERSION GOCMD
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export SOURCE_DATE_EPOCH
name=tabard-$VERSION
out=$PWD/dist/release
work=$PWD/dist/work
rm -rf "$work" "$out"
mkdir -p "$work" "$out"

for arch; do
	binary=$PWD/bin/tabard machine=x86_64
	if [ "$arch" = arm64 ]; then
		.ci/arm64.sh build
		binary=$PWD/bin/arm64/tabard machine=aarch64
	fi
	packaging/package.sh "$arch" "$binary" "$work" "$out" deb rpm
	mv "$work/stage/usr" "$work/$name-linux-$machine"
	cp README.md LICENSE "$work/$name-linux-$machine/"
	# In an order and with times that are always the same.
	tar -C "$work" --sort=name --format=gnu --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner \
		-cf - "$name-linux-$machine" | gzip -9n > "$out/$name-linux-$machine.tar.gz"
	packaging/wheel.sh "$VERSION" "$binary" $machine "$work/wheel" "$out"
done

git archive --format=tar --prefix="$name/" HEAD | gzip -9n > "$out/$name.tar.gz"
bin/tabard version --licenses --json > "$work/licenses.json"
(cd packaging/tools && "$GOCMD" build -trimpath -o "$work/sbom" ./sbom)
"$work/sbom" -version "$VERSION" -licenses "$work/licenses.json" bin/tabard > "$out/$name.cdx.json"
rm -rf "$work"
cd "$out"
sha256sum -- * > SHA256SUMS.new
mv SHA256SUMS.new SHA256SUMS
ls -l
