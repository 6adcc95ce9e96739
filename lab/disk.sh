# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
# A disk of libraries and kernel headers for guests whose recorder compiles its programs (record --backend bcc). Made of
# Debian packages without root and kept in the cache. Sourced by run.sh.

# What a swaptrace with shared libraries needs, libbcc included; their own libraries follow from the packages.
DISK_PACKAGES="libbpfcc libbpf1 libelf1 zlib1g libzstd1 libxxhash0 libjansson4 libtracecmd1 libtracefs1 libtraceevent1 libc6"

# apt in the way that download_packages found to work: the system's lists, or lists of our own.
disk_apt() {
	local command=$1
	shift
	"$command" -o APT::Sandbox::User=root ${DISK_APT[@]+"${DISK_APT[@]}"} "$@"
}

# Names of the libraries' packages and of all libraries that they need.
disk_libraries() {
	# shellcheck disable=SC2086 # the names are words
	disk_apt apt-cache depends --recurse --no-recommends --no-suggests --no-conflicts --no-breaks --no-replaces \
		--no-enhances --no-pre-depends $DISK_PACKAGES | grep -E '^(lib[a-z0-9].*|zlib1g)$' | grep -v ':' | sort -u
}

# The two packages of a kernel's headers: its own, and what all flavours share.
disk_headers() {
	echo "linux-headers-$1"
	disk_apt apt-cache depends "linux-headers-$1" | sed -n 's/^ *Depends: \(linux-headers-.*-common\)$/\1/p'
}

# Lists of packages that know the kernel's headers.
disk_lists() {
	local release=$1 lists
	DISK_APT=()
	disk_apt apt-cache show "linux-headers-$release" >/dev/null 2>&1 && return 0
	say "the system's package lists do not give linux-headers-$release; fetching lists of our own"
	mapfile -t lists < <(private_apt_options "$LAB_CACHE/apt-disk")
	DISK_APT=("${lists[@]}")
	if ! disk_apt apt-get -q update >&2; then
		say "apt-get update failed: is there a network, and an archive in /etc/apt?"
		return 1
	fi
	disk_apt apt-cache show "linux-headers-$release" >/dev/null 2>&1 && return 0
	say "no package linux-headers-$release in the archives of /etc/apt"
	return 1
}

# unpack_disk DEBS ROOT: everything below usr; the guest has links there.
unpack_disk() {
	local debs=$1 root=$2 deb name
	for deb in "$debs"/*.deb; do
		dpkg-deb -x "$deb" "$root" || return 1
	done
	mkdir -p "$root/usr"
	for name in lib lib64; do
		[ ! -d "$root/$name" ] || [ -L "$root/$name" ] || cp -a "$root/$name" "$root/usr/" || return 1
	done
	# What no compiler looks at; the kernel's own file would lend its types to who looks for BTF.
	find "$root" -mindepth 1 -maxdepth 1 ! -name usr -exec rm -rf {} + &&
		rm -rf "$root"/usr/share "$root"/usr/bin "$root"/usr/src/*/vmlinux &&
		find "$root/usr/src" -mindepth 3 -maxdepth 3 -path '*/arch/*' ! -name x86 -exec rm -rf {} +
}

# build_disk RELEASE FILE
build_disk() {
	local release=$1 file=$2 work names mb status=0
	disk_lists "$release" || return 1
	mapfile -t names < <(disk_libraries && disk_headers "$release")
	work=$(mktemp -d "$LAB_CACHE/disk.XXXXXX")
	mkdir "$work/debs" "$work/root"
	chmod 755 "$work"
	say "fetching ${#names[@]} packages for the disk"
	(cd "$work/debs" && disk_apt apt-get -q download "${names[@]}") >&2 && unpack_disk "$work/debs" "$work/root" ||
		status=1
	if [ $status -eq 0 ]; then
		mb=$(du -sm "$work/root" | cut -f 1)
		truncate -s "$((mb + mb / 8 + 64))M" "$file.new" &&
			/sbin/mkfs.ext4 -q -O ^has_journal -N 60000 -d "$work/root" "$file.new" >&2 && mv "$file.new" "$file" ||
			status=1
	fi
	rm -rf "$work" "$file.new"
	return $status
}

# prepare_disk WHICH: sets DISK_FILE. A file is taken as it is; "bcc" is made once for each kernel.
prepare_disk() {
	if [ "$1" != bcc ]; then
		DISK_FILE=$1
		[ -f "$DISK_FILE" ] && return 0
		say "--disk $1: no such file (and not the word bcc)"
		return 1
	fi
	if [ ! -x /sbin/mkfs.ext4 ]; then
		say "mkfs.ext4 is not installed (package e2fsprogs)"
		return 1
	fi
	if [ ! -f "$KERNEL_DIR/release" ]; then
		say "--disk bcc: the release of this kernel is not known, so its headers can't be found"
		return 1
	fi
	DISK_FILE=$KERNEL_DIR/bcc-$(sha256sum <<<"$DISK_PACKAGES" | cut -c 1-8).ext4
	(
		flock 9
		[ -e "$DISK_FILE" ] || build_disk "$(cat "$KERNEL_DIR/release")" "$DISK_FILE"
	) 9>"$KERNEL_DIR.lock"
}
