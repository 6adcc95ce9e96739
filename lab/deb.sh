#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Packages of Debian, built from a clean copy of what is committed: lab/deb.sh FOLDER
set -eu
cd "$(dirname "$0")/.."
command -v dpkg-buildpackage >/dev/null || { echo "deb: dpkg-dev and debhelper are needed (DEB=1 lab/deps.sh)" >&2; exit 4; }
mkdir -p "$1"
out=$(cd "$1" && pwd)
rm -f "$out"/*.deb "$out"/*.buildinfo "$out"/*.changes "$out"/*.dsc "$out"/*.tar.xz
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/swaptrace"
git archive HEAD | tar -x -C "$work/swaptrace"
# Times of what is packed come from the changelog, so that two builds are the same bytes.
(cd "$work/swaptrace" && dpkg-buildpackage -b -us -uc) >"$out/build.log" 2>&1 || { tail -n 40 "$out/build.log" >&2; exit 1; }
mv "$work"/*.deb "$work"/*.buildinfo "$work"/*.changes "$out/"
ls "$out"/*.deb
