#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# All tests: `make check`. Installs what is missing (lab/deps.sh; nothing where nothing is), builds with gcc and
# clang, with sanitizers and without BPF, then runs every test file, each with its own time limit.
#
# usage: tests/check.sh [PATTERN...]     only test files whose name matches, e.g. 'cases/*' unit/test_arguments
#
# One line a test file; the output of a file that fails in full; last "N passed, N failed, N skipped", which
# counts single tests. Exit status 1 where one failed, or where none ran. A file that prints no plan, does not run
# all it planned, crashes or runs out of time has failed; a test that was skipped has not passed.
#
# Variables: JOBS (test files at a time; default: CPUs, at most 2), O (folder of the builds, default build).
# A test file sets its time limit with a comment "timeout: SECONDS"; a script that says "sanitizers: no" is not run
# once more with the sanitized program, and one that says "only: make TARGET" is run where it is named.
set -u

TOP=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$TOP" || exit 1
O=$(realpath -m --relative-to=. "${O:-build}")
CPUS=$(nproc 2>/dev/null || echo 1)
JOBS=${JOBS:-$((CPUS < 2 ? CPUS : 2))}
PATTERNS=("$@")
# What make hands down is meant for its own recipes, not for the builds here and in the tests.
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES

# Seconds that a file of this kind may take unless it says otherwise; sanitizers cost a factor.
LIMIT_UNIT=120 LIMIT_CASES=180 LIMIT_GUEST=600 LIMIT_GOLDEN=600 LIMIT_BUILD=900
SANITIZER_FACTOR=4

PASSED=0 FAILED=0 SKIPPED=0
# The queue: name, limit, flags of tap.awk and command of each test file.
NAMES=() LIMITS=() FLAGS=() COMMANDS=()

