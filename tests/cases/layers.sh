#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Knowledge runs one way (docs/ARCHITECTURE.md): which folders a folder may include and call.
# sanitizers: no
set -u
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
cd "$TOP" || exit 1

# FOLDER: what it may use besides itself.
cat >"$WORK/layers" <<'RULES'
common:
render: common
traces: common
import: common traces
export: common traces
bpf: common traces
replay/model:
replay: common traces replay/model
analyze: common traces import replay replay/model render
doctor: common traces bpf replay replay/model render
cli: common traces import export bpf replay replay/model render analyze doctor
RULES
BUILD=$(dirname "$SWAPTRACE")

# folder_of PATH: replay/model/alloc.c is of replay/model, replay/world/world.c of replay.
FOLDER_OF='function folder_of(path) { return path ~ /^replay\/model\// ? "replay/model" : substr(path, 1, index(path, "/") - 1) }'
# What stands in $WORK/edges as "FROM TO WHERE", held against the rules.
# shellcheck disable=SC2016 # $1 is awk's
against_rules() {
	awk 'FILENAME ~ /layers$/ { from = $1; sub(":", "", from); known[from] = 1; for (i = 2; i <= NF; i++) may[from, $i] = 1; next }
		$1 != $2 && known[$1] && known[$2] && !(($1, $2) in may)' "$WORK/layers" "$WORK/edges"
}

tap_plan 4
# shellcheck disable=SC2016
find common render traces import export bpf replay analyze doctor cli -name '*.[ch]' -print0 |
	xargs -0 awk "$FOLDER_OF"' /^#include "/ { split($0, w, "\""); print folder_of(FILENAME), folder_of(w[2]), FILENAME ":" FNR ": " $0 }' >"$WORK/edges"
[ "$(wc -l <"$WORK/edges")" -gt 400 ]
tap_ok $? "the includes are found at all"
against_rules >"$WORK/found"
[ ! -s "$WORK/found" ]
tap_ok $? "no file includes a header of a folder above its own" || tap_show "$WORK/found"

if [ ! -f "$BUILD/replay/policy.o" ] || ! command -v nm >/dev/null; then
	tap_skip "symbols are found at all" "no object files beside the program"
	tap_skip "no object calls a function of a folder above its own" "no object files beside the program"
	tap_end
	exit
fi
# Symbols "T main" and "U free" of each object, below its path from the build folder.
(cd "$BUILD" && find common render traces import export bpf replay analyze doctor cli -name '*.o' ! -name '*.bpf.o' ! -name program_text.o -print0 | xargs -0 nm -A -P) |
	sed 's/^\([^:]*\): /\1 /' >"$WORK/symbols"
# shellcheck disable=SC2016
awk "$FOLDER_OF"' FNR == NR { if ($3 ~ /^[TDBRVW]$/) of[$2] = folder_of($1); next }
	$3 == "U" && $2 in of { print folder_of($1), of[$2], $1 ": " $2 }' "$WORK/symbols" "$WORK/symbols" >"$WORK/edges"
[ "$(wc -l <"$WORK/edges")" -gt 1000 ]
tap_ok $? "symbols are found at all"
against_rules >"$WORK/found"
[ ! -s "$WORK/found" ]
tap_ok $? "no object calls a function of a folder above its own" || tap_show "$WORK/found"
tap_end
