#!/bin/sh
# Makes the wheel of the Python package with the program in it: wheel.sh VERSION PROGRAM MACHINE WORK OUT, where WORK is
# a folder to work in and MACHINE x86_64 or aarch64. Needs setuptools and wheel for /usr/bin/python3, or for $PYTHON.
set -eu
cd "$(dirname "$0")/.."
version=$1 program=$2 machine=$3 work=$4 out=$5
python=${PYTHON:-/usr/bin/python3}
export PYTHONWARNINGS=ignore # of two generations of setuptools
"$python" -c 'import setuptools, wheel, pip' || { echo "$python lacks pip, setuptools or wheel (Debian: python3-pip, python3-setuptools, python3-wheel)" >&2; exit 1; }
[ "$version" = devel ] && version=0.0.0+devel
rm -rf "$work"
mkdir -p "$work/src" "$work/pure" "$work/whole"
cp -r python/pyproject.toml python/README.md python/tabard "$work/src"
rm -rf "$work/src/tabard/__pycache__"
sed -i "s/^__version__ = .*/__version__ = \"$version\"/" "$work/src/tabard/__init__.py"
find "$work/src" -exec touch -d "@$SOURCE_DATE_EPOCH" {} +
"$python" -m pip -q --disable-pip-version-check wheel --no-deps --no-build-isolation --no-index -w "$work/pure" "$work/src"
cd "$work/whole"
"$python" -m wheel unpack ../pure/*.whl >/dev/null
mkdir -p "tabard-$version/tabard-$version.data/scripts"
cp "$program" "tabard-$version/tabard-$version.data/scripts/tabard"
sed -i "s/^Tag: .*/Tag: py3-none-manylinux_2_34_$machine/; s/^Root-Is-Purelib: .*/Root-Is-Purelib: false/" \
	"tabard-$version/tabard-$version.dist-info/WHEEL"
"$python" -m wheel pack -d "$out" "tabard-$version" >/dev/null
