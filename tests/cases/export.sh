#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# export: a small trace whose every line in each format was worked out by hand, and a real capture read by the tools
# that the formats are for.
set -u
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
cd "$WORK" || exit 1

CAPTURE=$TOP/traces/samples/6.12-cluster-swapoff.swaptrace

# Two needs of slot 7 with one of slot 9 between, two reads that overlap, a window, a request that failed, a loss.
cat >small.txt <<'END'
# swaptrace text 1
# release=6.12.0 page_size=4096 page_cluster=3 vma_ra=0
# device type=0 pages=1024 prio=-2 flags=ssd,blkdev name=/dev/a
1000000000 0 100 ca\x22t LOOKUP type=0 off=7 cause=fault hit=0
1000002000 0 100 ca\x22t RA mode=cluster type=0 off=7 ret=2
1000003000 0 100 ca\x22t READ type=0 off=6 n=1 cause=ra ns=5000
1000004500 0 100 ca\x22t READ type=0 off=7 n=1 cause=demand ns=6001
1000020000 1 101 b LOOKUP type=0 off=9 cause=swapoff hit=1
2500000000 - 100 - LOOKUP type=0 off=7 cause=fault hit=1
2500000500 0 50 kswapd0 ALLOC order=4 type=0 off=16 n=16
2500000600 0 50 kswapd0 ALLOCFAIL order=4 reason=space
2500000700 0 50 kswapd0 WRITE order=4 type=0 off=16 zero=0
2500000800 0 50 kswapd0 WRITE order=0 type=0 off=8 zero=1
2500000900 0 - - LOST n=3
END

# export_to FORMAT FILE [TRACE]
export_to() {
	run "$SWAPTRACE" export -f "$1" -o "$2" "${3:-small.txt}"
	tap_is "$STATUS" 0 "$1 is written"
}

check_json() {
	export_to jsonl small.jsonl
	cat >want <<'END'
[1000000000,"LOOKUP",0,100,"ca\"t",7,"fault",0]
[1000020000,"LOOKUP",1,101,"b",9,"swapoff",1]
[2500000000,"LOOKUP",null,100,null,7,"fault",1]
END
	jq -c 'select(.event == "LOOKUP") | [.t_ns, .event, .on_cpu, .tgid, .comm, .off, .cause, .hit]' small.jsonl >got
	tap_same got want "jsonl: what is unknown is absent"
	export_to json small.json
	tap_is "$(jq -c '[.swaptrace, .version, (.events | length), .header[1]]' small.json)" \
		'["events",1,11,"device type=0 pages=1024 prio=-2 flags=ssd,blkdev name=/dev/a"]' "json: header and events"
	tap_is "$(jq -c '.events[]' small.json | sort)" "$(jq -c . small.jsonl | sort)" "json and jsonl hold the same"
}

# column NAME: its number in the first line.
column() {
	head -n 1 small.csv | tr , '\n' | grep -nx "$1" | cut -d: -f1
}

check_csv() {
	export_to csv small.csv
	tap_is "$(awk -F, '{ print NF }' small.csv | sort -u | wc -l)" 1 "csv: all rows have the same cells"
	tap_is "$(cut -d, -f "1-5,$(column off),$(column hit),$(column ret)" small.csv | sed -n '2,3p;7p')" \
		'1000000000,0,100,"ca""t",LOOKUP,7,0,
1000002000,0,100,"ca""t",RA,7,,2
2500000000,,100,,LOOKUP,7,1,' "csv: an empty cell is unknown, 0 is 0"
	"$SWAPTRACE" export -f csv "$CAPTURE" 2>/dev/null | head -n 1 >other
	head -n 1 small.csv >got
	tap_same got other "csv: every trace has the same columns"
}

check_fio() {
	export_to fio small.fio
	cat >want <<'END'
fio version 3 iolog
3 swap0 add
3 swap0 open
3 swap0 read 24576 4096
4 swap0 read 28672 4096
1500000 swap0 write 65536 65536
END
	tap_same small.fio want "fio: bytes and microseconds; pages of zeros are not written"
	if command -v fio >/dev/null; then
		truncate -s 4M swap0
		run fio --name=replay --read_iolog=small.fio --ioengine=psync --replay_no_stall=1 --output-format=json
		tap_is "$STATUS $(jq -c '[.jobs[0].read.total_ios, .jobs[0].write.io_bytes]' "$OUT")" "0 [2,65536]" "fio replays it"
	else
		tap_skip "fio replays it" "fio is not installed"
	fi
	grep -v 'READ\|WRITE' small.txt >none.txt
	run "$SWAPTRACE" export -f fio -o none.fio none.txt
	tap_is "$STATUS" 3 "a trace without I/O is no I/O log"
	[ ! -e none.fio ]
	tap_ok $? "and leaves no file"
}

check_oracle_general() {
	export_to oracleGeneral small.oracle
	# Seconds, entry, bytes, number of the next request: 24 bytes each.
	for record in "0 7 4096 3" "0 9 4096 -1" "1 7 4096 -1"; do
		# shellcheck disable=SC2086 # four numbers
		set -- $record
		printf '%d %d %d %d\n' "$@"
	done >want
	for i in 0 1 2; do
		{
			tail -c +$((24 * i + 1)) small.oracle | head -c 4 | od -An -tu4
			tail -c +$((24 * i + 5)) small.oracle | head -c 8 | od -An -tu8
			tail -c +$((24 * i + 13)) small.oracle | head -c 4 | od -An -tu4
			tail -c +$((24 * i + 17)) small.oracle | head -c 8 | od -An -td8
		} | tr -s ' \n' ' ' | sed 's/^ //; s/ $//; a\'
	done | sed '/^$/d' >got
	tap_same got want "oracleGeneral: each need, and the number of the next of its entry"
	tap_is "$(wc -c <small.oracle)" 72 "oracleGeneral: nothing else"
}

