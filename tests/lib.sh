# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
# Helpers for tests/cases/*.sh: TAP on standard output. To be sourced:
#
#   . "$(dirname "$0")/../lib.sh"
#   tap_plan 3
#   run "$SWAPTRACE" info --verify file    # output in $OUT, messages in $ERR, exit status in $STATUS
#   tap_is "$STATUS" 3 "a missing file is unreadable input"
#   tap_grep 'file: .*No such file' "$ERR" "and the message names it"
#   tap_skip "a picture is drawn" "no gnuplot"
#   tap_end
#
# SWAPTRACE is the program under test (default: the one at the top of the repository), TOP the repository,
# WORK a folder of this test alone, removed at its end.

TOP=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
export SWAPTRACE=${SWAPTRACE:-$TOP/swaptrace}
WORK=$(mktemp -d "${TMPDIR:-/tmp}/swaptrace-test.XXXXXX") || exit 1
trap 'rm -rf "$WORK"' EXIT
OUT=$WORK/.out
ERR=$WORK/.err
STATUS=0
TAP_COUNT=0
TAP_FAILED=0
TAP_PLAN=

tap_plan() {
	TAP_PLAN=$1
	echo "1..$1"
}

# tap_ok STATUS DESCRIPTION: a test passes where STATUS is 0. Returns STATUS.
tap_ok() {
	local status=$1
	shift
	TAP_COUNT=$((TAP_COUNT + 1))
	if [ "$status" -eq 0 ]; then
		echo "ok $TAP_COUNT - $*"
	else
		TAP_FAILED=$((TAP_FAILED + 1))
		echo "not ok $TAP_COUNT - $*"
	fi
	return "$status"
}

# tap_is GOT WANT DESCRIPTION
tap_is() {
	local status=0
	[ "$1" = "$2" ] || status=1
	tap_ok $status "$3" || printf 'got:  %s\nwant: %s\n' "$1" "$2" | tap_comment
	return $status
}

# holds JQ-ARGUMENTS...: the filter gives true, and nothing else. `jq -e` is content with a file that is empty.
holds() {
	[ "$(jq "$@" 2>/dev/null)" = true ]
}

# tap_grep PATTERN FILE DESCRIPTION: an extended regular expression matches a line of FILE.
tap_grep() {
	local status=0
	grep -qE -e "$1" "$2" || status=1
	tap_ok $status "$3" || { echo "no line matches: $1"; cat "$2"; } | tap_comment
	return $status
}

# tap_grep_none PATTERN FILE DESCRIPTION: no line of FILE (which must be there) matches.
tap_grep_none() {
	local status=0
	[ -f "$2" ] || status=1
	grep -qE -e "$1" "$2" && status=1
	tap_ok $status "$3" || { echo "matches: $1"; cat "$2"; } | tap_comment
	return $status
}

# tap_same FILE FILE DESCRIPTION: byte for byte.
tap_same() {
	local status=0
	cmp -s "$1" "$2" || status=1
	tap_ok $status "$3" || diff -u "$2" "$1" | head -n 40 | tap_comment
	return $status
}

# tap_skip DESCRIPTION REASON: one test that can't be done here.
tap_skip() {
	TAP_COUNT=$((TAP_COUNT + 1))
	echo "ok $TAP_COUNT - $1 # SKIP $2"
}

# tap_skip_all REASON: the whole file, before tap_plan.
tap_skip_all() {
	echo "1..1"
	echo "ok 1 # SKIP $*"
	exit 0
}

tap_comment() {
	sed 's/^/# /'
}

# Lines of a file as TAP comments.
tap_show() {
	tap_comment <"$1"
}

# Last command of a test: fails when a test failed or was not run.
tap_end() {
	if [ "$TAP_COUNT" -ne "${TAP_PLAN:-0}" ]; then
		echo "# planned ${TAP_PLAN:-nothing}, ran $TAP_COUNT tests"
		exit 1
	fi
	[ "$TAP_FAILED" -eq 0 ]
	exit
}

# run COMMAND...: standard output to $OUT, standard error to $ERR, exit status to $STATUS. Input is empty unless
# redirected.
# shellcheck disable=SC2034 # STATUS is for the tests
run() {
	STATUS=0
	if [ -t 0 ]; then
		"$@" >"$OUT" 2>"$ERR" </dev/null || STATUS=$?
	else
		"$@" >"$OUT" 2>"$ERR" || STATUS=$?
	fi
}
