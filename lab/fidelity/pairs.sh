# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
# Two recordings from one machine state, held against each other. Sourced by lab/fidelity.sh and
# tests/cases/fidelity.sh.

FIDELITY=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

# truth TRACE FROM_NS: what the kernel did from then on, from the events alone.
truth() {
	"$SWAPTRACE" dump -q "$1" | awk -v from="$2" -f "$FIDELITY/truth.awk" |
		jq --argjson alloc "$(recorded_orders "$1")" '.alloc = $alloc'
}

# Those that anybody asked for.
ORDERS='def orders: with_entries(.value |= {swpout, fallback} | select(.value.swpout + .value.fallback > 0));'

recorded_orders() {
	"$SWAPTRACE" replay -q --json "$1" 2>/dev/null | jq -c "$ORDERS"' .results[-1].alloc | if . then .recorded | orders else null end'
}

# prediction TRACE FROM_NS POLICY: what the trace says the kernel would have done under the policy.
prediction() {
	local from=()
	[ "$2" -eq 0 ] || from=(--from "$2")
	"$SWAPTRACE" replay -q --json ${from[@]+"${from[@]}"} --policy "$3" "$1" | jq -c "$ORDERS"' .results[0] |
		(.readahead // {} | {windows, calls, batches, pages_read, drains, lookups}) +
		{lru_drains: (.lru // {}).drains, alloc: (.alloc // {} | .orders | if . then orders else null end)}'
}

# compare KIND CPUS TRUTH PREDICTED: differences, goals, pass (see compare.jq).
compare() {
	jq -nc -f "$FIDELITY/compare.jq" --arg kind "$1" --argjson cpus "$2" --argjson truth "$3" \
		--argjson predicted "$4"
}

# document RESULTS NAMES: docs/fidelity.md; NAMES: all experiments there are, one a line
document() {
	jq -rs --arg date "$(date -u +%F)" --arg names "$2" -f "$FIDELITY/document.jq" "$1"
}

# annotate TRACE POLICY: the header says what a switched kernel does, as the model of its release
# would be another kernel's. The recorder cannot: the switch is set after the recording began.
annotate() {
	local keys
	keys=$(echo "$2" | tr ',' '\n' | sed -n 's/^drain=/pagevec_drain=/p; /^\(swapoff\|allocator\)=/p' | tr '\n' ' ')
	[ -n "$keys" ] || return 0
	"$SWAPTRACE" dump -q "$1" | awk -v keys="$keys" '
		FNR == 2 { print "# " keys }
		/^# / && !/^# device|^# probe/ { gsub(/ (swapoff|allocator|pagevec_drain)=[^ ]*/, "") }
		{ print }' | "$SWAPTRACE" import -q - -o "$1.new" && mv "$1.new" "$1"
}
