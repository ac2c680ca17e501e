#!/bin/sh
# Installs the Debian packages that a target needs and this machine lacks:
# deps.sh build | demo | test | release. Does nothing if nothing is missing; says what to
# install if it may not.
set -eu
packages="gcc libc6-dev"
command -v go >/dev/null || [ -x /usr/local/go/bin/go ] || packages="$packages golang-go ca-certificates"
case ${1:-build} in
demo) packages="$packages openmpi-bin lammps lammps-examples" ;;
test) packages="$packages g++ gfortran openmpi-bin libopenmpi-dev mpich libmpich-dev python3-mpi4py hpcc lammps lammps-examples chromium strace clang libclang-rt-dev libomp-dev otf2-tools python3-otf2 eztrace python3-pandas python3-matplotlib sshfs openssh-sftp-server gcc-aarch64-linux-gnu g++-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user" ;;
release) packages="$packages gcc-aarch64-linux-gnu libc6-dev-arm64-cross python3-pip python3-setuptools python3-wheel" ;;
esac
missing=
for p in $packages; do
	[ "$(dpkg-query -W -f '${db:Status-Status}' "$p" 2>/dev/null)" = installed ] || missing="$missing $p"
done
[ -z "$missing" ] && exit 0
if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
	echo "missing here:$missing" >&2
	echo "install them (as root: apt-get install$missing), then run make again" >&2
	exit 1
fi
echo "installing$missing"
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
# shellcheck disable=SC2086 -- a list
apt-get install -y -qq --no-install-recommends $missing
