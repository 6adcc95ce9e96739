#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Installs what is missing of the Debian packages that building, testing and the lab need; nothing
# else, and no recommended packages. Needs neither root nor a network where nothing is missing.
#
# usage: lab/deps.sh [--list | --missing]
# GUESTS=0 leaves out what only guests need, HAVE_BPF=0 what only record needs, HAVE_TRACECMD=0 what
# only the import of trace.dat needs; LAB_KERNEL=1 adds what building the lab kernel needs,
# DEB=1 what make deb needs, BCC=1 what record --backend bcc and make check-bcc need (with LLVM, 200 MB).
set -u

# Without these nothing works (jq, zstd: for tests). libbpf and what it needs are for record
# only (HAVE_BPF=0 builds without).
BUILD="gcc libc6-dev make jq zstd libzstd-dev libxxhash-dev libjansson-dev libcmocka-dev libseccomp-dev zlib1g-dev"
BPF="clang bpftool libbpf-dev libelf-dev"
# The lab kernel (make lab-kernel). Its sources are a package as well, which needs no installation.
KERNEL="bc bison coccinelle flex libelf-dev libssl-dev pahole xz-utils"
# Pictures, formats of other tools, trace.dat and guests: what needs them says so, and is skipped, where they can't be had.
OPTIONAL="gnuplot-nox babeltrace2 protobuf-compiler"
[ "${GUESTS:-1}" = 0 ] || OPTIONAL="$OPTIONAL qemu-system-x86 qemu-utils busybox-static cpio xz-utils trace-cmd"
[ "${HAVE_TRACECMD:-1}" = 0 ] || OPTIONAL="$OPTIONAL libtracecmd-dev libtraceevent-dev libtracefs-dev"
[ "${DEB:-0}" = 0 ] || OPTIONAL="$OPTIONAL debhelper dpkg-dev fakeroot lintian"
[ "${BCC:-0}" = 0 ] || OPTIONAL="$OPTIONAL libbpfcc-dev e2fsprogs"

say() {
	echo "deps: $*" >&2
}

missing() {
	local package
	for package; do
		[ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || echo "$package"
	done
}

as_root() {
	if [ "$(id -u)" -eq 0 ]; then
		"$@"
	else
		sudo "$@"
	fi
}

# shellcheck disable=SC2086 # the lists are words
install_packages() {
	as_root env DEBIAN_FRONTEND=noninteractive apt-get -q install -y --no-install-recommends $1 >&2
}

main() {
	local needed=$BUILD need optional
	[ "${HAVE_BPF:-1}" = 0 ] || needed="$needed $BPF"
	[ "${LAB_KERNEL:-0}" = 0 ] || needed="$needed $KERNEL"
	if [ "${1:-}" = --list ]; then
		# shellcheck disable=SC2086
		printf '%s\n' $needed $OPTIONAL
		exit 0
	fi
	if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
		say "this is no Debian; install the equivalents of: $needed $OPTIONAL"
		exit 4
	fi
	# shellcheck disable=SC2086
	need=$(missing $needed | tr '\n' ' ') optional=$(missing $OPTIONAL | tr '\n' ' ')
	if [ "${1:-}" = --missing ]; then
		# shellcheck disable=SC2086
		[ -z "$need$optional" ] || printf '%s\n' $need $optional
		exit 0
	fi
	[ -n "$need$optional" ] || exit 0
	if [ "$(id -u)" -ne 0 ] && ! command -v sudo >/dev/null; then
		say "as root: apt-get install --no-install-recommends $need$optional"
		[ -z "$need" ] && exit 0
		exit 4
	fi
	say "installing $need$optional"
	as_root apt-get -q update >&2 || say "apt-get update failed; trying with the package lists that are there"
	if [ -n "$need" ] && ! install_packages "$need"; then
		say "could not install: $need"
		exit 4
	fi
	if [ -n "$optional" ] && ! install_packages "$optional"; then
		say "could not install: $optional; pictures, trace.dat or guest runs will be skipped"
	fi
}

main "$@"
