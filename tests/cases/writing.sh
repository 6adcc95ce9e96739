#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Nothing of the user's is destroyed by writing: not the input, not what was there before, not what stands beside it.
# What happens when calls fail or the program is killed is in faults.sh and kills.sh.
set -u
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
cd "$WORK" || exit 1
command -v jq >/dev/null || tap_skip_all "jq is not installed"

tap_plan 69

mode() {
	stat -c %a "$1"
}

# unchanged FILE: it is what keep FILE found.
keep() {
	rm -f "kept.${1##*/}" && cp -p "$1" "kept.${1##*/}"
}
unchanged() {
	cmp -s "$1" "kept.${1##*/}"
}

temporaries() {
	find . -name '*.swaptrace-*.tmp' | wc -l
}

swaptrace() {
	run timeout 60 "$SWAPTRACE" "$@"
}

swaptrace gen random --lookups 2000 -o a.data
swaptrace gen mixed --lookups 30000 --seed 2 -o b.data
swaptrace dump a.data -o a.txt
head -c 10 a.data >stump.data
SIZE=$(stat -c %s b.data)
head -c $((SIZE - 300)) b.data >cut.data
cp b.data bad.data
printf '\125%.0s' $(seq 64) | dd of=bad.data bs=1 seek=$((SIZE / 2)) conv=notrunc 2>/dev/null

# --- recover has nothing to write ------------------------------------------------------------------
cp a.data x && keep x
swaptrace recover stump.data -o x
tap_is "$STATUS" 3 "recover of what can't be read"
unchanged x
tap_ok $? "leaves the file of that name alone"
keep stump.data
swaptrace recover stump.data -o stump.data
unchanged stump.data
tap_is "$STATUS $?" "3 0" "and the input, where that is the name"
if mknod null c 1 3 2>/dev/null && : 2>/dev/null >null; then
	swaptrace recover stump.data -o null
	tap_is "$STATUS $(stat -c %F null)" "3 character special file" "and a device"
	swaptrace recover a.data -o null
	tap_is "$STATUS $(stat -c %F null)" "0 character special file" "a device is written to, not replaced"
else
	tap_skip "and a device" "no device can be made"
	tap_skip "a device is written to, not replaced" "no device can be made"
fi
mkfifo pipe
(timeout 20 cat pipe >from-pipe) &
swaptrace recover a.data -o pipe
wait $!
swaptrace dump from-pipe
tap_is "$STATUS $(stat -c %F pipe) $(grep -vc '^#' "$OUT")" "0 fifo 2000" "so is a pipe"

# --- recover of a trace onto itself ------------------------------------------------------------------
cp cut.data same.data
swaptrace recover cut.data -o saved.data
swaptrace recover same.data -o ./same.data
tap_is "$STATUS" 0 "a cut trace may be mended where it is"
tap_same same.data saved.data "and is the same as elsewhere"
cp bad.data damaged.data && keep damaged.data
ln -s damaged.data link.data
swaptrace recover damaged.data -o link.data
unchanged damaged.data
tap_is "$STATUS $?" "2 0" "a damaged one may not: what can't be read now would be gone"
tap_grep 'damaged\.data: what is damaged in it would be gone for good; name another file' "$ERR" "and that is said"
keep a.txt
swaptrace recover a.txt -o a.txt
unchanged a.txt
tap_is "$STATUS $?" "2 0" "nor may text, of which a trace does not keep all"
cp cut.data appended.data
"$SWAPTRACE" recover -q appended.data -o - >>appended.data 2>"$ERR"
tap_is "$? $(stat -c %s appended.data)" "2 $((SIZE - 300))" "nor is it written to while it is read"

# --- the output is an input ----------------------------------------------------------------------------
printf '# swaptrace calibration 1\n' >costs
"$SWAPTRACE" calibrate -q --rounds 3 -o costs >/dev/null 2>&1
printf 'type=0 pages=4096\n' >disks
# destroys FILE COMMAND...: the command, whose output is FILE, must refuse and leave it.
destroys() {
	local file=$1
	shift
	keep "$file"
	swaptrace "$@"
	unchanged "$file" && [ "$STATUS" -eq 2 ] && [ "$(wc -l <"$ERR")" -eq 1 ]
	tap_ok $? "refused: $*" || tap_show "$ERR"
}
ln a.data hard.data
ln -s a.data soft.data
for path in a.data ./a.data "$WORK/a.data" hard.data soft.data; do
	destroys a.data replay a.data -o "$path"
