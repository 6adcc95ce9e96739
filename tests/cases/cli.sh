#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The command line as a user meets it: help, mistakes, exit statuses, pipes and full disks. What the option parser
# does with each kind of option is in tests/unit/test_arguments.c.
set -u
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

COMMANDS=$("$SWAPTRACE" help --list)

# Every subcommand explains itself in the same way however it is asked.
check_help() {
	local name status=0
	for name in $COMMANDS; do
		"$SWAPTRACE" "$name" --help >"$WORK/a" 2>"$ERR" &&
			"$SWAPTRACE" "$name" -h >"$WORK/b" 2>>"$ERR" &&
			"$SWAPTRACE" help "$name" >"$WORK/c" 2>>"$ERR" &&
			cmp -s "$WORK/a" "$WORK/b" && cmp -s "$WORK/a" "$WORK/c" && [ ! -s "$ERR" ] &&
			grep -q "^usage: swaptrace $name " "$WORK/a" && continue
		echo "# $name"
		status=1
	done
	tap_ok $status "SUBCOMMAND --help, SUBCOMMAND -h and help SUBCOMMAND agree, without a message"
}

# Help stays within a terminal of 80 columns; the lines of examples are as long as they are.
check_width() {
	local name
	for name in $COMMANDS; do
		"$SWAPTRACE" help "$name" | sed '/^examples:/,$d; /^usage: /d' | awk -v name="$name" \
			'length($0) > 80 { print name ": " $0 }'
	done >"$WORK/wide"
	"$SWAPTRACE" help | awk 'length($0) > 80' >>"$WORK/wide"
	[ ! -s "$WORK/wide" ]
	tap_ok $? "help fits 80 columns" || tap_show "$WORK/wide"
}

check_examples() {
	local name status=0
	for name in $COMMANDS; do
		"$SWAPTRACE" help "$name" | sed -n '/^examples:/,$p' | grep -q '^  .*swaptrace ' && continue
		echo "# $name has no example"
		status=1
	done
	tap_ok $status "every subcommand has an example"
}

# No subcommand reads or writes anything when asked for an option it does not have.
check_unknown_option() {
	local name status=0
	for name in $COMMANDS; do
		run "$SWAPTRACE" "$name" --no-such-option x
		[ "$STATUS" -eq 2 ] && [ ! -s "$OUT" ] && [ "$(wc -l <"$ERR")" -eq 1 ] && continue
		echo "# $name: status $STATUS"
		status=1
	done
	tap_ok $status "an unknown option is wrong usage: status 2, one line on standard error"
}

check_missing_file() {
	local name status=0
	for name in replay dump info recover report; do
		run "$SWAPTRACE" "$name" "$WORK/nosuch" -o "$WORK/never"
		[ "$STATUS" -eq 2 ] && run "$SWAPTRACE" "$name" "$WORK/nosuch"
		[ "$STATUS" -eq 3 ] && grep -q 'nosuch.*No such file' "$ERR" && [ ! -e "$WORK/never" ] && continue
		echo "# $name: status $STATUS"
		tap_show "$ERR"
		status=1
	done
	tap_ok $status "a missing file is unreadable input (3), the message names it, nothing is written"
}

tap_plan 28

run "$SWAPTRACE"
tap_is "$STATUS" 2 "no subcommand is wrong usage"
tap_grep '^  replay ' "$ERR" "and the subcommands are listed"
run "$SWAPTRACE" help
cp "$OUT" "$WORK/help"
tap_is "$STATUS" 0 "help"
run "$SWAPTRACE" --help
tap_same "$OUT" "$WORK/help" "--help prints the same"
run "$SWAPTRACE" -h
tap_same "$OUT" "$WORK/help" "-h prints the same"
run "$SWAPTRACE" --version
tap_grep '^swaptrace [0-9]+\.[0-9]+$' "$OUT" "--version"
check_help
check_width
check_examples
check_unknown_option
check_missing_file

