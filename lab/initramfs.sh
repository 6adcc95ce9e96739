# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
# The guest's initramfs: busybox, our own workload program, modules, the recorder. Sourced by
# run.sh.


# Prints the path of a busybox without shared libraries. ldd refuses such a file; that needs no
# extra package.
static_busybox() {
	local path
	for path in "${BUSYBOX:-}" /bin/busybox /usr/bin/busybox /bin/busybox.static; do
		if [ -n "$path" ] && [ -x "$path" ] && ! ldd "$path" >/dev/null 2>&1; then
			echo "$path"
			return 0
		fi
	done
	return 1
}

# guest_busybox: sets BUSYBOX_FILE; that of another architecture comes from its package.
guest_busybox() {
	local work
	BUSYBOX_FILE=$LAB_CACHE/busybox-$ARCH
	if native_arch; then
		BUSYBOX_FILE=$(static_busybox)
		return
	fi
	[ ! -x "$BUSYBOX_FILE" ] || return 0
	work=$(mktemp -d "$LAB_CACHE/fetch.XXXXXX") && chmod 755 "$work"
	download_packages busybox_package "$ARCH" "$work" && dpkg-deb -x "$work"/*.deb "$work/root" &&
		find "$work/root" -name busybox -type f -exec install -m 755 {} "$BUSYBOX_FILE" \;
	rm -rf "$work"
	[ -x "$BUSYBOX_FILE" ]
}

# Called by download_packages with the architecture and options of apt.
busybox_package() {
	shift
	apt-cache "$@" show busybox-static >/dev/null 2>&1 && echo busybox-static
}

# Builds lab/workload*.c once per content of the sources; sets WORKLOAD_PROGRAM.
build_workload() {
	local key
	key=$(cat "$LAB"/workload*.[ch] | sha256sum | cut -c 1-16)
	WORKLOAD_PROGRAM=$LAB_CACHE/workload-$key
	[ "$ARCH" = amd64 ] || WORKLOAD_PROGRAM=$WORKLOAD_PROGRAM-$ARCH
	[ -x "$WORKLOAD_PROGRAM" ] && return 0
	"$GUEST_CC" -std=gnu11 -O2 -Wall -Wextra -Werror -static -o "$WORKLOAD_PROGRAM.$$" "$LAB"/workload*.c >&2 &&
		mv "$WORKLOAD_PROGRAM.$$" "$WORKLOAD_PROGRAM"
}

# A value as one word of the guest's shell.
shell_quote() {
	printf "'%s'" "${1//\'/\'\\\'\'}"
}

guest_variable() {
	printf '%s=%s\n' "$1" "$(shell_quote "$2")"
}

guest_environment() {
	local pair plan
	plan=$(printf '%s\n' ${SWAP_PLAN[@]+"${SWAP_PLAN[@]}"})
	guest_variable LAB_NAME "${WORKLOAD:-$(basename "$SCRIPT" .sh)}"
	guest_variable LAB_SWAP_PLAN "$plan"
	guest_variable LAB_SIZE "$SIZE"
	guest_variable LAB_THP "$THP"
	guest_variable LAB_RECORD_ARGS "$RECORD_ARGS"
	guest_variable LAB_RECORD_FROM "$RECORD_FROM"
	guest_variable LAB_POLICY_AT "$([ ${#POLICIES[@]} -eq 0 ] || echo "$POLICY_AT")"
	for pair in ${EXTRA_ENV[@]+"${EXTRA_ENV[@]}"}; do
		case ${pair%%=*} in
		'' | [0-9]* | *[!A-Za-z0-9_]*) die "$EXIT_USAGE" "--env $pair: not NAME=VALUE" ;;
		esac
		guest_variable "${pair%%=*}" "${pair#*=}"
	done
}

# put MODE SOURCE GUEST-PATH
put() {
	mkdir -p "$WORK/root/$(dirname "$3")" && install -m "$1" "$2" "$WORK/root/$3"
}

put_extra_files() {
	local pair
	for pair in ${EXTRA_FILES[@]+"${EXTRA_FILES[@]}"}; do
		[ -f "${pair%%:*}" ] && [ "${pair#*:/}" != "$pair" ] ||
			die "$EXIT_USAGE" "--file $pair: not FILE:/PATH/IN/THE/GUEST, or no such file"
		put 755 "${pair%%:*}" "${pair#*:/}" || return 1
	done
}

make_initramfs() {
	local root=$WORK/root release module
	build_workload && guest_busybox || return 1
	mkdir -p "$root"/{bin,dev,proc,sys,tmp,run,out,lab/modules}
	put 755 "$BUSYBOX_FILE" bin/busybox && put 755 "$LAB/guest/init" init &&
		put 644 "$LAB/guest/lib.sh" lab/lib.sh && put 755 "$WORKLOAD_PROGRAM" bin/workload &&
		put 755 "$SCRIPT" lab/script || return 1
	if [ -n "$RECORDER" ]; then
		put 755 "$RECORDER" bin/swaptrace || return 1
	fi
	if [ -f "$KERNEL_DIR/config" ]; then
		release=$(cat "$KERNEL_DIR/release")
		put 644 "$KERNEL_DIR/config" "boot/config-$release" || return 1
	fi
	for module in "$KERNEL_DIR"/modules/*.ko; do
		[ ! -f "$module" ] || put 644 "$module" "lab/modules/${module##*/}" || return 1
	done
	put_extra_files || return 1
	guest_environment >"$root/lab/env" || return 1
	(cd "$root" && find . -mindepth 1 | cpio -o -H newc --quiet -R 0:0) >"$WORK/initrd"
}
