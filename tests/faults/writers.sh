# shellcheck shell=bash disable=SC2034 # variables are for those who source this
# SPDX-License-Identifier: GPL-2.0
# Every command that writes a file of the user's, for tests that disturb it. To be sourced after tests/lib.sh.
#
#   prepare_inputs; for w in $WRITERS; do choose "$w"; reset; "${COMMAND[@]}"; state; done
#
# choose sets TARGET (what is written), COMMAND, and OLD: a copy of what is there before, empty where nothing is.
# state sets STATE: old, new, none (nothing there), mixed (a folder whose files are whole, but of both) or broken.

WRITERS="import import-new import-pipe gen recover recover-same dump replay sweep calibrate report report-new"
FOLDER=$WORK/folder # where targets stand, with nothing else

prepare_inputs() {
	mkdir -p "$WORK/in"
	"$SWAPTRACE" gen random --lookups 3000 --seed 1 -o "$WORK/in/a.data" &&
		"$SWAPTRACE" gen mixed --lookups 9000 --seed 2 -o "$WORK/in/b.data" &&
		"$SWAPTRACE" dump "$WORK/in/a.data" >"$WORK/in/a.txt" &&
		"$SWAPTRACE" dump "$WORK/in/b.data" >"$WORK/in/b.txt" || return 1
	# What a recorder that was killed leaves: no footer, and a block that is not whole.
	head -c $(($(stat -c %s "$WORK/in/b.data") - 200)) "$WORK/in/b.data" >"$WORK/in/cut.data"
	"$SWAPTRACE" replay -q -o "$WORK/in/old.json" "$WORK/in/a.data" >/dev/null 2>&1 &&
		"$SWAPTRACE" calibrate -q --rounds 3 -o "$WORK/in/old.calibration" >/dev/null 2>&1 &&
		"$SWAPTRACE" report -q --format text,json,csv -o "$WORK/in/old.report" "$WORK/in/a.data" 2>/dev/null
}

# The program of a writer, as words.
command_of() {
	case $1 in
	import | import-new) echo import -q "$WORK/in/b.txt" -o "$TARGET" ;;
	import-pipe) echo import -q - -o "$TARGET" ;;
	gen) echo gen random --lookups 3000 --seed 3 -o "$TARGET" ;;
	recover) echo recover -q "$WORK/in/cut.data" -o "$TARGET" ;;
	recover-same) echo recover -q "$TARGET" -o "$TARGET" ;;
	dump) echo dump -q "$WORK/in/b.data" -o "$TARGET" ;;
	replay) echo replay -q --policy page-cluster=0 "$WORK/in/b.data" -o "$TARGET" ;;
	sweep) echo sweep -q -j 1 --grid page-cluster=0..3 "$WORK/in/b.data" -o "$TARGET" ;;
	calibrate) echo calibrate -q --rounds 3 --directory "$WORK/in" -o "$TARGET" ;;
	report | report-new) echo report -q --format text,json,csv "$WORK/in/b.data" -o "$TARGET" ;;
	esac
}

old_of() {
	case $1 in
	import | import-pipe | gen | recover) echo "$WORK/in/a.data" ;;
	recover-same) echo "$WORK/in/cut.data" ;;
	dump) echo "$WORK/in/a.txt" ;;
	replay | sweep) echo "$WORK/in/old.json" ;;
	calibrate) echo "$WORK/in/old.calibration" ;;
	report) echo "$WORK/in/old.report" ;;
	esac
}

# choose NAME: also makes what it writes undisturbed, in NEW, to compare with.
choose() {
	WRITER=$1
	TARGET=$FOLDER/target
	OLD=$(old_of "$1")
	NEW=$WORK/in/new.$1
	STDIN=/dev/null
	[ "$1" != import-pipe ] || STDIN=$WORK/in/b.txt
	# shellcheck disable=SC2046 # words, and no name here has blanks
	COMMAND=("$SWAPTRACE" $(command_of "$1"))
	[ -e "$NEW" ] && return
	reset
	"${COMMAND[@]}" >/dev/null 2>"$ERR" <"$STDIN" || return 1
	mv "$TARGET" "$NEW"
}

reset() {
	rm -rf "$FOLDER"
	mkdir "$FOLDER"
	[ -z "$OLD" ] || cp -a "$OLD" "$TARGET"
}

# same PATH: the target is that, but for temporaries in a folder.
same() {
	[ -e "$1" ] || return 1
	if [ -d "$1" ]; then
		diff -rq -x '*.swaptrace-*.tmp' "$1" "$TARGET" >/dev/null 2>&1
	else
		cmp -s "$1" "$TARGET"
	fi
}

# Times that are measured differ, and some can't be measured when calls fail; what is cut is refused.
is_calibration() {
	[ "$WRITER" = calibrate ] && "$SWAPTRACE" reproduce lruadd --calibration "$TARGET" >/dev/null 2>&1
}

# Every file of the folder is whole, of the old or the new report.
is_mixed() {
	local file name
	[ -d "$TARGET" ] || return 1
	for file in "$TARGET"/*; do
		name=${file##*/}
		case $name in
		*.swaptrace-*.tmp | report.files) continue ;;
		esac
		cmp -s "$file" "$OLD/$name" || cmp -s "$file" "$NEW/$name" || return 1
	done
}

state() {
	if [ ! -e "$TARGET" ]; then
		STATE=none
	elif [ -n "$OLD" ] && same "$OLD"; then
		STATE=old
	elif same "$NEW" || is_calibration; then
		STATE=new
	elif is_mixed; then
		STATE=mixed
	else
		STATE=broken
	fi
}

leftovers() {
	find "$FOLDER" -name '*.swaptrace-*.tmp'
}

# Whether what is there is what was there (nothing, where nothing was), or the new one.
old_or_new() {
	state
	case $STATE in
	new) ;;
	old) [ -n "$OLD" ] ;;
	none) [ -z "$OLD" ] ;;
	*) return 1 ;;
	esac
}
