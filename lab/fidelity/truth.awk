# SPDX-License-Identifier: GPL-2.0
# What a kernel did, counted from the events of its recording and nothing else: `swaptrace dump`
# comes in, one JSON object goes out. No model has a part in it.
#
#   swaptrace dump TRACE | awk -v from=NS -f truth.awk
#
# from: events before this time are not counted. Kinds of events that the recording does not hold
# at all give null.

function value(key,    i)
{
	for (i = 6; i <= NF; i++)
		if (index($i, key "=") == 1)
			return substr($i, length(key) + 2)
	return ""
}

function task()
{
	return $3 " " value("tid")
}

/^#/ || $1 < from { next }

$5 == "LOOKUP" { lookups++ }

$5 == "RA" {
	calls++
	ret = value("ret")
	windows[ret]++
	drains += ret > 1
	open[task()] = 1
	if (value("derived") != "") {
		probed++
		derived += value("derived") == ret
	}
}

# A batch is a call that read at least one page; reads that bypass the cache belong to none.
$5 == "READ" {
	n = value("n")
	pages += n == "" ? 1 : n
	if (value("cause") != "bypass" && open[task()]) {
		batches++
		open[task()] = 0
	}
}

$5 == "DRAIN" { lru_drains++ }
$5 == "RELEASE" { lru_releases++ }

function count(n, known)
{
	return known ? n + 0 : "null"
}

END {
	for (w in windows)
		list = list (list == "" ? "" : ", ") "\"" w "\": " windows[w]
	printf "{\"windows\": {%s}, \"calls\": %s, \"batches\": %s, \"pages_read\": %s, ", list,
		count(calls, lookups), count(batches, lookups), count(pages, lookups)
	printf "\"drains\": %s, \"lookups\": %s, ", count(drains, lookups), count(lookups, lookups)
	printf "\"lru_drains\": %s, \"lru_releases\": %s, ", count(lru_drains, lru_releases),
		count(lru_releases, lru_releases)
	printf "\"probed\": %d, \"derived\": %d}\n", probed, derived
}
