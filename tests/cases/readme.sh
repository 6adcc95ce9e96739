#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What README.md shows is what the program prints: each indented block that begins with "$ ./swaptrace" is run. Its
# lines must come in the output, in their order; "..." stands for lines that are left out.
# sanitizers: no
set -u
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
cd "$TOP" || exit 1

# blocks: N.command and N.expected for each block, in WORK; prints their number.
blocks() {
	awk -v dir="$WORK" '
		/^    \$ \.\/swaptrace/ { n++; print substr($0, 7) >(dir "/" n ".command"); inside = 1; next }
		/^    / && inside { print substr($0, 5) >(dir "/" n ".expected"); next }
		/^$/ && inside { next }
		{ inside = 0 }
		END { print n + 0 }' README.md
}

# in_order EXPECTED ACTUAL: prints the first line that does not follow.
in_order() {
	awk 'NR == FNR { if ($0 != "..." && $0 != "") want[++n] = $0; next }
		i < n && $0 == want[i + 1] { i++ }
		END { if (i < n) print want[i + 1] }' "$1" "$2"
}

n=$(blocks)
tap_plan $((n + 1))
[ "$n" -gt 0 ]
tap_ok $? "README.md shows commands"
for i in $(seq "$n"); do
	command=$(cat "$WORK/$i.command")
	bash -c "${command/.\/swaptrace/\"\$SWAPTRACE\"}" >"$OUT" 2>"$ERR"
	tap_is "$(in_order "$WORK/$i.expected" "$OUT")" "" "$command" || tap_show "$ERR"
done
tap_end
