# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
# Packages from Debian's archive, without changing anything of this machine: apt with lists of its own below the
# lab's cache. Where the archive is, is read from the machine's own configuration of apt. Sourced by run.sh and
# build-kernel.sh.
#
# A package is looked for in the lists that the machine has, then in those that its own sources have now, then in
# the other suites of the same archive, one after another: a machine with Debian 12 can boot a kernel of Debian 14.

# The small lists first: most kernels are in backports. Those of forky and sid are 10 MB each.
ARCHIVE_SUITES="trixie-backports bookworm-security trixie-security bullseye-security bookworm-backports experimental
	bookworm trixie bullseye forky sid"

ARCHIVE_KEYRING=/usr/share/keyrings/debian-archive-keyring.gpg

# Architecture of the packages, as Debian calls it.
LAB_ARCH=${LAB_ARCH:-amd64}

# native_arch: whether the machine's own lists are of the guest's architecture.
native_arch() {
	[ "$(dpkg --print-architecture 2>/dev/null)" = "$LAB_ARCH" ]
}

# Options that make apt keep lists and packages of its own below the cache, so that an unprivileged
# user can fetch a package although the system's lists are missing or out of date.
private_apt_options() {
	local dir=$1
	mkdir -p "$dir/state/lists/partial" "$dir/cache/archives/partial"
	printf '%s\n' -o "Dir::State=$dir/state" -o "Dir::State::lists=$dir/state/lists" \
		-o "Dir::Cache=$dir/cache" -o Acquire::Languages=none \
		-o Dir::State::status=/var/lib/dpkg/status -o APT::Sandbox::User=root
}

# archive_uri SUITE: where the machine's apt finds Debian, or its security updates.
archive_uri() {
	local pattern='/debian/?$'
	[ "${1%-security}" = "$1" ] || pattern='/debian-security/?$'
	# shellcheck disable=SC2016 # apt's variables
	apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 2>/dev/null |
		{ grep -E "$pattern" || true; } | head -n 1
}

# suite_apt_options SUITE DIR: options for apt that know this suite and nothing else.
suite_apt_options() {
	local suite=$1 dir=$2 uri signed=
	uri=$(archive_uri "$suite")
	[ -n "$uri" ] || return 1
	[ ! -r "$ARCHIVE_KEYRING" ] || signed=" signed-by=$ARCHIVE_KEYRING"
	mkdir -p "$dir/etc"
	echo "deb [arch=$LAB_ARCH$signed] $uri $suite main" >"$dir/etc/sources.list"
	: >"$dir/etc/status"
	private_apt_options "$dir"
	printf '%s\n' -o "Dir::Etc::sourcelist=$dir/etc/sources.list" -o "Dir::Etc::sourceparts=$dir/etc/none" \
		-o "Dir::State::status=$dir/etc/status" -o "APT::Architecture=$LAB_ARCH" -o "APT::Architectures=$LAB_ARCH"
}

# download_found DIR PACKAGES [APT-OPTIONS...]: the packages, one a line, into DIR.
download_found() {
	local dir=$1 names
	mapfile -t names <<<"$2"
	shift 2
	rm -f "$dir"/*.deb
	(cd "$dir" && apt-get -o APT::Sandbox::User=root "$@" -q download "${names[@]}") >&2
}

# download_from DIR FIND WHAT APT-OPTIONS...: after an update of lists of our own.
download_from() {
	local dir=$1 find=$2 what=$3 packages
	shift 3
	apt-get "$@" -q update >&2 || return 1
	packages=$("$find" "$what" "$@")
	[ -n "$packages" ] && download_found "$dir" "$packages" "$@"
}

# download_suites DIR FIND WHAT: from the first suite that has it.
download_suites() {
	local suite lists options status
	for suite in $ARCHIVE_SUITES; do
		lists=$(mktemp -d "$LAB_CACHE/apt.XXXXXX")
		chmod 755 "$lists"
		mapfile -t options < <(suite_apt_options "$suite" "$lists")
		status=1
		if [ ${#options[@]} -gt 0 ]; then
			say "looking in $suite"
			download_from "$1" "$2" "$3" "${options[@]}" 2>"$lists/log" && status=0
			[ $status -eq 0 ] || { grep '^E:' "$lists/log" || true; } | head -n 1 >&2
		fi
		rm -rf "$lists"
		[ $status -ne 0 ] || return 0
	done
	return 1
}

# download_packages FIND WHAT DIR: leaves in DIR the .deb files of the packages that FIND names.
download_packages() {
	local find=$1 what=$2 dir=$3 packages options=()

	if native_arch; then
		packages=$("$find" "$what")
		[ -n "$packages" ] && download_found "$dir" "$packages" && return 0
		if [ -n "$packages" ] || [ -z "$(apt-cache pkgnames linux-image- 2>/dev/null | head -n 1)" ]; then
			say "the system's package lists are missing or out of date; fetching lists of our own"
			mapfile -t options < <(private_apt_options "$LAB_CACHE/apt-$what")
			download_from "$dir" "$find" "$what" "${options[@]}" && return 0
		fi
	fi
	download_suites "$dir" "$find" "$what" && return 0
	if [ -z "$(archive_uri main)" ]; then
		say "no archive of Debian in the configuration of apt here"
	else
		say "no $what ($LAB_ARCH, $find) in any suite of the archive that apt is configured for here, or no network"
	fi
	return 1
}