check_chrome() {
	export_to chrome small.chrome
	cat >want <<'END'
["X","need fault",100,1000000,0]
["C","readahead window, pages",0,1000002,2]
["X","read ra",1000000000,1000003,5]
["X","read demand",1000000000,1000004.5,6.001]
["X","need swapoff",101,1000020,0]
["X","need fault",100,2500000,0]
["C","large folios that fell back, %",0,2500000.5,0]
["C","large folios that fell back, %",0,2500000.6,50]
["C","events lost",0,2500000.9,3]
["i","events lost",0,2500000.9,null]
END
	jq -c '.traceEvents[] | select(.ph != "M") | [.ph, .name, .pid, .ts, (.dur // .args.value)]' small.chrome >got
	tap_same got want "chrome: slices, counters and marks"
	tap_is "$(jq -c '[.traceEvents[] | select(.name | startswith("read ")) | .tid]' small.chrome)" '[0,1]' \
		"reads that overlap have lines of their own"
	tap_is "$(jq -r '[.traceEvents[] | select(.ph == "M" and .pid == 100) | .args.name] | join(" ")' small.chrome)" 'ca"t' \
		"a thread has its name, once"
}

check_perfetto() {
	export_to perfetto small.pftrace
	if ! command -v protoc >/dev/null; then
		tap_skip "perfetto: the messages" "protoc is not installed"
		return
	fi
	protoc --decode_raw <small.pftrace | awk '
		/^  8: / { t = $2 } /^    9: / { type = $2 } /^    23: / { name = $0; sub(/^ *23: /, "", name) } /^    44: / { value = $2 }
		/^  }/ { line = t " " type " " name value; sub(/ $/, "", line); if (type) print line; type = name = value = "" }' >got
	# Type 1 begins a slice, 2 ends it, 3 is a mark, 4 a counter; doubles are shown as bits.
	cat >want <<'END'
1000000000 1 "need fault"
1000000000 2
1000002000 4 0x4000000000000000
1000003000 1 "read ra"
1000008000 2
1000004500 1 "read demand"
1000010501 2
1000020000 1 "need swapoff"
1000020000 2
2500000000 1 "need fault"
2500000000 2
2500000500 4 0x0000000000000000
2500000600 4 0x4049000000000000
2500000900 4 0x4008000000000000
2500000900 3 "events lost"
END
	tap_same got want "perfetto: the messages"
}

check_ctf() {
	if ! command -v babeltrace2 >/dev/null; then
		tap_skip "ctf: babeltrace2 reads it" "babeltrace2 is not installed"
		return
	fi
	run "$SWAPTRACE" export -f ctf -o real-ctf "$CAPTURE"
	babeltrace2 --clock-seconds real-ctf >got 2>warnings
	tap_is "$? $(wc -c <warnings)" "0 0" "ctf: babeltrace2 reads it without a warning"
	tap_is "$(sed 's/^[^)]*) \([A-Z]*\):.*/\1/' got | sort | uniq -c)" \
		"$("$SWAPTRACE" dump --no-header "$CAPTURE" | awk '{ print $5 }' | sort | uniq -c)" "ctf: every event of a real capture"
	export_to ctf small-ctf
	babeltrace2 --clock-cycles small-ctf 2>warnings | grep ' LOOKUP' | sed 's/.*LOOKUP/LOOKUP/' >got
	cat >want <<'END'
LOOKUP: { on_cpu = 0, tgid = 100, comm = "ca\"t" }, { type = 0, off = 7, cause = ( "fault" : container = 0 ), hit = 0 }
LOOKUP: { on_cpu = 1, tgid = 101, comm = "b" }, { type = 0, off = 9, cause = ( "swapoff" : container = 1 ), hit = 1 }
LOOKUP: { on_cpu = -1, tgid = 100, comm = "" }, { type = 0, off = 7, cause = ( "fault" : container = 0 ), hit = 1 }
END
	tap_same got want "ctf: keys that are unknown are not there"
	export_to ctf small-ctf
	touch small-ctf/mine
	export_to ctf small-ctf
	[ -e small-ctf/mine ]
	tap_ok $? "ctf: a folder is written again, what is not ours stays"
}

check_refusals() {
	run "$SWAPTRACE" export -f perfeto small.txt
	tap_is "$STATUS" 2 "an unknown format is wrong usage"
	tap_grep 'did you mean perfetto\?' "$ERR" "and the nearest is named"
	run "$SWAPTRACE" export -f ctf small.txt
	tap_is "$STATUS" 2 "a folder needs a name"
	echo junk >junk
	run "$SWAPTRACE" export junk
	tap_is "$STATUS" 3 "what is no trace is unreadable input"
	cp "$CAPTURE" same
	run "$SWAPTRACE" export -o same same
	tap_is "$STATUS" 2 "the trace itself is not written over"
	cmp -s same "$CAPTURE"
	tap_ok $? "and stays what it was"
}

tap_plan 36
check_json
check_csv
check_fio
check_oracle_general
check_chrome
check_perfetto
check_ctf
check_refusals
tap_end
