#!/bin/sh
# Makes packages of a built program: package.sh ARCHITECTURE PROGRAM WORK OUT KIND..., where KIND is deb or rpm and WORK a
# folder to work in, whose stage/ then holds what the packages install. Environment: VERSION, GOCMD (go),
# SOURCE_DATE_EPOCH (that of the commit).
set -eu
cd "$(dirname "$0")/.."
umask 022
ARCH=$1 program=$2 work=$3 out=$4
shift 4
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export ARCH VERSION SOURCE_DATE_EPOCH
rm -rf "$work/stage"
mkdir -p "$work" "$out"
(cd packaging/tools && CGO_ENABLED=0 GOARCH= "${GOCMD:-go}" build -trimpath -o "$work/nfpm" github.com/goreleaser/nfpm/v2/cmd/nfpm)
make --no-print-directory -s install BINARY="$program" VERSION="$VERSION" DESTDIR="$work/stage" PREFIX=/usr
cat > "$work/changelog.yaml" <<END
- semver: $VERSION
  date: $(date -u -d "@$SOURCE_DATE_EPOCH" +%Y-%m-%dT%H:%M:%SZ)
  packager: Tabard maintainers <tabard-hpc@users.noreply.github.com>
  changes:
    - note: Release $VERSION. Its commits say what changed.
END
sed "s|@HERE@|$PWD/packaging|" packaging/nfpm.yaml > "$work/nfpm.yaml"
cd "$work"
for kind; do ./nfpm package -p "$kind" -t "$out/"; done
