#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Builds the lab kernel: Debian's linux-source-6.12, a small configuration (lab.config) and the switches
# of switches/. The result is a prepared kernel in the cache, which lab/run.sh --kernel lab boots. One that
# is there already is not built again. About 10 minutes on 2 cores, 1 or 2 after a change of the switches.
#
# usage: lab/build-kernel.sh
# Variables: LAB_CACHE as for lab/run.sh; JOBS, compilers at a time (default: all CPUs).
set -u -o pipefail

LAB=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=lab/archive.sh
. "$LAB/archive.sh"
# shellcheck source=lab/kernel.sh
. "$LAB/kernel.sh"

LAB_CACHE=${LAB_CACHE:-${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/swaptrace-lab}
JOBS=${JOBS:-$(nproc)}
SERIES=6.12
PACKAGE=linux-source-$SERIES
BUILD=$LAB_CACHE/lab-kernel
# Files in BUILD: source/ (the tree that is built), mm/ (its mm/ as it came), version (of the package).

say() {
	echo "lab-kernel: $*" >&2
}

die() {
	say "$*"
	exit 125
}

installed_version() {
	[ -r "/usr/src/$PACKAGE.tar.xz" ] &&
		dpkg-query -W -f '${db:Status-Status} ${Version}\n' "$PACKAGE" 2>/dev/null | sed -n 's/^installed //p'
}

# unpack_source TARBALL VERSION
unpack_source() {
	say "unpacking $PACKAGE $2"
	rm -rf "$BUILD/source" "$BUILD/mm" "$BUILD/version" "$BUILD/unpack"
	mkdir -p "$BUILD/unpack" &&
		tar -xf "$1" -C "$BUILD/unpack" && mv "$BUILD/unpack"/linux-source-* "$BUILD/source" &&
		cp -Rp "$BUILD/source/mm" "$BUILD/mm" && echo "$2" >"$BUILD/version" && rm -rf "$BUILD/unpack"
}

# The package from the archive, unpacked without being installed.
fetch_source() {
	local work deb status=0
	work=$(mktemp -d "$LAB_CACHE/fetch.XXXXXX") && chmod 755 "$work"
	if download_packages source_package $SERIES "$work"; then
		deb=$(echo "$work"/*.deb)
		dpkg-deb -x "$deb" "$work/root" &&
			unpack_source "$work/root/usr/src/$PACKAGE.tar.xz" \
				"$(dpkg-deb -W --showformat='${Version}' "$deb")" || status=1
	else
		status=1
	fi
	rm -rf "$work" "$LAB_CACHE/apt-$SERIES"
	return $status
}

# The sources: the installed package's, else what is unpacked here already, else fetched.
prepare_source() {
	local installed unpacked
	installed=$(installed_version)
	unpacked=$(cat "$BUILD/version" 2>/dev/null)
	if [ -n "$installed" ]; then
		[ "$installed" = "$unpacked" ] || unpack_source "/usr/src/$PACKAGE.tar.xz" "$installed"
	elif [ -z "$unpacked" ]; then
		fetch_source
	fi
}

# patch_file FILE: with the semantic patch of that name.
patch_file() {
	local log=$WORK/spatch.log
	spatch --very-quiet --no-show-diff --sp-file "$LAB/switches/${1%.c}.cocci" "$WORK/$1" -o "$WORK/patched.c" \
		>"$log" 2>&1 && [ -s "$WORK/patched.c" ] && mv "$WORK/patched.c" "$WORK/$1" && return 0
	cat "$log" >&2
	die "the switches of $1 could not be applied"
}

# expect_once FILE TEXT: the switch is in, at one place.
expect_once() {
	local n
	n=$(grep -cF -e "$2" "$WORK/$1")
	[ "$n" = 1 ] || die "$1 has '$2' $n times, not once: these sources differ from what the switches are made for"
}

# keep_function FILE NAME: the one definition of the function gets attributes that keep the compiler from
# inlining or changing it.
keep_function() {
	awk -v name="$2" '
		{ line[NR] = $0 }
		END {
			for (i = 1; i <= NR; i++) {
				if (line[i] !~ "^[a-z].*[ *]" name "\\(")
					continue
				for (j = i; j < NR && line[j] !~ /;/ && line[j + 1] !~ /^\{/; j++)
					;
				if (line[j] ~ /;/)
					continue
				line[i] = "noinline __noclone " line[i]
				n++
			}
			for (i = 1; i <= NR; i++)
				print line[i]
			exit n != 1
		}' "$WORK/$1" >"$WORK/kept.c" && mv "$WORK/kept.c" "$WORK/$1" ||
		die "$1 has not exactly one definition of $2()"
}

keep_functions() {
	local file names name
	while read -r file names; do
		case $file in '#'* | '') continue ;; esac
		for name in $names; do
			keep_function "$file" "$name"
		done
	done <"$LAB/switches/noinline"
}

# Every file of mm/ that the lab changes, made anew in WORK from the sources as they came.
make_switches() {
	local file
	for file in Makefile swap.c swapfile.c $(sed -n 's/^\([a-z_]*\.c\) .*/\1/p' "$LAB/switches/noinline" | sort -u); do
		cp "$BUILD/mm/$file" "$WORK/$file" || die "the sources have no mm/$file"
	done
	patch_file swap.c
	patch_file swapfile.c
	expect_once swap.c '#include "swaptrace.h"'
	expect_once swap.c 'swaptrace_drain_again()'
	expect_once swap.c 'swaptrace_evictable('
	expect_once swapfile.c '#include "swaptrace.h"'
	expect_once swapfile.c 'swaptrace_swapoff_lookup('
	expect_once swapfile.c 'swaptrace_alloc_swap('
	expect_once swapfile.c 'swaptrace_may_reclaim()'
	expect_once swapfile.c 'swaptrace_old_search()'
	expect_once swapfile.c 'swaptrace_partly_bad('
	expect_once swapfile.c 'swaptrace_singly(INT_MAX)'
	expect_once swapfile.c 'swaptrace_singly(SWAPFILE_CLUSTER - 1)'
	keep_functions
	printf '\n#include "swaptrace_search.h"\n' >>"$WORK/swapfile.c"
	printf '\nobj-$(CONFIG_SWAP) += swaptrace.o\n' >>"$WORK/Makefile"
	cp "$LAB"/switches/*.[ch] "$WORK/"
}

# Only files that differ get a new date, so that only those are compiled again.
install_switches() {
	local file
	make_switches
	for file in "$WORK"/Makefile "$WORK"/*.[ch]; do
		cmp -s "$file" "$BUILD/source/mm/${file##*/}" || cp "$file" "$BUILD/source/mm/" || die "cannot write to $BUILD"
	done
}

configure() {
	local line
	{
		make -s tinyconfig && scripts/kconfig/merge_config.sh -m .config "$LAB/lab.config" && make -s olddefconfig
	} >"$WORK/config.log" 2>&1 || { cat "$WORK/config.log" >&2 && die "the kernel could not be configured"; }
	while read -r line; do
		case $line in
		CONFIG_*) grep -qxF -e "$line" .config || die "lab.config: $line has no effect in these sources" ;;
		esac
	done <"$LAB/lab.config"
}

