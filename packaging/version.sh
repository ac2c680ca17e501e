#!/bin/sh
# Prints the version that the tree builds: 1.2.0 at the tag v1.2.0, 1.2.0+5.g1a2b3c4 five commits
# behind it, 0.0.0+g1a2b3c4 before the first tag, with .dirty if files differ, devel where nothing
# is known. An archive of the repository carries what git says of its commit in packaging/VERSION.
set -eu
cd "$(dirname "$0")/.."
if [ -e .git ] && said=$(git describe --tags --long --always --dirty=.dirty --match 'v[0-9]*' 2>/dev/null); then
	:
else
	said=$(cat packaging/VERSION)
	case $said in *Format*) echo devel; exit ;; esac
fi
case $said in
v*-0-g*.dirty) echo "$said" | sed 's/^v\(.*\)-0-\(g[0-9a-f]*\.dirty\)$/\1+0.\2/' ;;
v*-0-g*) echo "$said" | sed 's/^v\(.*\)-0-g[0-9a-f]*$/\1/' ;;
v*-*-g*) echo "$said" | sed 's/^v\(.*\)-\([0-9]*\)-\(g[0-9a-f.dirty]*\)$/\1+\2.\3/' ;;
v*) echo "${said#v}" ;;
*) echo "0.0.0+g$said" ;;
esac
