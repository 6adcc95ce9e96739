#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Kernels times workloads: records each workload on each kernel and writes, as Markdown, what was attached, what is
# missing and why, how many decisions the models predict, and the kernel's own counters against the events of the
# trace. Makes docs/kernels.md: about a minute for each cell.
#
# usage: lab/kernels.sh --recorder FILE [--out DIR] [--kernel K]... [--workload W]... [--report FILE]
#   --kernel, --workload   only these; all of them unless given
#   --out DIR              where the runs are kept (default build/kernels); a run that is there is not made again
#   --report FILE          where the table goes (default: standard output)
# Variables: SWAPTRACE, the program that verifies (default ./swaptrace). Exit status 1 where a cell is wrong.
set -u -o pipefail

LAB=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
TOP=$LAB/..
SWAPTRACE=${SWAPTRACE:-$TOP/swaptrace}
ALL_KERNELS="5.10 6.1 6.12 6.16 6.17 6.18 6.19 7.0 7.1 7.2 7.3"
OUT=$TOP/build/kernels
RECORDER='' REPORT='' KERNELS='' WORKLOADS=''

say() {
	echo "kernels: $*" >&2
}

# NAME | options of lab/run.sh | what it shows
workloads() {
	cat <<'TABLE'
t1-vma|--record-args -e=ra,alloc|swapoff, VMA readahead
t1-cluster|--record-args -e=ra,alloc|swapoff, cluster readahead
zram|--record-args -e=ra,alloc|faults and swapoff, synchronous device
mthp|--record-args -e=ra,alloc|64 kB folios
truncate|--record-args -e=lru|per-CPU batches, drains
TABLE
}

parse_options() {
	while [ $# -gt 0 ]; do
		case $1 in
		--recorder) RECORDER=$2 ;;
		--out) OUT=$2 ;;
		--kernel) KERNELS="$KERNELS $2" ;;
		--workload) WORKLOADS="$WORKLOADS $2" ;;
		--report) REPORT=$2 ;;
		*) sed -n 's/^# usage: /usage: /p' "${BASH_SOURCE[0]}" >&2 && exit 2 ;;
		esac
		shift 2 || exit 2
	done
	[ -f "$RECORDER" ] || { say "--recorder $RECORDER: no such file" && exit 2; }
	KERNELS=${KERNELS:-$ALL_KERNELS}
	WORKLOADS=${WORKLOADS:-$(workloads | cut -d '|' -f 1)}
}

# modules_missing KERNEL WORKLOAD: the archive has the image of some kernels without modules.
modules_missing() {
	local cache=${LAB_CACHE:-${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/swaptrace-lab}/kernel/$1/modules
	case $2 in
	zram | mthp) set -- zram ;;
	t1-cluster) set -- virtio_blk ;;
	*) return 1 ;;
	esac
	! ls "$cache"/*-"$1".ko >/dev/null 2>&1
}

# record KERNEL WORKLOAD DIR
record() {
	local kernel=$1 workload=$2 dir=$3 args status=0
	args=$(workloads | sed -n "s/^$workload|--record-args \([^|]*\)|.*/\1/p" | tr '=' ' ')
	[ ! -f "$dir/run.txt" ] || return 0
	say "$workload on $kernel"
	"$LAB/run.sh" --kernel "$kernel" --workload "$workload" --size "${SIZE:-small}" --record-from swapon \
		--record-args "$args" --recorder "$RECORDER" --timeout 600 --out "$dir.new" >"$dir.log" 2>&1 || status=$?
	[ $status -eq 0 ] || { tail -n 3 "$dir.log" >&2 && return 1; }
	rm -rf "$dir" && mv "$dir.new" "$dir"
}

# header TRACE KEY: a fact of the header.
header() {
	"$SWAPTRACE" dump --header "$1" | tr ' ' '\n' | sed -n "s/^$2=//p" | head -n 1
}

# counts TRACE: what the events say, and what the kernel counted meanwhile, a line "NAME EVENTS KERNEL" each.
counts() {
	"$SWAPTRACE" dump "$1" | awk '
		function value(key,    i) { for (i = 2; i <= NF; i++) if (index($i, key "=") == 1) return substr($i, length(key) + 2); return "" }
		$1 == "#" && $2 == "note" && /(vmstat|counters)=/ {
			for (i = 4; i <= NF; i++) {
				split($i, pair, "=")
				if ($3 ~ /=begin/) from[pair[1]] = pair[2]; else { to[pair[1]] = pair[2]; known[pair[1]] = pair[1] in from }
			}
			next
		}
		$1 == "#" { next }
		$5 == "READ" { n = value("n"); read += n; ra += value("cause") == "ra" ? n : 0; next }
		$5 == "LOOKUP" { hits += value("ra") == "1"; next }
		$5 == "WRITE" { n = 2 ^ value("order"); if (value("zero") == "1") zero += n; else written += n; next }
		$5 == "ALLOC" { size[value("order")]++; next }
		$5 == "ALLOCFAIL" { fails[value("order")]++; next }
		function tell(name, events, counter) { print name, events + 0, to[counter] - from[counter] }
		END {
			if (known["pswpin"]) {
				print "pswpin", read + 0, to["pswpin"] - from["pswpin"] + to["swpin_zero"] - from["swpin_zero"]
				tell("swap_ra", ra, "swap_ra")
				tell("swap_ra_hit", hits, "swap_ra_hit")
			}
			if (known["pswpout"] && written)
				tell("pswpout", written, "pswpout")
			if (known["thp_64kB_swpout"] && (size[4] || to["thp_64kB_swpout"])) {
				tell("64kB_swpout", size[4], "thp_64kB_swpout")
				tell("64kB_fallback", fails[4], "thp_64kB_swpout_fallback")
			}
		}'
}

