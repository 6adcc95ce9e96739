#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The libraries that swaptrace needs, of another architecture, for a crossed build: unpacked from Debian's packages
# below the lab's cache, so that nothing is installed here. Prints the folder.
#
# usage: make O=build/arm64 ARCH=arm64 CROSS_COMPILE=aarch64-linux-gnu- $(lab/sysroot.sh --flags arm64) build/arm64/swaptrace.static
#        lab/sysroot.sh arm64
# The compiler is a package of its own (gcc-aarch64-linux-gnu).
set -u -o pipefail

LAB=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
LAB_CACHE=${LAB_CACHE:-${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/swaptrace-lab}

say() {
	echo "sysroot: $*" >&2
}

flags=0
[ "${1:-}" != --flags ] || { flags=1 && shift; }
case ${1:-} in
arm64) triplet=aarch64-linux-gnu ;;
amd64) triplet=x86_64-linux-gnu ;;
*) sed -n 's/^# usage: /usage: /p' "${BASH_SOURCE[0]}" >&2 && exit 2 ;;
esac
LAB_ARCH=$1
# shellcheck source=lab/archive.sh
. "$LAB/archive.sh"
# The machine's own suite, so that headers and compiler fit.
# shellcheck source=/dev/null
ARCHIVE_SUITES=$(. /etc/os-release && echo "${VERSION_CODENAME:-sid}")

# Called by download_packages with options of apt.
libraries() {
	printf '%s\n' libbpf-dev libelf-dev zlib1g-dev libzstd-dev libxxhash-dev libjansson-dev libseccomp-dev
}

ROOT=$LAB_CACHE/sysroot-$LAB_ARCH-$ARCHIVE_SUITES
if [ ! -d "$ROOT/usr/include/bpf" ]; then
	mkdir -p "$LAB_CACHE"
	work=$(mktemp -d "$LAB_CACHE/fetch.XXXXXX") || exit 125
	trap 'rm -rf "$work"' EXIT
	chmod 755 "$work"
	download_suites "$work" libraries "$LAB_ARCH" || { say "libraries of $LAB_ARCH can't be had, see above" && exit 123; }
	rm -rf "$ROOT" "$ROOT.new"
	for deb in "$work"/*.deb; do
		dpkg-deb -x "$deb" "$ROOT.new" || exit 125
	done
	mv "$ROOT.new" "$ROOT" || exit 125
fi
if [ $flags -eq 1 ]; then
	# Beside the compiler's own headers, of which there are none here.
	echo "CPPFLAGS=-isystem$ROOT/usr/include LDFLAGS=-L$ROOT/usr/lib/$triplet"
else
	echo "$ROOT"
fi