# Who built it, where and when is of no interest and would be in every trace.
compile() {
	local -x KBUILD_BUILD_USER=swaptrace KBUILD_BUILD_HOST=lab KBUILD_BUILD_VERSION=1 KBUILD_BUILD_TIMESTAMP
	KBUILD_BUILD_TIMESTAMP=$(date -ur Makefile)
	make -s -j"$JOBS" bzImage >"$WORK/make.log" 2>&1 && return
	tail -n 40 "$WORK/make.log" >&2
	die "the kernel could not be built"
}

# A folder as kernel.sh describes it.
store_kernel() {
	local dir=$1
	rm -rf "$dir.new"
	mkdir -p "$dir.new/modules" && cp arch/x86/boot/bzImage "$dir.new/vmlinuz" && cp .config "$dir.new/config" &&
		cp include/config/kernel.release "$dir.new/release" &&
		echo "$PACKAGE $(cat "$BUILD/version") with the switches of the lab" >"$dir.new/package" &&
		rm -rf "$dir" && mv "$dir.new" "$dir" || die "cannot write to $dir"
}

main() {
	local dir begin=$SECONDS
	mkdir -p "$BUILD" "$LAB_CACHE/kernel" || die "cannot make the cache folder $BUILD (set LAB_CACHE to another one)"
	exec 9>"$BUILD/lock" && flock 9 || die "cannot lock $BUILD"
	prepare_source || die "the sources can't be had, see above"
	dir=$LAB_CACHE/kernel/lab-$(lab_kernel_key)
	if [ -e "$dir/vmlinuz" ]; then
		say "is there: $dir"
		exit 0
	fi
	WORK=$(mktemp -d "$BUILD/work.XXXXXX") || die "cannot make a folder in $BUILD"
	trap 'rm -rf "$WORK"' EXIT
	install_switches
	cd "$BUILD/source" || die "no $BUILD/source"
	say "building $PACKAGE $(cat "$BUILD/version") with $JOBS compilers at a time"
	configure
	compile
	store_kernel "$dir"
	say "built in $((SECONDS - begin)) s: $dir"
}

main "$@"
