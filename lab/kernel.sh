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
# The lab kernel is one that build-kernel.sh has left there, with the switches of switches/.

# What the guest may need and a kernel may have as a module. A name that is not found is built in,
# or the kernel has no such thing: the guest notices when it looks for the device.
LAB_MODULES="virtio_pci virtio_blk loop brd lz4 lzo-rle zram"

# The newest installable kernel package of a series (6.12, 6.1): not the unsigned or debug builds,
# not the metapackage, which has no third number.
newest_package() {
	local series=$1 pattern=${1//./\\.}
	shift
	apt-cache "$@" pkgnames "linux-image-$series" 2>/dev/null |
		{ grep -E "^linux-image-$pattern\.[0-9][^/]*-cloud-amd64\$" || true; } | sort -V | tail -n 1
}

# The package with the sources of a series.
source_package() {
	local series=$1
	shift
	apt-cache "$@" pkgnames "linux-source-$series" 2>/dev/null | { grep -xF "linux-source-$series" || true; }
}

# Options that make apt keep lists and packages of its own below the cache, so that an unprivileged
# user can fetch a package although the system's lists are missing or out of date.
private_apt_options() {
	local dir=$1
	mkdir -p "$dir/state/lists/partial" "$dir/cache/archives/partial"
	printf '%s\n' -o "Dir::State=$dir/state" -o "Dir::State::lists=$dir/state/lists" \
		-o "Dir::Cache=$dir/cache" \
		-o Dir::State::status=/var/lib/dpkg/status -o APT::Sandbox::User=root
}

# download_package FIND SERIES DIR: leaves exactly one .deb in DIR, of the package that FIND names.
download_package() {
	local find=$1 series=$2 dir=$3 package options=()

	package=$("$find" "$series")
	if [ -n "$package" ] && (cd "$dir" && apt-get -o APT::Sandbox::User=root -q download "$package") >&2; then
		return 0
	fi
	say "the system's package lists do not give a $series kernel; fetching lists of our own"
	mapfile -t options < <(private_apt_options "$LAB_CACHE/apt-$series")
	if ! apt-get "${options[@]}" -q update >&2; then
		say "apt-get update failed: is there a network, and an archive in /etc/apt?"
		return 1
	fi
	package=$("$find" "$series" "${options[@]}")
	if [ -z "$package" ]; then
		say "no package of kernel $series in the archives of /etc/apt ($find), or no network"
		return 1
	fi
	rm -f "$dir"/*.deb
	(cd "$dir" && apt-get "${options[@]}" -q download "$package") >&2
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

# prepare_tree ROOT DIR LABEL: from an unpacked package (or an installation) below ROOT to a
# prepared kernel.
prepare_tree() {
	local root=$1 dir=$2 label=$3 image release name
	image=$(find "$root/boot" -maxdepth 1 -name 'vmlinuz-*' | sort -V | tail -n 1)
	if [ -z "$image" ]; then
		say "no boot/vmlinuz-* below $root"
		return 1
	fi
	release=${image##*/vmlinuz-}
	mkdir -p "$dir/modules"
	cp "$image" "$dir/vmlinuz"
	if [ -r "$root/boot/config-$release" ]; then
		cp "$root/boot/config-$release" "$dir/config"
	fi
	echo "$release" >"$dir/release"
	echo "$label" >"$dir/package"
	ADDED_MODULES=""
	MODULE_NUMBER=0
	for name in $LAB_MODULES; do
		[ -d "$root/lib/modules/$release" ] || break
		add_module "$root/lib/modules/$release" "$name" "$dir/modules" || return 1
	done
}

# unpack_package DEB DIR: a .deb to a prepared kernel.
unpack_package() {
	local deb=$1 dir=$2 label status=0 root
	root=$(mktemp -d "$LAB_CACHE/unpack.XXXXXX")
	label=$(dpkg-deb -W --showformat='${Package} ${Version}' "$deb") &&
		dpkg-deb -x "$deb" "$root" && prepare_tree "$root" "$dir" "$label" || status=1
	rm -rf "$root"
	return $status
}

# fetch_series SERIES DIR
fetch_series() {
	local dir=$2 work status=0
	work=$(mktemp -d "$LAB_CACHE/fetch.XXXXXX")
	# apt's download user must be able to enter the folder, or apt warns.
	chmod 755 "$work"
	download_package newest_package "$1" "$work" && unpack_package "$work"/*.deb "$dir" || status=1
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
	*.deb) unpack_package "$want" "$dir" ;;
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
	[0-9].[0-9] | [0-9].[0-9][0-9]) key=$want ;;
	*)
		if [ ! -e "$want" ]; then
			say "--kernel $want: neither a series such as 6.12 or 6.1 nor a file or folder"
			return 1
		fi
		key=path-$(path_key "$want")
		;;
	esac
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