run "$SWAPTRACE" rpelay x
tap_is "$STATUS" 2 "an unknown subcommand is wrong usage"
tap_grep "did you mean 'replay'" "$ERR" "and the nearest is named"
run "$SWAPTRACE" help rpelay
tap_grep "did you mean 'replay'" "$ERR" "by help as well"
run "$SWAPTRACE" replay --verfy x
tap_grep "did you mean '--verify'" "$ERR" "an unknown option is answered with the nearest"
run "$SWAPTRACE" --verify replay x
tap_is "$STATUS" 2 "an option before the subcommand is wrong usage"

"$SWAPTRACE" help >/dev/full 2>"$ERR"
tap_is $? 4 "a full disk behind standard output is a failure"
tap_grep 'cannot write standard output' "$ERR" "and said"
# The reader is gone before the first line: the end by SIGPIPE is quiet.
{ sleep 0.3 && "$SWAPTRACE" help; } 2>"$ERR" | true
[ ! -s "$ERR" ]
tap_ok $? "a reader that went away is no reason for a message"

FORCE_COLOR=1 CLICOLOR_FORCE=1 TERM=xterm-256color "$SWAPTRACE" help | grep -q "$(printf '\033')"
tap_is $? 1 "no escape sequences"
LC_ALL=xx_XX "$SWAPTRACE" help >"$OUT" 2>"$ERR"
tap_same "$OUT" "$WORK/help" "an unknown locale changes nothing"

# policies: each setting that is listed is one that --policy knows, each model one that model= takes.
run "$SWAPTRACE" policies
tap_is "$STATUS" 0 "policies lists what a policy is made of"
awk 'NR > 2 && !NF { exit } NR > 2 { print $1 }' "$OUT" | sort >"$WORK/listed"
run "$SWAPTRACE" replay --policy no-such-key=1 "$TOP/traces/samples/6.12-truncate.swaptrace"
sed 's/.*there are //; s/, /\n/g' "$ERR" | sort >"$WORK/known"
tap_same "$WORK/known" "$WORK/listed" "the settings are those of --policy"
"$SWAPTRACE" policies | awk '/^model  *releases/ { on = 1; next } on { print $1 }' | sort -u >"$WORK/models"
status=0
while read -r model; do
	"$SWAPTRACE" replay --policy "model=$model" "$TOP/traces/samples/6.12-truncate.swaptrace" >/dev/null 2>&1 || status=1
done <"$WORK/models"
[ "$(wc -l <"$WORK/models")" -ge 4 ] || status=1
tap_ok $status "every model that is listed can be chosen"

# Case 57: a build without BPF says so, and everything else is there.
if [ -x "${SWAPTRACE_NOBPF:-}" ]; then
	tap_is "$("$SWAPTRACE_NOBPF" help --list)" "$COMMANDS" "a build without BPF has the same subcommands"
	run "$SWAPTRACE_NOBPF" record -o "$WORK/never" -- true
	tap_is "$STATUS $(test -e "$WORK/never" && echo written)" "125 " "record refuses, and writes no file"
	tap_grep 'without BPF' "$ERR" "and says that it was built without BPF"
else
	for what in "the same subcommands" "record refuses" "and says so"; do
		tap_skip "a build without BPF: $what" "no such build (tests/check.sh makes one)"
	done
fi
# On a terminal help is as wide as that, up to 120 columns; the text is the same, whatever breaks its lines.
if command -v script >/dev/null; then
	script -qec "stty cols 110; '$SWAPTRACE' help recover" "$WORK/wide" >/dev/null 2>&1
	grep -v '^Script ' "$WORK/wide" | tr -d '\r' >"$OUT"
	tap_is "$(awk 'length($0) > 100 && length($0) <= 110 { n++ } length($0) > 110 { n = -99 } END { print (n > 0) }' "$OUT")" 1 \
		"help is as wide as the terminal"
else
	tap_skip "help is as wide as the terminal" "script is not installed"
fi
tap_end