done
tap_grep 'error: -o soft\.data is where a\.data comes from, which would be lost; name another file$' "$ERR" "in clear words"
destroys a.data sweep a.data -o hard.data
destroys a.data dump a.data -o soft.data
destroys a.txt import a.txt -o ./a.txt
destroys a.data report b.data a.data -o a.data
destroys costs replay --calibration costs a.data -o costs
destroys disks replay --policy page-cluster=0,devices=disks a.data -o ./disks
destroys disks sweep --grid 'page-cluster=0..1,devices=disks' a.data -o disks
cp a.txt swaptrace.data
destroys swaptrace.data import swaptrace.data
keep a.txt
"$SWAPTRACE" import - -o a.txt <a.txt >"$OUT" 2>"$ERR"
tap_is "$? $(cmp a.txt kept.a.txt)" "2 " "refused: import - <a.txt -o a.txt"
"$SWAPTRACE" dump a.data -o - >>a.data 2>"$ERR"
tap_is "$? $(cmp a.data kept.a.data)" "2 " "refused: dump a.data -o - >>a.data"
"$SWAPTRACE" dump a.data >>a.data 2>"$ERR"
tap_is "$? $(cmp a.data kept.a.data)" "2 " "refused: dump a.data >>a.data"
swaptrace gen mixed -o mixed
swaptrace gen mixed -o mixed
tap_is "$STATUS" 0 "a word that is also the name of the output is no input"

# --- who may read it -------------------------------------------------------------------------------------
umask 000
rm -f new.*
swaptrace gen random -o new.gen
swaptrace import a.txt -o new.import
swaptrace recover cut.data -o new.recover
swaptrace dump a.data -o new.dump
tap_is "$(mode new.gen) $(mode new.import) $(mode new.recover) $(mode new.dump)" "600 600 600 600" \
	"traces, and their text, are for their owner alone"
umask 022
swaptrace replay a.data -o new.replay
swaptrace sweep a.data -o new.sweep
swaptrace calibrate --rounds 3 -o new.calibration
swaptrace report --format json a.data -o new.report
tap_is "$(mode new.replay) $(mode new.sweep) $(mode new.calibration) $(mode new.report) $(mode new.report/report.json)" \
	"644 644 644 755 644" "results are for whom the umask allows"
chmod 600 new.replay new.report/report.json
chmod 640 new.gen
swaptrace replay a.data -o new.replay
swaptrace report --format json b.data -o new.report
swaptrace gen random -o new.gen
tap_is "$(mode new.replay) $(mode new.report/report.json) $(mode new.gen)" "600 600 640" "a file that is replaced keeps its mode"
if [ "$(id -u)" -eq 0 ]; then
	chown 2000:2001 new.replay new.report/report.json
	swaptrace replay a.data -o new.replay
	swaptrace report --format json a.data -o new.report
	tap_is "$(stat -c %u:%g new.replay new.report/report.json | xargs)" "2000:2001 2000:2001" "root writes for a file's owner"
else
	tap_skip "root writes for a file's owner" "this is not root"
fi

# --- what stands beside it -----------------------------------------------------------------------------------
cp a.data x
echo precious >x.tmp
swaptrace import a.txt -o x
tap_is "$STATUS $(cat x.tmp)" "0 precious" "a file called x.tmp is nobody's but the user's"
echo precious >victim
ln -sf victim x.tmp
swaptrace import a.txt -o x
tap_is "$STATUS $(cat victim)" "0 precious" "nor is what a link of that name leads to"
mkdir far
ln -s far/target through
swaptrace gen random -o through
tap_is "$STATUS $(stat -c %F through) $(mode far/target)" "0 symbolic link 600" "a link is written through, also to what is not there yet"
swaptrace replay a.data -o through
tap_is "$(stat -c %F through) $(jq -r .swaptrace.schema far/target)" "symbolic link 1" "and to what is"

# One that takes its time, and another one meanwhile.
swaptrace dump b.data -o b.txt
swaptrace import a.txt -o one.data
swaptrace import b.txt -o two.data
cp one.data both.data
{
	head -n 100 b.txt
	while [ ! -e go ]; do sleep 0.05; done
	tail -n +101 b.txt
} | "$SWAPTRACE" import -q --format text - -o both.data 2>"$ERR" &
sleep 0.5
swaptrace import a.txt -o both.data
tap_is "$STATUS $(cmp both.data one.data)" "0 " "of two writers the one that is done first has written a whole file"
touch go
wait
tap_same both.data two.data "and so has the other one"

# --- standard output, by any name ----------------------------------------------------------------------------------
echo before >log
"$SWAPTRACE" dump -q a.data -o /dev/stdout >>log 2>"$ERR"
tail -n +2 log >log.dump
tap_is "$? $(head -n 1 log)" "0 before" "-o /dev/stdout goes on where standard output stands"
tap_same log.dump a.txt "with all of it"
"$SWAPTRACE" gen random --lookups 2000 -o - 2>"$ERR" | cmp -s - a.data
tap_is $? 0 "-o - is standard output"
"$SWAPTRACE" gen random --lookups 2000 -o >(cat >substituted) 2>"$ERR"
for _ in $(seq 50); do
	cmp -s substituted a.data && break
	sleep 0.1