selected() {
	local pattern
	[ ${#PATTERNS[@]} -gt 0 ] || return 0
	for pattern in "${PATTERNS[@]}"; do
		# shellcheck disable=SC2053 # a pattern is meant
		[[ $1 == $pattern ]] && return 0
	done
	return 1
}

# Whether tests of this build (clang, sanitize, nobpf) may be wanted.
wanted_build() {
	local pattern
	[ ${#PATTERNS[@]} -gt 0 ] || return 0
	for pattern in "${PATTERNS[@]}"; do
		[[ $pattern == *"$1"* ]] && return 0
	done
	return 1
}

finish() {
	local reason
	if [ -s "$LOGS/skips" ]; then
		echo
		sort "$LOGS/skips"
	fi
	echo
	reason=0
	[ "$FAILED" -eq 0 ] && [ $((PASSED + SKIPPED)) -gt 0 ] || reason=1
	echo "$PASSED passed, $FAILED failed, $SKIPPED skipped"
	exit $reason
}

# line WORD NAME COUNTS SECONDS
line() {
	printf '%-8s %-38s %-34s %6s s\n' "$1" "$2" "$3" "$4"
}

counts() {
	local text="$1 passed"
	[ "$2" -eq 0 ] || text="$text, $2 failed"
	[ "$3" -eq 0 ] || text="$text, $3 skipped"
	echo "$text"
}

# report NAME PASSED FAILED SKIPPED SECONDS OUTPUT COMPLAINTS: adds a finished test file to the totals.
report() {
	local name=$1 passed=$2 failed=$3 skipped=$4 seconds=$5 output=$6 complaints=$7 word=ok
	PASSED=$((PASSED + passed)) FAILED=$((FAILED + failed)) SKIPPED=$((SKIPPED + skipped))
	[ "$passed" -gt 0 ] || word=skipped
	[ "$failed" -eq 0 ] || word=FAILED
	line $word "$name" "$(counts "$passed" "$failed" "$skipped")" "$seconds"
	if [ "$skipped" -gt 0 ]; then
		grep -iE '# *skip' "$output" | sed -E "s|^(not )?ok [0-9]+ *(- )?|skipped: $name: |" >>"$LOGS/skips"
	fi
	if [ "$failed" -gt 0 ]; then
		sed 's/^/    /' "$output"
		[ -z "$complaints" ] || printf '%s\n' "$complaints" | sed "s|^|    $name: |"
	fi
}

# tenths SINCE: seconds since then (a value of EPOCHREALTIME), with one decimal.
tenths() {
	local now=${EPOCHREALTIME//[!0-9]/} since=${1//[!0-9]/} t
	t=$(((now - since) / 100000))
	echo "$((t / 10)).$((t % 10))"
}

# limited SECONDS COMMAND...: in the background and waited for, because a trap runs only once a command in the
# foreground has ended.
limited() {
	timeout -k 10 "$@" </dev/null &
	CHILD=$!
	wait $CHILD
}

# build NAME MAKE-ARGUMENTS...: one test, which passes where make does. Nothing else runs meanwhile.
build() {
	local name=build/$1 begin=$EPOCHREALTIME log=$LOGS/build-$1 status=0
	shift
	limited $LIMIT_BUILD make --no-print-directory -j "$JOBS" "$@" >"$log" 2>&1 || status=$?
	if [ $status -eq 0 ]; then
		report "$name" 1 0 0 "$(tenths "$begin")" "$log" ""
	else
		report "$name" 0 1 0 "$(tenths "$begin")" "$log" "make ended with status $status"
	fi
	return $status
}

# enqueue NAME FILE LIMIT FLAGS COMMAND: FILE may name another limit.
enqueue() {
	local limit
	selected "$1" || return 0
	limit=$(sed -n 's/^.*[^a-z]timeout: \([0-9][0-9]*\).*/\1/p' "$2" | head -n 1)
	NAMES+=("$1")
	LIMITS+=("${limit:-$3}")
	FLAGS+=("$4")
	COMMANDS+=("$5")
}

# enqueue_units SUFFIX FOLDER FACTOR
enqueue_units() {
	local source name
	for source in tests/unit/test_*.c; do
		name=$(basename "$source" .c)
		enqueue "unit$1/$name" "$source" $((LIMIT_UNIT * $3)) "-v groups=1" "$2/tests/unit/$name"
	done
}

enqueue_scripts() {
	local script name
	for script in tests/guest/*.sh; do
		name=guest/$(basename "$script" .sh)
		[ "$script" != tests/guest/lib.sh ] || continue
		! grep -q '^# only: ' "$script" || [[ " ${PATTERNS[*]-} " == *" $name "* ]] || continue
		enqueue "$name" "$script" $LIMIT_GUEST "" "bash $script"
	done
	for script in tests/cases/*.sh; do
		enqueue "cases/$(basename "$script" .sh)" "$script" $LIMIT_CASES "" "bash $script"
	done
}

# golden_tap PROGRAM: the vectors in the repository; the runner's totals as TAP. All others: make check-golden.
golden_tap() {
	local output status=0 passed failed number=0
	output=$("$1" -j "$JOBS" tests/golden) || status=$?
	printf '%s\n' "$output" | sed 's/^/# /'
	read -r passed failed < <(printf '%s\n' "$output" |
		sed -nE '$s/^([0-9]+) passed, ([0-9]+) failed, .*/\1 \2/p') || return 1
	echo "1..$((passed + failed))"
	while [ $number -lt "$passed" ]; do
		number=$((number + 1))
		echo "ok $number"
	done
	while [ $number -lt $((passed + failed)) ]; do
		number=$((number + 1))
		echo "not ok $number"
	done
	return $status
}

# run_file INDEX: in the background; leaves output, status and seconds in LOGS.
run_file() {
	local i=$1 begin=$EPOCHREALTIME status=0
	export TMPDIR=$LOGS/$i.tmp
	mkdir "$TMPDIR"
	trap 'kill "$CHILD" 2>/dev/null; wait; exit 143' TERM
	# shellcheck disable=SC2086 # a command is words
	limited "${LIMITS[$i]}" ${COMMANDS[$i]} >"$LOGS/$i.out" 2>&1 || status=$?
	echo "$status" >"$LOGS/$i.status"
	tenths "$begin" >"$LOGS/$i.seconds"
	rm -rf "$TMPDIR"
	echo "$i" >&"$DONE"
}

judge_file() {
	local i=$1 verdict passed failed skipped
	# shellcheck disable=SC2086 # flags are words
	verdict=$(awk -v status="$(cat "$LOGS/$i.status")" ${FLAGS[$i]} -f tests/tap.awk "$LOGS/$i.out")
	read -r passed failed skipped <<<"${verdict%%$'\n'*}"
	[[ $verdict == *$'\n'* ]] && verdict=${verdict#*$'\n'} || verdict=
	report "${NAMES[$i]}" "$passed" "$failed" "$skipped" "$(cat "$LOGS/$i.seconds")" "$LOGS/$i.out" "$verdict"
}

run_queue() {
	local next=0 running=0 i
	# A pipe that each file's number comes through when it has ended: wait -n may miss one that ended early.
	mkfifo "$LOGS/done" && exec {DONE}<>"$LOGS/done" || return 1
	while [ $next -lt ${#NAMES[@]} ] || [ $running -gt 0 ]; do
		if [ $next -lt ${#NAMES[@]} ] && [ $running -lt "$JOBS" ]; then
			run_file $next &
			running=$((running + 1))
			next=$((next + 1))
			continue
		fi
		# A signal interrupts the reading before it has read anything.
		read -r i <&"$DONE" || continue
		running=$((running - 1))
		judge_file "$i"
	done
}

# shellcheck disable=SC2317 # called by a trap
stop() {
	trap - INT TERM
	# shellcheck disable=SC2046 # a list of numbers
	kill $(jobs -p) 2>/dev/null
	wait
	echo "interrupted" >&2
	exit 130
}

build_main() {
	build gcc "O=$O" CC=gcc "$O/swaptrace" "$O/libswapmodel.a" unit faults "$O/tests/golden" || finish
	enqueue golden/gcc tests/golden.c $LIMIT_GOLDEN "" "tests/check.sh --golden $O/tests/golden"
	enqueue_units "" "$O" 1
}

build_clang() {
	wanted_build clang || return 0
	if ! command -v clang >/dev/null; then
		echo "ok 1 - clang # SKIP clang is not installed" >"$LOGS/clang"
		report build/clang 0 0 1 0.0 "$LOGS/clang" ""
		return
	fi
	build clang "O=$O/clang" CC=clang "$O/clang/swaptrace" "$O/clang/libswapmodel.a" unit "$O/clang/tests/golden" ||
		return 0
	enqueue golden/clang tests/golden.c $LIMIT_GOLDEN "" "tests/check.sh --golden $O/clang/tests/golden"
	enqueue_units -clang "$O/clang" 1
}

build_sanitize() {
	local script
	wanted_build sanitize || return 0
	build sanitize "O=$O/sanitize" SANITIZE=1 "$O/sanitize/swaptrace" unit "$O/sanitize/tests/golden" || return 0
	enqueue golden/sanitize tests/golden.c $LIMIT_GOLDEN "" "tests/check.sh --golden $O/sanitize/tests/golden"
	enqueue_units -sanitize "$O/sanitize" $SANITIZER_FACTOR
	# The cases feed the whole program what unit tests do not think of.
	for script in tests/cases/*.sh; do
		grep -q 'sanitizers: no' "$script" || enqueue "cases-sanitize/$(basename "$script" .sh)" "$script" \
			$((LIMIT_CASES * SANITIZER_FACTOR)) "" "env SWAPTRACE=$(realpath "$O/sanitize/swaptrace") bash $script"
	done
}

# Case 57: everything but record builds, and works, where there is no libbpf; everything but the import of trace.dat
# where there is no libtracecmd.
build_nobpf() {
	wanted_build nobpf || wanted_build cases || return 0
	build nobpf "O=$O/nobpf" HAVE_BPF=0 HAVE_TRACECMD=0 "$O/nobpf/swaptrace" unit || return 0
	export SWAPTRACE_NOBPF
	SWAPTRACE_NOBPF=$(realpath "$O/nobpf/swaptrace")
	enqueue_units -nobpf "$O/nobpf" 1
}

build_static() {
	wanted_build guest || return 0
	build static "O=$O" CC=gcc swaptrace.static
	export RECORDER=$TOP/swaptrace.static
}

main() {
	if [ "${1:-}" = --golden ]; then
		golden_tap "$2"
		exit
	fi
	LOGS=$(mktemp -d "${TMPDIR:-/tmp}/swaptrace-check.XXXXXX") || exit 1
	trap 'rm -rf "$LOGS"' EXIT
	trap stop INT TERM
	if ! lab/deps.sh; then
		line FAILED set-up "packages are missing, see above" 0.0
		FAILED=1
		finish
	fi
	export PATH=$PATH:/usr/sbin:/sbin
	export CMOCKA_MESSAGE_OUTPUT=TAP
	# A finding of a sanitizer must end the test, not only print a line.
	export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
	build_main
	export SWAPTRACE
	SWAPTRACE=$(realpath "$O/swaptrace")
	# The builds do not all lie where the program looks for the captures.
	export SWAPTRACE_SAMPLES=$TOP/traces/samples
	build_static
	enqueue_scripts
	build_clang
	build_sanitize
	build_nobpf
	run_queue
	finish
}

main "$@"
