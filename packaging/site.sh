#!/bin/sh
# Builds the documentation as a site with search that works without a server: dist/site/index.html. The generator is
# MkDocs Material, with the versions of packaging/site/requirements.txt, in a virtual environment that is kept.
set -eu
cd "$(dirname "$0")/.."
env=$PWD/dist/site-env
want=$(sha256sum < packaging/site/requirements.txt)
if [ "$(cat "$env/made" 2>/dev/null)" != "$want" ]; then
	rm -rf "$env"
	"${PYTHON:-python3}" -m venv "$env"
	"$env/bin/pip" install -q --disable-pip-version-check --no-deps -r packaging/site/requirements.txt
	echo "$want" > "$env/made"
fi
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
NO_MKDOCS_2_WARNING=1
export SOURCE_DATE_EPOCH NO_MKDOCS_2_WARNING
"$env/bin/mkdocs" build -q -f packaging/site/mkdocs.yml
echo "dist/site/index.html"
