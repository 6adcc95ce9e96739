# SPDX-License-Identifier: GPL-2.0
# docs/fidelity.md from the results of the experiments (see fidelity.sh): jq -rs --arg date D --arg names N -f document.jq
# N: names of all experiments, one a line; those without a result are said not to have been run.
# D: for runs that do not say when they were.

def digits($n): . * pow(10; $n) | round / pow(10; $n) | tostring;
def percent: if . == null then "n/a" else digits(3) + " %" end;
def points: if . == null then "n/a" else digits(2) end;
def thousands: tostring | [while(length > 0; .[:-3]) | .[-3:]] | reverse | join(",");
def count: if . == null then "n/a" else thousands end;
def windows: if (. // {}) == {} then "n/a" else [to_entries | sort_by(.key | tonumber)[] | .key + ": " + (.value | thousands)] | join(", ") end;
def orders: if . == null then "n/a" else [to_entries | sort_by(.key | tonumber)[] |
	select(.value.swpout + .value.fallback > 0) | .key + ": " + (.value.swpout | thousands) + " / " + (.value.fallback | thousands)] | join(", ") end;
def row: "| " + join(" | ") + " |";
def largest($key): [.[].differences[$key] | select(. != null) | fabs] | if . == [] then null else max end;
def word: if .how == "again" then "-" elif .compared.open then "open" elif .compared.pass then "pass" else "**miss**" end;
def fact($name): .[0].runs[0].run | capture("(?m)^" + $name + ": (?<value>.*)$").value;

def base: .kind | rtrimstr("-open");
def has_windows: base == "swapoff" or base == "fault";
def coupled: base == "coupled";
# Runs of several kernels share no state; what they were asked for must be the same instead.
def of_kernels: .runs[0].policy | startswith("model=");

# What the comparisons that are predictions and of experiments for which f holds say.
def predictions(f): [.[] | select(f) | .pairs[] | select(.how == "prediction") | .compared | select(.open | not)];

def worst($name; f): predictions(f) as $p |
	if ($p | length) == 0 then empty else
	"* " + $name + ": windows " + ($p | largest("windows") | percent) + " (total variation), calls " +
	($p | largest("calls") | percent) + ", batches " + ($p | largest("batches") | percent) + ", pages read " +
	($p | largest("pages_read") | percent) + ", drains " + ($p | largest("drains") | percent) end;

def summary: predictions(true) as $p |
	"\($p | length) predictions from \(length) experiments: \([$p[] | select(.pass)] | length) within the goals, " +
	"\([$p[] | select(.pass | not)] | length) not; " +
	"\([.[].pairs[] | select(.how == "prediction" and .compared.open)] | length) more are open.";

# What a record says of runs whose own share is not kept.
def unlisted($key): [.[].unlisted[$key]? // 0] | add;
def verified: . as $all | [.[].runs[].verify] | "Each of the \(length) runs replayed with `--verify`: " +
	"\([.[].agreed] | add | thousands) of \([.[].checked] | add | thousands) decisions agree" +
	(([.[] | .checked - .agreed] | add) as $d | if $d == 0 then "." else
	", \([.[].explained // 0] | add + ($all | unlisted("explained")) | thousands) of the \($d | thousands) differences are explained by event order." end) +
	" Not checked: \([.[].reads_unknown // 0] | add + ($all | unlisted("reads_unknown")) | thousands) reads of\npages along addresses whose owner " +
	"the trace does not tell, as they are never needed; a prediction counts them as not read.\nEvents lost by the recorder: \([.[].lost // 0] | add + ($all | unlisted("lost")) | thousands).";

def readers:
	predictions(true) as $p | predictions(coupled) as $c |
	"In ten lines:", "",
	"* **Exact**: other settings of readahead and other forms of swapoff. Windows of a swapoff, and of faults of one task at a time, differ by",
	"  \($p | largest("windows") | percent) at most, pages read by \($p | largest("pages_read") | percent); \([$p[] | select(.pass)] | length) of \($p | length) claimed predictions are within the goals.",
	(if ($c | length) > 0 then
	"* **Exact**: another allocator, with the readahead that follows it, on three kernels of Debian: windows differ by \($c | largest("windows") | percent) at most,",
	"  pages read by \($c | largest("pages_read") | percent)." else empty end),
	"* **Exact**: drains of the per-CPU batches under another rule, on one CPU and on two.",
	"* **Nearly**: the share of large folios that fall back under another allocator, within \(predictions(base == "alloc") | largest("fallback") | points) points.",
	"* **Open**: tasks that fault at the same time with cluster readahead; two runs of one policy differ there, too.",
	"* **Open**: memory pressure that another policy would have caused; the trace does not hold it.",
	"* **Open**: large folios that come back in one piece on zram, under an allocator that would have split them.",
	(if any(.[]; coupled and any(.pairs[]; .compared.open and .how == "prediction")) then
	"* **Open**: drops of many slots by one call, predicted for a kernel that frees such runs at once (6.12) from one that does not tell\n  runs (6.1): as if the pages were dropped one by one." else empty end),
	(($names | split("\n")) - [.[].name] - [""] | if . == [] then empty else
	"* **Not run yet**: " + ([.[] | "`" + . + "`"] | join(", ")) + " of `lab/fidelity.sh --list`." end),
	"* Not measured here: real disks (times are those of an emulated one), more than two CPUs, machines that are not x86-64.";

def headings:
	(["experiment", "CPUs", "predicted", "from the trace of", "windows", "calls", "batches", "pages read", "drains", ""] | row),
	(["---", "---", "---", "---", "---:", "---:", "---:", "---:", "---:", "---"] | row);

def overview:
	headings,
	(.[] | select(has_windows) | . as $e | .pairs[] | .compared.differences as $d |
	 [$e.name, $e.cpus, $e.runs[.to - 1].policy, (if .how == "again" then "the same once more" else $e.runs[.from - 1].policy end),
	  ($d.windows | percent), ($d.calls | percent), ($d.batches | percent), ($d.pages_read | percent), ($d.drains | percent), word] |
	 map(tostring) | row);
def coupled_overview:
	(["experiment", "predicted", "from the trace of", "windows", "calls", "pages read", "drains", "fallback, points", ""] | row),
	(["---", "---", "---", "---:", "---:", "---:", "---:", "---:", "---"] | row),
	(.[] | select(coupled) | . as $e | .pairs[] | .compared.differences as $d |
	 [$e.name, $e.runs[.to - 1].policy, (if .how == "again" then "the same once more" else $e.runs[.from - 1].policy end),
	  ($d.windows | percent), ($d.calls | percent), ($d.pages_read | percent), ($d.drains | percent), ($d.fallback | points), word] |
	 map(tostring) | row);
def drains_overview:
	(["experiment", "CPUs", "predicted", "from the trace of", "drains", ""] | row), (["---", "---", "---", "---", "---:", "---"] | row),
	(.[] | select(base == "drain") | . as $e | .pairs[] |
	 [$e.name, $e.cpus, $e.runs[.to - 1].policy, (if .how == "again" then "the same once more" else $e.runs[.from - 1].policy end),
	  (.compared.differences.lru_drains | percent), word] | map(tostring) | row);

def alloc_overview:
	(["experiment", "CPUs", "predicted", "from the trace of", "by order: points of the share that fell back", ""] | row),
	(["---", "---", "---", "---", "---", "---"] | row),
	(.[] | select(base == "alloc") | . as $e | .pairs[] |
	 [$e.name, $e.cpus, $e.runs[.to - 1].policy, (if .how == "again" then "the same once more" else $e.runs[.from - 1].policy end),
	  ([(.compared.differences.orders // {}) | to_entries[] | .key + ": " + (.value | points)] | join(", ")), word] | map(tostring) | row);

def derived: [.[] | . as $e | .derived[] | . + {name: $e.name, cpus: $e.cpus}] |
	if . == [] then empty else
	"", "## Derived windows", "",
	"Distribution kernels inline the function that sizes a window; the recorder then reads the window from the kernel's variables. On the lab",
	"kernel it is a function, and its return value was recorded beside what the recorder derived. Goal: 100 % on one CPU, 99.9 % on two.", "",
	(["experiment", "CPUs", "policy", "calls", "derived = returned", "share", ""] | row), (["---", "---", "---", "---:", "---:", "---:", "---"] | row),
	(.[] | [.name, .cpus, .policy, (.probed | thousands), (.derived | thousands), (.derived / .probed * 100 | percent),
	 (if .pass then "pass" else "**miss**" end)] | map(tostring) | row) end;

def counted($kind; $what; $policy; $c): [$what, $policy] +
	(if $kind == "drain" then [$c.lru_drains | count] elif $kind == "alloc" then [$c.alloc | orders]
	 else [($c.windows | windows), ($c.calls | count), ($c.batches | count), ($c.pages_read | count), ($c.drains | count)] end) | row;

def section: . as $e |
	"", "### " + .name, "",
	"\(.what), \(.cpus) CPU\(if .cpus > 1 then "s" else "" end): `lab/run.sh \(.options)`" + (if of_kernels then " `--kernel` ..." else "" end), "",
	(if base == "drain" then (["", "policy", "drains of the batches"] | row), (["---", "---", "---:"] | row)
	 elif base == "alloc" then
	 (["", "policy", "requests by order: given / fallen back"] | row), (["---", "---", "---"] | row)
	 else (["", "policy", "windows", "calls", "batches", "pages read", "drains"] | row), (["---", "---", "---", "---:", "---:", "---:", "---:"] | row) end),
	(.runs[] | counted($e | base; "recorded"; .policy; .truth)),
	(.pairs[] | select(.how == "prediction") | counted($e | base; "predicted from " + $e.runs[.from - 1].policy; $e.runs[.to - 1].policy; .predicted)),
	"",
	(if of_kernels then "All kernels were asked for the same slots, in the same order (apart from pages of folios that were split): " +
	 (if [.runs[].requests] | unique | length == 1 then "yes" else "**no**" end) else
	"Up to the state, all runs recorded the same: " + (if [.runs[].before] | unique | length == 1 then "yes" else "**no**" end) end) +
	". `--verify`: " + ([.runs[].verify | "\(.agreed | thousands) of \(.checked | thousands)"] | join(", ")) + ". Recorded " +
	([.runs[].run | capture("(?m)^date: (?<value>.*)$").value] | unique | join(", ")) + ".";

"# How close: what-if against truth",
"",
readers,
"",
"## How it is measured",
"",
"Written by `make fidelity`, which makes all runs anew, or by `lab/fidelity.sh --merge NAME...`, which makes those and keeps the rest",
"(`lab/fidelity/results.jsonl`); not to be edited. Each run says when it was. A guest is saved right before the phase under test and goes on from there",
"once for each policy, so that all policies meet the same memory, the same slots and the same counters. Every run is recorded. From the",
"recording of one policy alone `swaptrace replay --from STATE --policy OTHER` predicts what the other policy does, and that is held against",
"what the kernel did: its events, counted by `lab/fidelity/truth.awk` without any model. \"Windows\" is the total variation of the two",
"histograms (half of the sum of the differences of shares), all else the difference of counts.",
"",
"**" + summary + "** Largest differences:",
"",
worst("swapoff, one CPU"; .kind == "swapoff" and .cpus == 1),
worst("swapoff, two CPUs"; .kind == "swapoff" and .cpus == 2),
worst("faults, one CPU"; .kind == "fault" and .cpus == 1),
worst("faults, two CPUs"; .kind == "fault" and .cpus == 2),
worst("another allocator, and the readahead that follows"; .kind == "coupled"),
(predictions(.kind == "drain") | if . == [] then empty else "* drains of the per-CPU batches: " + (largest("lru_drains") | percent) end),
(predictions(.kind == "alloc") | if . == [] then empty else "* slot allocator, share that fell back: " + (largest("fallback") | points) + " points" end),
"",
verified,
"",
"* recorded: " + ([.[].runs[].run | capture("(?m)^date: (?<value>.*)$").value] | unique | if . == [] then $date else join(", ") end),
"* " + ([.[].runs[].run | capture("(?m)^kernel package: (?<value>.*)$").value] | unique | "kernels: " + join(", ")),
"* " + fact("qemu"),
"",
"Goals: of another allocator 0.5 % each, and one point; of a swapoff windows within 0.2 % and the counts within 0.3 % on one CPU, 1 % on two; of faults 1 %; of drains 0.3 % and 1 %; of the allocator one point.",
"\"open\": measured, though replay does not claim it (see [What is not claimed](#what-is-not-claimed)).",
"\"The same once more\" is a second run of one policy: how much two runs differ that should not differ at all.",
"",
"## Readahead", "",
overview,
(if any(.[]; coupled) then "", "## Another allocator, and the readahead that follows", "",
 "Another allocator puts data elsewhere, so the slots around a needed one hold other data, and cluster readahead reads other windows. Here the",
 "prediction places all data by the other allocator, and everything later follows: windows, pages, drains. `model=v...` are runs of the same",
 "workload on Debian\u0027s kernels, which asks each for the same slots in the same order; `allocator=...` are runs of the lab\u0027s kernel from one state.", "",
 coupled_overview else empty end),
(if any(.[]; base == "drain") then "", "## Drains of the per-CPU batches", "", drains_overview else empty end),
(if any(.[]; base == "alloc") then "", "## Slot allocator", "", alloc_overview else empty end),
derived,
"", "## What is not claimed", "",
"A replay answers the requests that were recorded. Where the policy changes what is asked for, the trace of another policy does not hold it:", "",
"* The order of events: tasks that fault at the same time wait for the disk, and how long decides who is next. With cluster readahead all of",
"  them share one state (hits, previous offset, window), so another order gives other windows (`fault-together-2`: there two runs of one",
"  policy differ, too). With VMA readahead each address range has its own state, and the order matters less (`fault-together-vma-2`).",
"* Memory pressure: in less memory than is needed, what is read ahead pushes other pages out, and these are needed again (`fault-pressure`).",
"* Large folios that come back in one piece (zram on 6.12) go out in one piece again. Had another allocator split them, their pages would have",
"  come back, and asked for slots, one by one (`lab-alloc-whole`). `replay` says so in a note.",
(if any(.[]; coupled and any(.pairs[]; .compared.open and .how == "prediction")) then
"* Runs of slots: where a process drops several pages by one call, 6.12 frees those at once that lie side by side, and passes single ones through",
"  the slots cache, which delays them. Which pages lay side by side depends on the allocator, and which drops were one call is not in the trace of",
"  a kernel before 6.12, nor in pieces that another allocator has cut. So what 6.12 does then is predicted with delays that it did not have." else empty end),
"", "## The runs",
(.[] | section)
