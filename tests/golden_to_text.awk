# SPDX-License-Identifier: GPL-2.0
# A golden vector of the allocator (tests/golden/README.md) as a trace in text notation, so that replay --verify has
# to arrive at what the kernel answered. Vectors with rows of many requests (A), with batches that are no run of slots,
# or with folios taken back below the slots cache do not fit the notation: exit status 3, nothing to be used.
#
#	awk -f golden_to_text.awk FILE.tsv >trace.txt

BEGIN {
	FS = "\t"
	release["scan-6.1"] = "6.1.192"
	release["mthp-empty-only"] = "6.11.11"
	release["nonfull-v1"] = "6.10.0"
	release["cluster-6.12"] = "6.12.117"
	release["cluster-6.18"] = "6.18.4"
}

function event(cpu, text) {
	t += 1000
	print t, cpu, 100 + cpu, "task", text
}

function run(n, off, name, keys) {
	return name " type=0 off=" off " n=" n " " keys
}

# Nothing but the swap cache holds them.
function cache_only(cpu, n, off) {
	event(cpu, run(n, off, "CACHE", "by=swapin"))
	event(cpu, run(n, off, "UNREF", "how=swapin left=0"))
}

function take_back(cpu,   i) {
	for (i = 0; i < taken; i++)
		event(cpu, folio[i])
	taken = 0
}

function header() {
	printed = 1
	above = level == "above-slots-cache" || generation == "cluster-6.18"
	print "# swaptrace text 1"
	printf "# release=%s page_size=4096 cluster_slots=%s thp_swap=1 cpus=%s\n", release[generation], cluster, cpus
	if (generation == "nonfull-v1")
		print "# allocator=nonfull-v1"
}

/^# generation/ { generation = $2 }
/^# level/ { level = $2 }
/^# SWAPFILE_CLUSTER/ { cluster = $2 }
/^# cpus/ { cpus = $2 }
/^#/ { next }
!printed { header() }

# In a vector one cpu column may be "-".
{ cpu = $2 == "-" ? 0 : $2 }

$1 == "r" { event(cpu, "RNG value=" $5 " low=" $3 " high=" $4) }
$1 == "n" { event(cpu, "PCPU type=0 next=" $5) }
$1 == "on" { event(cpu, "SWAPON type=0 pages=" $4 " prio=-2 flags=ssd,blkdev") }
$1 == "off" {
	event(cpu, "SWAPOFF op=begin type=0")
	event(cpu, "SWAPOFF op=end type=0 ret=0")
}
$1 == "x" {
	if (!above)
		exit 3
	folio[taken++] = run(2 ^ $3, $4, "UNCACHE", "by=reclaim")
}
$1 == "a" {
	if (above)
		event(cpu, "SWAPOUT order=" $3)
	take_back(cpu)
	if ($5 == -1)
		event(cpu, "ALLOCFAIL order=" $3 " reason=space")
	else
		event(cpu, "ALLOC order=" $3 " type=0 off=" $5)
}
$1 == "b" {
	n = split($5, offs, ",")
	if (above || (n != $4 && $5 != -1))
		exit 3
	for (i = 2; i <= n; i++)
		if (offs[i] != offs[1] + i - 1)
			exit 3
	if ($5 == -1)
		event(cpu, "ALLOCFAIL order=0 reason=space")
	else
		event(cpu, "ALLOC order=0 type=0 off=" offs[1] " n=" n)
}
$1 == "A" { exit 3 }
$1 == "f" { event(cpu, run($3, $4, "UNREF", "how=zap")) }
$1 == "i" { event(cpu, run($3, $4, "UNREF", "how=swapin")) }
$1 == "c" { cache_only(cpu, 2 ^ $3, $4) }
$1 == "w" {
	cache_only(cpu, 2 ^ $3, $4)
	event(cpu, run(2 ^ $3, $4, "UNCACHE", "by=free"))
}
# The worker has no event of its own; what it takes back comes right after what woke it.
$1 == "k" { take_back(cpu) }
