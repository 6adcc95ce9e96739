#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Nothing of the user's is destroyed by writing, whatever fails: every system call of every writing command fails in
# turn, memory runs out at every request, the disk is full, and the file that was there, or the new one, is there
# as a whole. TORTURE=1 (make torture) takes every call; otherwise some 12 of each kind are taken.
# sanitizers: no
# timeout: 600
set -u
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/faults/writers.sh
. "$TOP/tests/faults/writers.sh"

BUILD=$(dirname "$SWAPTRACE")
INJECT=$BUILD/tests/inject
NO_MEMORY=$BUILD/tests/no_memory.so
COUNT=$WORK/count
POINTS=12 # of a kind of call, without TORTURE
BAD=

[ -x "$INJECT" ] && [ -f "$NO_MEMORY" ] || tap_skip_all "make has not built $INJECT"
"$INJECT" -c write -n 1 -e EIO -- true
[ $? -ne 77 ] || tap_skip_all "one process may not watch another here"

# judge STATUS WHAT: after a fault. A signal that nobody sent is a crash.
judge() {
	if ! old_or_new; then
		BAD="$BAD$2: status $1, $STATE; "
	elif [ "$1" -eq 0 ] && [ "$STATE" != new ]; then
		BAD="$BAD$2: status 0, but $STATE; "
	elif [ "$1" -ge 126 ]; then
		BAD="$BAD$2: status $1; "
	elif [[ $2 != unlink* ]] && [ -n "$(leftovers)" ]; then
		BAD="$BAD$2: left a temporary; "
	fi
}

# step: from one point to the next, of as many as COUNT says.
step() {
	local all by
	all=$(cat "$COUNT")
	by=$(((all + POINTS - 1) / POINTS))
	[ "${TORTURE:-0}" != 1 ] && [ "$by" -gt 0 ] || by=1
	echo "$by"
}

# every KINDS ERRNO: each such call fails once.
every() {
	local n by
	reset
	"$INJECT" -c "$1" -o "$COUNT" -- "${COMMAND[@]}" >/dev/null 2>&1 <"$STDIN"
	by=$(step)
	for ((n = 1; n <= $(cat "$COUNT"); n += by)); do
		reset
		"$INJECT" -c "$1" -n $n -e "$2" -- "${COMMAND[@]}" >/dev/null 2>"$ERR" <"$STDIN"
		judge $? "$1 $n $2"
	done
}

without_memory() {
	local n by
	reset
	LD_PRELOAD=$NO_MEMORY NO_MEMORY_COUNT=$COUNT "${COMMAND[@]}" >/dev/null 2>&1 <"$STDIN"
	by=$(step)
	for ((n = 1; n <= $(cat "$COUNT"); n += by)); do
		reset
		LD_PRELOAD=$NO_MEMORY NO_MEMORY_AT=$n "${COMMAND[@]}" >/dev/null 2>"$ERR" <"$STDIN"
		judge $? "request for memory $n"
	done
}

# A file size limit, in blocks of 1 kB, is a disk that is full after so much.
within() {
	local n size
	size=$(du -sk --apparent-size "$NEW" | cut -f1)
	for ((n = 0; n <= size; n += size / 6 + 1)); do
		reset
		(ulimit -f $n && exec "${COMMAND[@]}") >/dev/null 2>"$ERR" <"$STDIN"
		judge $? "limit of $n kB"
	done
}

# told DESCRIPTION: of what was tried since the last time.
told() {
	local status=0
	[ -z "$BAD" ] || status=1
	tap_ok $status "$WRITER: $1" || echo "$BAD" | tr ';' '\n' | head -n 20 | tap_comment
	BAD=
}

# A file system that is really full: the old file stays, and so it does when not even a name fits.
full_disk() {
	local disk=$WORK/disk status
	mkdir -p "$disk"
	if ! mount -t tmpfs -o size=64k,nr_inodes=8 none "$disk" 2>/dev/null; then
		tap_skip "a full disk keeps the old file" "no tmpfs may be mounted"
		return
	fi
	cp "$WORK/in/old.json" "$disk/target"
	dd if=/dev/zero of="$disk/fill" bs=1k 2>/dev/null
	"$SWAPTRACE" replay -q "$WORK/in/b.data" -o "$disk/target" >/dev/null 2>"$ERR"
	status=$?
	cmp -s "$WORK/in/old.json" "$disk/target"
	tap_is "$status $? $(ls "$disk" | xargs)" "4 0 fill target" "a full disk keeps the old file"
	umount "$disk"
}

prepare_inputs || tap_skip_all "the inputs could not be made"
# shellcheck disable=SC2086 # words
set -- $WRITERS
tap_plan $(($# * 4 + 1))
for writer; do
	if ! choose "$writer"; then
		for _ in 1 2 3 4; do tap_ok 1 "$writer: works when nothing fails"; done
		tap_show "$ERR"
		continue
	fi
	every write ENOSPC && every write EIO && every write EINTR
	told "every write fails once"
	every sync EIO && every rename EIO && every open EIO && every close EIO && every mkdir ENOSPC &&
		every chmod EIO && every unlink EIO && every open EINTR && every sync EINTR
	told "every other call fails once"
	without_memory
	told "every request for memory fails once"
	within
	told "no room for all of it"
done
full_disk
tap_end
