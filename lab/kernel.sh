# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
# Kernels for the lab: find, fetch and unpack a kernel package into the cache. Sourced by run.sh.
#
# A prepared kernel is a folder with:
#   vmlinuz    the image
#   config     its configuration
#   release    what uname -r says
#   package    name and version of the package it came from
#   modules/   NN-NAME.ko, decompressed, numbered in the order they must be loaded
# (config and modules/ stay empty where the archive has the image alone, as of 6.19, 7.0 and 7.1).
# The lab kernel is one that build-kernel.sh has left there, with the switches of switches/.

# What the guest may need and a kernel may have as a module. A name that is not found is built in,
# or the kernel has no such thing: the guest notices when it looks for the device.
LAB_MODULES="virtio_pci virtio_blk loop brd lz4 lzo-rle zram"

# The packages of the newest cloud kernel of a series (6.12, 6.1), or of one release (6.18.5), one a line: not the
# unsigned or debug builds, not the metapackage, which has no third number. From 6.19 Debian splits a kernel into image
# (linux-binary), modules and configuration (linux-base), and an archive may have the first alone.
kernel_packages() {
	local series=${1%-16k} flavour=cloud-$LAB_ARCH pattern release names
	# Pages of 16 kB are in a kernel of their own, which is no cloud kernel.
	[ "$series" = "$1" ] || flavour=arm64-16k
	pattern=${series//./\\.}
	shift
	case $series in
	*.*.*) pattern="$pattern[-+]" ;;
	*) pattern="$pattern\.[0-9]" ;;
	esac
	release=$(apt-cache "$@" pkgnames linux- 2>/dev/null |
		sed -nE "s/^linux-(image|binary)-($pattern[^/]*-$flavour)\$/\2/p" | grep -vE -- '-rt-'  | sort -V | tail -n 1)
	[ -n "$release" ] || return 0
	names=$(apt-cache "$@" show "linux-binary-$release" "linux-modules-$release" "linux-base-$release" 2>/dev/null |
		sed -n 's/^Package: //p' | sort -u)
	case $names in
	*linux-binary-*) echo "$names" ;;
	*) echo "linux-image-$release" ;;
	esac
}

# The package with the sources of a series.
source_package() {
	local series=$1
	shift
	apt-cache "$@" pkgnames "linux-source-$series" 2>/dev/null | { grep -xF "linux-source-$series" || true; }
}

# Prints the names in the depends= line of a module, one a line.
module_depends() {
	tr '\0' '\n' <"$1" | sed -n 's/^depends=//p' | head -n 1 | tr ',' '\n'
}

# find_module TREE NAME: path of the module file. File names use - and _ at will, module names do
# not.
find_module() {
	local tree=$1 pattern=${2//[-_]/[-_]}
	find "$tree" -name "$pattern.ko*" -print -quit
}

# add_module TREE NAME DIR: the module after everything it depends on; once each.
add_module() {
	local tree=$1 name=$2 dir=$3 file plain dep
	case " $ADDED_MODULES " in *" ${name//-/_} "*) return 0 ;; esac
	ADDED_MODULES="$ADDED_MODULES ${name//-/_}"
	file=$(find_module "$tree" "$name")
	[ -n "$file" ] || return 0
	plain=$dir/$name.ko
	case $file in
	*.xz) xz -dc "$file" >"$plain" ;;
	*.zst) zstd -qdc "$file" >"$plain" ;;
	*.gz) gzip -dc "$file" >"$plain" ;;
	*) cp "$file" "$plain" ;;
	esac || return 1
	for dep in $(module_depends "$plain"); do
		add_module "$tree" "$dep" "$dir" || return 1
	done
	MODULE_NUMBER=$((MODULE_NUMBER + 1))
	mv "$plain" "$(printf '%s/%02d-%s.ko' "$dir" "$MODULE_NUMBER" "$name")"
}

# prepare_tree ROOT DIR LABEL: from unpacked packages (or an installation) below ROOT to a prepared kernel. Image and
# configuration are in boot/, from 7.2 beside the modules.
prepare_tree() {
	local root=$1 dir=$2 label=$3 image release name tree file
	tree=$root/lib/modules
	[ -d "$tree" ] || tree=$root/usr/lib/modules
	image=$({ find "$root/boot" -maxdepth 1 -name 'vmlinuz-*'; find "$tree" -mindepth 2 -maxdepth 2 -name vmlinuz; } \
		2>/dev/null | sort -V | tail -n 1)
	case $image in
	'') say "neither boot/vmlinuz-* nor lib/modules/*/vmlinuz below $root" && return 1 ;;
	*/boot/*) release=${image##*/vmlinuz-} ;;
	*) release=${image%/vmlinuz} release=${release##*/} ;;
	esac
	mkdir -p "$dir/modules"
	cp "$image" "$dir/vmlinuz"
	for file in "$root/boot/config-$release" "$tree/$release/config"; do
		[ ! -r "$file" ] || cp "$file" "$dir/config"
	done
	echo "$release" >"$dir/release"
	echo "$label" >"$dir/package"
	ADDED_MODULES=""
	MODULE_NUMBER=0
	[ -d "$tree/$release/kernel" ] || say "$release: no modules in the archive, so no virtio, zram or brd in its guest"
	for name in $LAB_MODULES; do
		[ -d "$tree/$release" ] || break
		add_module "$tree/$release" "$name" "$dir/modules" || return 1
	done
}

