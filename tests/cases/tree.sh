#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Rules that the repository itself keeps. Formatting has a target of its own: make check-format.
# sanitizers: no
set -u
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
cd "$TOP" || exit 1

MAX_BYTES=2000000
MAX_LINES=1000
# Of a hundred functions, how many at most may be longer than 60 lines.
LONG_FUNCTION=60
LONG_PERCENT=5

if git rev-parse --git-dir >/dev/null 2>&1; then
	git ls-files >"$WORK/all"
else
	find . -type f ! -path './build/*' ! -path './report/*' ! -name 'swaptrace*' | sed 's|^\./||' >"$WORK/all"
fi
# Deleted files are still in the index until the next commit.
while IFS= read -r file; do
	[ -f "$file" ] && printf '%s\n' "$file"
done <"$WORK/all" >"$WORK/files"
grep -E '\.(c|h)$' "$WORK/files" >"$WORK/c"
grep -E '\.(c|h|sh|awk)$|^Makefile$|^\.ci/run$|^lab/guest/init$' "$WORK/files" >"$WORK/sources"

# empty FILE DESCRIPTION: passes where nothing was found.
empty() {
	[ ! -s "$1" ]
	tap_ok $? "$2" || tap_show "$1"
}

# each LIST COMMAND...: the command with all names of the list.
each() {
	local list=$1
	shift
	tr '\n' '\0' <"$list" | xargs -0 -r "$@"
}

# Function prototypes in headers that no comment stands above. A comment holds for the prototypes that follow it
# without an empty line.
# shellcheck disable=SC2016 # $0 is awk's
undocumented() {
	each "$WORK/headers" awk '
		FNR == 1 { documented = 0; comment = 0; depth = 0 }
		/^\/\*/ { comment = 1 }
		comment { if (/\*\//) { comment = 0; documented = 1 } ; next }
		/^$/ { documented = 0; next }
		/^#/ { next }
		/\{$/ && !/^extern "C"/ { depth = 1 }
		/^\}/ { depth = 0; next }
		!depth && /^[a-z].*[a-z0-9_]\(/ && !/^(static|typedef|return)/ {
			line = $0
			if (!documented && line !~ /\/\*.*\*\//)
				print FILENAME ":" FNR ": " line
		}'
}

# Length of each function: from the opening to the closing brace in the first column.
long_functions() {
	each "$WORK/c" awk -v long=$LONG_FUNCTION '
		/^\{/ { start = FNR }
		/^\}/ && start { n++; if (FNR - start - 1 > long) { many++; print "# " FILENAME ":" start ": " FNR - start - 1 " lines" } start = 0 }
		END { print n + 0, many + 0 }'
}

tap_plan 10
[ "$(wc -l <"$WORK/c")" -gt 50 ] && [ "$(wc -l <"$WORK/sources")" -gt 60 ]
tap_ok $? "the files are found at all"

each "$WORK/files" stat -c '%s %n' | awk -v max=$MAX_BYTES '$1 > max' >"$WORK/found"
empty "$WORK/found" "no file is larger than $MAX_BYTES bytes"

# Put together, so that neither this line nor the test of the runner is found.
each "$WORK/sources" grep -nE "\b(TO""DO|FIX""ME)\b" | grep -v '^tests/cases/runner.sh:' >"$WORK/found"
empty "$WORK/found" "nothing is left to be done in a comment"

each "$WORK/sources" grep -L 'SPDX-License-Identifier: GPL-2.0' >"$WORK/found"
empty "$WORK/found" "every source names its licence"

each "$WORK/c" wc -l | awk -v max=$MAX_LINES '$2 != "total" && $1 > max' >"$WORK/found"
empty "$WORK/found" "no C file has more than $MAX_LINES lines"

each "$WORK/sources" grep -nE '[ 	]+$' >"$WORK/found"
empty "$WORK/found" "no blanks at the ends of lines"

long_functions >"$WORK/long"
read -r functions long < <(tail -n 1 "$WORK/long")
[ "$functions" -gt 300 ] && [ $((long * 100)) -le $((functions * LONG_PERCENT)) ]
tap_ok $? "of $functions functions, $long are longer than $LONG_FUNCTION lines" || tap_show "$WORK/long"

grep -E '^(common|traces|import|replay|render|analyze|doctor)/.*\.h$' "$WORK/files" >"$WORK/headers"
grep -E '^(bpf|cli)/.*\.h$' "$WORK/files" | grep -vE '\.bpf\.h$|kernel_types\.h$' >>"$WORK/headers"
undocumented >"$WORK/found"
empty "$WORK/found" "every function of a header is documented"

# The programs are built in two ways, and only core.bpf.h and bcc/headers.bpf.h may know which.
grep -E '^bpf/[a-z]*\.bpf\.(c|h)$' "$WORK/files" | grep -v core.bpf.h >"$WORK/programs"
[ "$(wc -l <"$WORK/programs")" -gt 5 ] || echo "they were not found" >"$WORK/programs.none"
each "$WORK/programs" grep -nE 'BPF_CORE_|bpf_core_|bpf_map_|__sync_|[^_]SEC\(' | grep -v ' LICENSE' >"$WORK/found"
cat "$WORK"/programs.* >>"$WORK/found" 2>/dev/null
empty "$WORK/found" "the programs reach the kernel's data by names that both backends have"

while IFS= read -r file; do
	bash -n "$file" 2>&1
done < <(grep -E '\.sh$|^\.ci/run$' "$WORK/files") >"$WORK/found"
empty "$WORK/found" "every shell script is grammatical"
tap_end