done
tap_same substituted a.data "so is a pipe of the shell's"
swaptrace replay -q a.data --json
cp "$OUT" json
swaptrace replay -q a.data -o -
tap_same "$OUT" json "replay -o - is --json"
tap_is "$(ls ./- 2>/dev/null)" "" "and no file is called -"
swaptrace report a.data -o -
tap_is "$STATUS" 2 "a report in a folder called - is a mistake"

# --- refusals --------------------------------------------------------------------------------------------------------
for o in . / ''; do
	swaptrace gen random -o "$o"
	tap_is "$STATUS $(wc -l <"$ERR")" "4 1" "-o '$o' is no file"
done
if [ "$(id -u)" -eq 0 ]; then
	mkdir -m 1777 trap
	chown 1:1 trap
	echo theirs >trap/file
	ln -s ../victim trap/link
	chown -h 2000:2000 trap/file trap/link
	swaptrace gen random -o trap/link
	tap_is "$STATUS $(cat victim)" "4 precious" "a link that another user put into a shared folder is not followed"
	swaptrace gen random -o trap/file
	tap_is "$STATUS $(cat trap/file)" "4 theirs" "nor is a file taken that another user put there"
else
	tap_skip "a link that another user put into a shared folder is not followed" "this is not root"
	tap_skip "nor is a file taken that another user put there" "this is not root"
fi

# --- a report in a folder ----------------------------------------------------------------------------------------------
swaptrace report --format text,json,csv "$TOP/traces/samples/6.12-mthp.swaptrace" -o r
tap_is "$STATUS" 0 "a report"
ls r | grep -v '^report\.files$' | sort >there
grep -v '^#' r/report.files | sort >listed
tap_same listed there "lists its files"
echo mine >r/notes.txt
echo mine >r/lookups.csv
swaptrace report --format text,json,csv a.data -o r
swaptrace report --format text,json,csv a.data -o fresh
diff -r r fresh | sort >differences
tap_is "$STATUS $(cut -d: -f1 differences | sort -u | xargs)" "0 Only in r" "the next one leaves nothing of it"
tap_is "$(sed 's/.*: //' differences | xargs)" "lookups.csv notes.txt" "and touches nothing else"
for name in report.json report.txt; do
	mkdir "way.$name"
	echo mine >"way.$name/$name"
	swaptrace report --format text,json a.data -o "way.$name"
	tap_is "$STATUS $(ls "way.$name") $(cat "way.$name/$name")" "2 $name mine" "a $name that no report has left is in the way"
done
tap_grep 'report\.txt is in the way: no earlier report has left it' "$ERR" "and that is said"
rm -rf way.list && mkdir way.list
printf 'report.txt\n' >way.list/report.files
echo mine >way.list/report.txt
swaptrace report --format text a.data -o way.list
tap_is "$STATUS $(cat way.list/report.txt)" "2 mine" "a list that is none of ours allows nothing"
sed -i '2i ../victim' r/report.files
swaptrace report --format text,json,csv a.data -o r
tap_is "$STATUS $(cat victim)" "0 precious" "nor does a list reach out of its folder"
ln -sf "$WORK/victim" r/report.txt
swaptrace report --format text,json,csv a.data -o r
tap_is "$STATUS $(cat victim)" "2 precious" "a link in place of a file is in the way"
rm r/report.txt
keep r/report.json
swaptrace report --format text,json,csv r/report.json -o r
tap_is "$STATUS $(cmp r/report.json kept.report.json)" "2 " "a report over its own input is refused"
swaptrace report --format text r/report.json -o r
tap_is "$STATUS $(cmp r/report.json kept.report.json)" "2 " "also where the input would only be removed"
swaptrace report --format text,json,csv a.data -o r
tap_is "$STATUS" 0 "a file of the list that is gone hinders nobody"
if command -v flock >/dev/null; then
	keep r/report.txt
	run flock r "$SWAPTRACE" report --format text b.data -o r
	tap_is "$STATUS $(cmp r/report.txt kept.report.txt) $(grep -c 'another report is being written' "$ERR")" "4  1" \
		"of two reports at a time into a folder one is refused"
else
	tap_skip "of two reports at a time into a folder one is refused" "flock is missing"
fi
# A whole folder appears at once, with its parents.
swaptrace report --format text a.data -o deep/er/folder/
tap_is "$STATUS $(mode deep/er/folder) $(ls deep/er | xargs)" "0 755 folder" "a folder is made with those above it"
if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null; then
	mkdir -m 777 open && chmod 755 "$WORK"
	cp a.data open/a.data && chmod 644 open/a.data
	swaptrace report --format text a.data -o open/r && chmod 777 open/r
	keep open/r/report.txt
	run setpriv --reuid 2000 --regid 2000 --clear-groups "$SWAPTRACE" report --format text open/a.data -o open/r
	tap_is "$STATUS $(cmp open/r/report.txt kept.report.txt)" "4 " "another user's report is not replaced"
else
	tap_skip "another user's report is not replaced" "this is not root, or setpriv is missing"
fi
tap_is "$(temporaries)" 0 "no temporary is left by any of this"
tap_end