# unpack_packages DIR DEB...: to a prepared kernel, named after the package of the image.
unpack_packages() {
	local dir=$1 label='' status=0 root deb
	shift
	root=$(mktemp -d "$LAB_CACHE/unpack.XXXXXX")
	for deb; do
		case ${deb##*/} in
		linux-modules-* | linux-base-*) ;;
		*) label=$(dpkg-deb -W --showformat='${Package} ${Version}' "$deb") || status=1 ;;
		esac
		dpkg-deb -x "$deb" "$root" || status=1
	done
	[ $status -ne 0 ] || prepare_tree "$root" "$dir" "$label" || status=1
	rm -rf "$root"
	return $status
}

# fetch_series SERIES DIR
fetch_series() {
	local dir=$2 work status=0
	work=$(mktemp -d "$LAB_CACHE/fetch.XXXXXX")
	# apt's download user must be able to enter the folder, or apt warns.
	chmod 755 "$work"
	download_packages kernel_packages "$1" "$work" && unpack_packages "$dir" "$work"/*.deb || status=1
	rm -rf "$work" "$LAB_CACHE/apt-$1"
	return $status
}

# Key of a kernel given as a path: changes with the file.
path_key() {
	printf '%s %s' "$(readlink -f "$1")" "$(stat -Lc '%s %Y' "$1")" | sha256sum | cut -c 1-16
}

# lab_kernel_key: changes with the sources, the switches and the configuration of the lab kernel. Fails
# where there are no sources yet.
lab_kernel_key() {
	[ -s "$LAB_CACHE/lab-kernel/version" ] || return 1
	(
		cd "$LAB" && cat "$LAB_CACHE/lab-kernel/version" build-kernel.sh lab.config switches/*
	) | sha256sum | cut -c 1-16
}

# build_kernel WANT DIR: whatever --kernel names, prepared in DIR.
build_kernel() {
	local want=$1 dir=$2
	case $want in
	*.deb) unpack_packages "$dir" "$want" ;;
	*)
		if [ -d "$want" ]; then
			prepare_tree "$want" "$dir" "folder ${want##*/}"
		elif [ -f "$want" ]; then
			mkdir -p "$dir/modules"
			cp "$want" "$dir/vmlinuz"
			echo "image ${want##*/}" >"$dir/package"
		else
			fetch_series "$want" "$dir"
		fi
		;;
	esac
}

# prepare_kernel WANT: sets KERNEL_DIR. Several runs may ask at once: the first one does the work.
prepare_kernel() {
	local want=$1 key
	case $want in
	lab)
		key=$(lab_kernel_key) && KERNEL_DIR=$LAB_CACHE/kernel/lab-$key &&
			[ -e "$KERNEL_DIR/vmlinuz" ] && return 0
		say "the lab kernel has not been built, or its switches have changed since: make lab-kernel"
		return 1
		;;
	[0-9].[0-9] | [0-9].[0-9][0-9] | [0-9].[0-9]*.[0-9]* | [0-9].*-16k) key=$want ;;
	*)
		if [ ! -e "$want" ]; then
			say "--kernel $want: neither a series such as 6.12 or 6.1, a release such as 6.18.5, nor a file or folder"
			return 1
		fi
		key=path-$(path_key "$want")
		;;
	esac
	[ "$LAB_ARCH" = amd64 ] || key=$LAB_ARCH-$key
	KERNEL_DIR=$LAB_CACHE/kernel/$key
	mkdir -p "$LAB_CACHE/kernel"
	(
		flock 9
		[ -e "$KERNEL_DIR/vmlinuz" ] && exit 0
		say "preparing kernel $want"
		rm -rf "$KERNEL_DIR.new"
		if ! build_kernel "$want" "$KERNEL_DIR.new"; then
			rm -rf "$KERNEL_DIR.new"
			exit 1
		fi
		rm -rf "$KERNEL_DIR"
		mv "$KERNEL_DIR.new" "$KERNEL_DIR"
	) 9>"$LAB_CACHE/kernel/$key.lock"
}
