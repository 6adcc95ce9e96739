#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Every writing command is killed: before each of its system calls, and at random moments. What is there afterwards is
# the old file or the new one, whole; only SIGKILL leaves a temporary. TORTURE=1 (make torture) takes every call and
# 200 moments for each signal; otherwise some calls and 20 moments are taken.
# sanitizers: no
# timeout: 600
set -u
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/faults/writers.sh
. "$TOP/tests/faults/writers.sh"

INJECT=$(dirname "$SWAPTRACE")/tests/inject
COUNT=$WORK/count
POINTS=8   # calls to be killed before, of each command and signal
MOMENTS=20 # to be killed at, of each command, taking the signals in turn
[ "${TORTURE:-0}" != 1 ] || MOMENTS=600
BAD= MIXED=0

[ -x "$INJECT" ] || tap_skip_all "make has not built $INJECT"
"$INJECT" -c write -n 1 -e EIO -- true
[ $? -ne 77 ] || tap_skip_all "one process may not watch another here"

# judge SIGNAL WHAT: between two renames SIGKILL leaves files of both reports, each whole, and the next one mends it.
judge() {
	if old_or_new; then
		:
	elif [ "$1" = KILL ] && [ "$STATE" = mixed ]; then
		MIXED=$((MIXED + 1))
		"${COMMAND[@]}" >/dev/null 2>&1
		rm -rf "$TARGET"/*.tmp
		state
		[ "$STATE" = new ] || BAD="$BAD$2: a report over a mixed one gives $STATE; "
	else
		BAD="$BAD$2: $STATE; "
	fi
	[ "$1" = KILL ] || [ -z "$(leftovers)" ] || BAD="$BAD$2: left a temporary; "
}

before_calls() {
	local n by number
	number=$(kill -l "$1")
	reset
	"$INJECT" -c all -o "$COUNT" -- "${COMMAND[@]}" >/dev/null 2>&1 <"$STDIN"
	by=$((($(cat "$COUNT") + POINTS - 1) / POINTS))
	[ "${TORTURE:-0}" != 1 ] && [ "$by" -gt 0 ] || by=1
	for ((n = 1; n <= $(cat "$COUNT"); n += by)); do
		reset
		"$INJECT" -c all -n $n -s "$number" -- "${COMMAND[@]}" >/dev/null 2>&1 <"$STDIN"
		judge "$1" "SIG$1 before call $n"
	done
}

# The time that a command takes, in microseconds.
duration() {
	local begin=${EPOCHREALTIME//[!0-9]/}
	reset
	"${COMMAND[@]}" >/dev/null 2>&1 <"$STDIN"
	echo $((${EPOCHREALTIME//[!0-9]/} - begin))
}

at_random() {
	local signals=(TERM KILL INT) whole delay signal i
	whole=$(duration)
	for ((i = 0; i < MOMENTS; i++)); do
		signal=${signals[$((i % 3))]}
		delay=$(((RANDOM << 15 | RANDOM) % (whole + whole / 4 + 1)))
		reset
		timeout --foreground -s "$signal" "$(printf '%d.%06d' $((delay / 1000000)) $((delay % 1000000)))" \
			"${COMMAND[@]}" >/dev/null 2>&1 <"$STDIN"
		judge $signal "SIG$signal after $delay us"
	done
}

told() {
	local status=0
	[ -z "$BAD" ] || status=1
	tap_ok $status "$WRITER: $1" || echo "$BAD" | tr ';' '\n' | head -n 20 | tap_comment
	BAD=
}

# A temporary that was left behind is in nobody's way, and says what it is.
after_a_kill() {
	choose gen
	reset
	"$INJECT" -c sync -n 1 -s 9 -- "${COMMAND[@]}" >/dev/null 2>&1
	tap_grep 'target\.swaptrace-[0-9a-f]{16}\.tmp$' <(leftovers) "SIGKILL leaves a temporary that is called one"
	"${COMMAND[@]}" 2>"$ERR"
	state
	tap_is "$STATE" new "which hinders nobody"
}

prepare_inputs || tap_skip_all "the inputs could not be made"
# shellcheck disable=SC2086 # words
set -- $WRITERS
tap_plan $(($# * 2 + 2))
for writer; do
	choose "$writer" || BAD="does not work when nobody kills it"
	for signal in TERM INT HUP KILL; do
		before_calls $signal
	done
	told "killed before a call"
	at_random
	told "killed at $MOMENTS moments"
done
after_a_kill
echo "# $MIXED reports with whole files of both"
tap_end
