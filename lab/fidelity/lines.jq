# SPDX-License-Identifier: GPL-2.0
# One line a comparison of an experiment (see fidelity.sh).

def digits: . * 1000 | round / 1000 | tostring;
def named: {windows: "windows", calls: "calls", pages_read: "pages", drains: "drains", lru_drains: "drains",
	fallback: "fallback"};

. as $e | (.pairs[] | .compared as $c |
(if .how == "again" then "again" elif $c.open then "open" elif $c.pass then "pass" else "miss" end) + " " + $e.name + ": " +
$e.runs[.to - 1].policy + (if .how == "again" then " once more" else " from " + $e.runs[.from - 1].policy end) + ": " +
([$c.goals | to_entries[] | named[.key] + " " +
	($c.differences[.key] | if . == null then "n/a" else digits end) +
	(if .key == "fallback" then " points" else " %" end) + " (goal " + (.value | tostring) + ")"] | join(", "))),
(.derived[] | (if .pass then "pass " else "miss " end) + $e.name + ": windows derived under " + .policy + ": " +
	(.derived / .probed * 100 | digits) + " % as returned (goal " + (.goal | tostring) + ")")