# What a few events at the ends of the recording may differ by.
SLACK=40

# counters_cell TRACE: "as counted", or what differs.
counters_cell() {
	counts "$1" | awk -v slack=$SLACK '
		{ d = $2 - $3; if (d < 0) d = -d; n++; said = said (said ? ", " : "") $1 " " $2 "/" $3; if (d > slack) wrong = 1 }
		END { if (!n) print "–"; else print (wrong ? "**wrong** " : "") said }'
}

verify_cell() {
	local json=$1.verify.json
	if ! "$SWAPTRACE" replay --verify --json "$1" >"$json" 2>"$json.err"; then
		echo "refused: $(tail -n 1 "$json.err" | sed "s|^swaptrace: ||; s|$1: ||" | cut -c 1-160)"
		return
	fi
	jq -r '.results[0].verify | [ ["windows", .windows_agreed, .windows_checked], ["lookups", .lookups_agreed, .lookups_checked],
		["reads", .reads_agreed, .reads_checked], ["allocations", .allocs_agreed, .allocs_checked],
		["drains", .drains_agreed, .drains_checked], ["flushes", .flushes_agreed, .flushes_checked] ] | map(select(.[2] > 0)) |
		map(.[0] + " " + (if .[1] == .[2] then "all " + (.[2] | tostring) else (.[1] | tostring) + " of " + (.[2] | tostring) end)) |
		join(", ")' "$json"
}

# losses_cell TRACE: events in the file, lost ones, and runs of programs that the kernel skipped.
losses_cell() {
	"$SWAPTRACE" dump --header "$1" | awk '
		/^# probe/ && / cpu=/ { for (i = 2; i <= NF; i++) { split($i, p, "="); if (p[1] == "delivered") d += p[2]; if (p[1] == "lost") l += p[2] } }
		/^# probe/ && / runs=/ { for (i = 2; i <= NF; i++) { split($i, p, "="); if (p[1] == "missed") m += p[2] } }
		END { printf "%d", d; if (l) printf ", %d lost (%.2f %%)", l, 100 * l / (d + l); if (m) printf ", %d runs skipped", m; print "" }'
}

row() {
	local kernel=$1 workload=$2 dir=$OUT/$1-$2 trace missing
	trace=$dir/$workload.swaptrace
	if modules_missing "$kernel" "$workload"; then
		echo "| $kernel | $workload | not run: the archive has this kernel without modules | | | |"
		return 0
	fi
	if ! record "$kernel" "$workload" "$dir"; then
		echo "| $kernel | $workload | **wrong**: $(grep -v '^lab:' "$dir.log" | tail -n 1 | cut -c 1-100) | | | |"
		return 1
	fi
	missing=$(header "$trace" missing)
	echo "| $kernel | $workload | $(header "$trace" attach)${missing:+; missing: $missing} | $(losses_cell "$trace") |" \
		"$(verify_cell "$trace") | $(counters_cell "$trace") |"
}

report() {
	local kernel workload bad=0
	cat <<'TEXT'
# Kernels

Written by `make check-kernels` (lab/kernels.sh): each workload recorded on one emulated CPU on Debian's cloud kernel of
each series. `missing` names events that the kernel does not show. `agree` are the decisions that the model of the
kernel's generation predicts exactly (`replay --verify`). `counters` are what the events of the trace say and what the
kernel counted meanwhile (events/kernel): pages read and read ahead, marks hit, pages written, folios of 64 kB that were
given slots and that fell back. A few events at either end of a recording are in one of the two alone.

| kernel | workload | attached | events | agree | counters |
| --- | --- | --- | --- | --- | --- |
TEXT
	for kernel in $KERNELS; do
		"$LAB/run.sh" --fetch --kernel "$kernel" >/dev/null 2>&1 || { say "$kernel can't be had" && continue; }
		for workload in $WORKLOADS; do
			row "$kernel" "$workload" || bad=1
		done
	done
	echo
	echo "Kernels: $(for kernel in $KERNELS; do cat "${LAB_CACHE:-${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/swaptrace-lab}/kernel/$kernel/package" 2>/dev/null; done | sed 's/^[^ ]* //' | paste -s -d , | sed 's/,/, /g')."
	return $bad
}

main() {
	local status=0
	parse_options "$@"
	mkdir -p "$OUT" && OUT=$(cd "$OUT" && pwd) || exit 125
	report >"$OUT/report.md" || status=1
	! grep -q '\*\*wrong\*\*' "$OUT/report.md" || status=1
	if [ -n "$REPORT" ]; then
		cp "$OUT/report.md" "$REPORT"
	else
		cat "$OUT/report.md"
	fi
	exit $status
}

main "$@"
