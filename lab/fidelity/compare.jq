# SPDX-License-Identifier: GPL-2.0
# A prediction held against what a kernel did.
#
#   jq -n -f compare.jq --argjson truth T --argjson predicted P --arg kind KIND --argjson cpus N
#
# T, P: objects of truth.awk; alloc: {ORDER: {swpout, fallback}}. Prints {differences, goals, open, pass}; differences
# are per cent, of allocators points of the share that fell back; null where there is nothing to compare.
# kind: swapoff, fault, coupled, drain, alloc: which goal holds for which difference; KIND-open: what replay does not claim to
# predict, measured all the same, and nothing fails.

# Total variation: half of the sum of the differences of shares.
def variation($a; $b):
	([$a[]] | add) as $na | ([$b[]] | add) as $nb |
	if ($na // 0) == 0 or ($nb // 0) == 0 then null
	else [($a + $b) | keys[] | (($a[.] // 0) / $na - ($b[.] // 0) / $nb) | fabs] | add / 2 * 100 end;

def off($key):
	$truth[$key] as $t | $predicted[$key] as $p |
	if $t == null or $p == null then null
	elif $t == 0 then (if $p == 0 then 0 else 100 end)
	else ($p - $t) / $t * 100 end;

def share: if .swpout + .fallback == 0 then null else .fallback / (.swpout + .fallback) * 100 end;

# Orders that fewer than 20 requests asked for have no share to speak of.
def points:
	($truth.alloc // null) as $t | ($predicted.alloc // null) as $p |
	if $t == null or $p == null then null
	else [$t | to_entries[] | select(.value.swpout + .value.fallback >= 20) |
		{key, value: (($p[.key] // {swpout: 0, fallback: 0} | share // 100) - (.value | share))}] | from_entries end;

($kind | rtrimstr("-open")) as $kind_of |
def goals:
	if $kind_of == "swapoff" then (if $cpus == 1 then 0.3 else 1 end) as $g |
		{windows: 0.2, calls: $g, pages_read: $g, drains: $g}
	elif $kind_of == "coupled" then {windows: 0.5, calls: 0.5, pages_read: 0.5, drains: 0.5, fallback: 1}
	elif $kind_of == "fault" then {windows: 1, calls: 1, pages_read: 1, drains: 1}
	elif $kind_of == "drain" then {lru_drains: (if $cpus == 1 then 0.3 else 1 end)}
	else {fallback: 1} end;

{
	windows: variation($truth.windows // {}; $predicted.windows // {}),
	calls: off("calls"), batches: off("batches"), pages_read: off("pages_read"), drains: off("drains"),
	lru_drains: off("lru_drains"),
	fallback: (points | if . == null then null else ([.[] | fabs] | max) end),
	orders: points
} as $d |
{differences: $d, goals: goals, open: ($kind != $kind_of),
 pass: (goals | to_entries | all($d[.key] as $x | $x != null and ($x | fabs) <= .value + 1e-9))}
