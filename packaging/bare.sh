#!/bin/sh
# Installs a package into a Debian that has nothing but apt and Open MPI, and goes there from `apt install` to the cause
# of a planted fault: bare.sh PACKAGE.deb. Needs mmdebstrap, root, and a Debian mirror; takes some minutes at first. The
# system is kept in dist/bare.tar. Prints the transcript; fails if the report does not name rank 2.
set -eu
cd "$(dirname "$0")/.."
package=$(realpath "$1")
work=$PWD/dist/bare
mkdir -p dist
[ -e dist/bare.tar ] || mmdebstrap --variant=apt --include=openmpi-bin,libopenmpi-dev,gcc,libc6-dev bookworm dist/bare.tar
rm -rf "$work"
mkdir "$work"
trap 'rm -rf "$work"' EXIT
tar xf dist/bare.tar -C "$work" --exclude='./dev/*'
cp "$package" "$work/root/tabard.deb"
cp docs/tutorial/heat.c "$work/root"
cp /etc/resolv.conf "$work/etc/"
cat > "$work/root/transcript" <<'END'
export DEBIAN_FRONTEND=noninteractive OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 HOME=/root
cd /root
set -ex
apt-get install -qq -y ./tabard.deb
mpicc -g -o heat heat.c
mpirun --oversubscribe -n 4 tabard record ./heat slow
tabard report heat.tabard | tee report.txt
grep '1\. warning: Rank 2 ' report.txt
END
unshare -m -p -f sh -ec 'mount -t proc proc "$1/proc"; mount -t sysfs sysfs "$1/sys"; mount -t tmpfs tmpfs "$1/dev"
mkdir "$1/dev/shm" "$1/dev/pts"; mount -t devpts devpts "$1/dev/pts"; ln -s pts/ptmx "$1/dev/ptmx"
mknod -m 666 "$1/dev/null" c 1 3; mknod -m 666 "$1/dev/urandom" c 1 9; chmod 1777 "$1/dev/shm"
exec chroot "$1" sh /root/transcript' sh "$work"
