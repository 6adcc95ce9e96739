#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Names of files, the user's own words and what stands in files never steer a terminal: no escape sequence, no control
# or bidirectional character of theirs is in any message or result.
set -u
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
cd "$WORK" || exit 1

# An escape sequence, a right-to-left override, and the one-byte form of an escape sequence's start, in UTF-8.
E=$(printf '\033[31mX\033[0m\342\200\256\302\233')
RAW='\x1b|\xe2\x80\xae|\xc2\x9b|\x07'
H='\x1b[31mH\x9b' # the same, as text notation writes bytes
TRIED=0

printf '\033' | LC_ALL=C grep -qaP "$RAW" || tap_skip_all "this grep has no -P"

# quiet WORDS...: the command says something, and nothing of it is raw.
quiet() {
	timeout 60 "$SWAPTRACE" "$@" >"$OUT" 2>"$ERR" </dev/null
	TRIED=$((TRIED + 1))
	if [ ! -s "$OUT" ] && [ ! -s "$ERR" ]; then
		echo "says nothing: $*" | cat -v >>"$WORK/bad"
	elif LC_ALL=C grep -qaP "$RAW" "$OUT" "$ERR"; then
		echo "$*" | cat -v >>"$WORK/bad"
		LC_ALL=C grep -haP "$RAW" "$OUT" "$ERR" | head -n 2 | cat -v >>"$WORK/bad"
	fi
}

told() {
	[ "$TRIED" -gt 0 ] && [ ! -e "$WORK/bad" ]
	tap_ok $? "$1 ($TRIED commands)" || tap_show "$WORK/bad"
	rm -f "$WORK/bad"
	TRIED=0
}

make_files() {
	{
		printf '# swaptrace text 1\n# release=6.12.0%s arch=%s page_cluster=3 vma_ra=0 page_size=4096 command=%s\n' "$H" "$H" "$H"
		printf '# device type=0 pages=1000 prio=1 name=%s flags=ssd\n# device type=1 pages=9%s\n' "$H" "$E"
		printf '# note %s\n# probe event=RA symbol=%s kind=%s cpu=0 hits=1 delivered=1 lost=0 filtered=0\n# missing=%s\n' "$E" "$H" "$H" "$H"
		printf '1 0 1 %s LOOKUP type=0 off=3 cause=fault\n2 0 1 a RA mode=cluster type=0 off=3 ret=4\n' "$H"
		printf '3 0 1 %s DRAIN site=%s add=2\n4 0 1 a LRUADD op=add\n5 0 1 a RELEASE batch=0x1 n=1 drained=0\n' "$H" "$H"
		printf '6 0 1 x %s a=%s\n7 0 1 x SWAPON type=2 pages=100 name=%s\n8 0 1 x RA ret=%s\n%s\n' "$E" "$E" "$H" "$E" "$E"
		printf '9 0 1 x SWAPOUT order=4 folio=0x1\n10 0 1 x ALLOCFAIL order=4 folio=0x1\n'
	} >"trace$E"
	printf '14.2\n# n=2 release=%s\n' "$E" >"list$E"
	printf '%s 5\n%s\n' "$E" "$E" >"labels$E"
	printf 'a%s b\n%s 1 2\n' "$E" "$E" >"table$E"
	printf 'Attaching 1 probe...\n@a%s[%s, 1]: 5\n@b[%s, 2]: 6\n' "$E" "$E" "$E" >"maps$E"
	printf '%s $retval = 8\n5 $retval = 2\n' "$E" >"argdist$E"
	printf 'type=0 pages=100\n' >"disks$E"
	printf 'type=0 pages=100 prio=%s\n' "$E" >"baddisks$E"
	printf '{"swaptrace":{"schema":1,"version":"%s"},"results":[{"policy":"\\u001b[31m","start_state":"\\u001b[31m"}]}' "$E" >"made$E"
	printf 'ffffffff81000000 T do_swap_page%s\nffffffff81000300 T swap_cluster_readahead\nffffffff81000400 T swap_cluster_readahead.%s\nffffffffc0a01000 t shrink_folio_list\t[%s]\nffffffff81410000 t shrink_folio_list\n' \
		"$E" "$E" "$E" >"symbols$E"
	"$SWAPTRACE" replay --policy "drain-off=$E" -o "results$E" "trace$E" >/dev/null 2>&1
}

try_files() {
	local file command
	for file in trace list labels table maps argdist made results missing; do
		for command in info dump report import replay compare sweep recover "report --style argdist" "info --verify" "replay --verify"; do
			# shellcheck disable=SC2086 # words
			quiet $command "$file$E"
		done
		for command in report compare "compare --style lkp" "compare --style mmtests" "compare --names $E,$E" "report --time A=$E" \
			"report --time $E=5"; do
			# shellcheck disable=SC2086
			quiet $command "$file$E" "$file$E"
		done
	done
	told "what files hold, and how they are called"
}

try_words() {
	local words=("$E" "--$E" "-$E" "help $E" "info --$E" "dump -e $E T" "dump --time $E T" "import --format $E T"
		"replay --policy $E=1 T" "replay --policy page-cluster=$E T" "replay --policy drain-off=$E T" "replay --policy devices=$E T"
		"replay --policy allocator=scan-6.1,devices=disks$E T" "replay --policy devices=baddisks$E T" "replay --device $E T"
		"replay --device lat:$E T" "replay --calibration $E T" "replay --calibration T T" "sweep --grid $E T"
		"sweep --grid page-cluster=$E T" "sweep --grid drain-off=$E T" "report --format $E T" "report --style $E T"
		"report --threshold $E T" "compare $E" "compare --style $E T T" "compare --style mmtests --operation $E list$E list$E"
		"reproduce $E" "reproduce drain --capture T" "reproduce swapoff --cluster T" "reproduce mthp --capture T"
		"reproduce drain --before list$E --after list$E" "reproduce lruadd --calibration list$E" "gen $E -o x"
		"gen mthp --orders $E -o x" "gen random --lookups $E -o x" "doctor $E" "doctor --probe-swapoff --device $E"
		"record -e $E" "record --attach $E --list-hooks" "record --backend $E" "record -G $E" "record -b $E"
		"record --list-hooks --kallsyms symbols$E" "record --list-hooks --kallsyms $E")
	local line
	for line in "${words[@]}"; do
		# shellcheck disable=SC2086
		quiet ${line//T/trace$E}
	done
	told "what is typed"
}

try_outputs() {
	local command
	for command in import dump replay sweep recover report; do
		quiet $command "trace$E" -o "nowhere$E/file"
		quiet $command "trace$E" -o "trace$E"
		quiet $command "trace$E" -o "new$E"
		ln -sf "new$E" "link$E"
		quiet $command "trace$E" -o "link$E"
	done
	mkdir -p "folder$E"
	echo mine >"folder$E/report.json"
	quiet report "trace$E" -o "folder$E"
	quiet gen random -o "nowhere$E/file"
	quiet calibrate --rounds 3 -o "nowhere$E/file"
	told "where it is written to"
}

make_files
tap_plan 4
try_files
try_words
try_outputs
run "$SWAPTRACE" info "missing$E"
tap_grep 'cannot open missing\\x1b\[31mX\\x1b\[0m\\xe2\\x80\\xae\\xc2\\x9b: No such file' "$ERR" "it is shown as what it is"
tap_end
