#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The judge of test output, tests/tap.awk: a test that can't be seen to fail is worth nothing.
# sanitizers: no
set -u
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

# judge DESCRIPTION WANT STATUS LINE...: what the judge makes of these lines and this exit status. WANT is "passed
# failed skipped".
judge() {
	local what=$1 want=$2 status=$3 got
	shift 3
	got=$(printf '%s\n' "$@" | awk -v status="$status" -f "$TOP/tests/tap.awk" | head -n 1)
	tap_is "$got" "$want" "$what"
}

tap_plan 17
judge "all pass" "2 0 0" 0 1..2 "ok 1 - a" "ok 2"
judge "one fails" "1 1 0" 1 1..2 "ok 1 - a" "not ok 2 - b"
judge "a skipped test has not passed" "1 0 1" 0 1..2 "ok 1 - a" "ok 2 - b # SKIP no guest"
judge "as cmocka skips" "1 0 1" 0 1..2 "ok 1 - a" "not ok 2 # SKIP b"
judge "a failed test with a remark has failed" "0 1 0" 1 1..1 "not ok 1 - b # SKIP late"
judge "todo is no excuse" "0 1 0" 1 1..1 "not ok 1 - b # TODO later"
judge "the whole file is skipped" "0 0 1" 0 "1..0 # SKIP no guest"
judge "no plan" "1 1 0" 0 "ok 1 - a"
judge "nothing at all" "0 1 0" 0 ""
judge "a plan of nothing" "0 1 0" 0 1..0
judge "ends early" "1 1 0" 0 1..2 "ok 1 - a"
judge "runs too many" "2 1 0" 0 1..1 "ok 1 - a" "ok 2 - b"
judge "crashes after the last test" "1 1 0" 139 1..1 "ok 1 - a"
judge "runs out of time" "1 2 0" 124 1..2 "ok 1 - a"
judge "fails without a failed test" "1 1 0" 1 1..1 "ok 1 - a"
judge "hides a failed test behind status 0" "0 2 0" 0 1..1 "not ok 1 - a"
judge "two plans in a script" "2 1 0" 0 1..1 "ok 1 - a" 1..1 "ok 2 - b"
tap_end
