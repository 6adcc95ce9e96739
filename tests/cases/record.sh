#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# record without a kernel that lets us record: plans of made-up kernels (cases 46-49), refusals that name what is
# missing (45, 53, 54) and leave no file behind. Recording itself is tested in guests.
set -u
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
cd "$WORK" || exit 1

# The kernel of cases 46 and 49, and of 47: no swapin_nr_pages, a second copy, one in a module.
write_kernel() {
	cat >kallsyms <<'END'
ffffffff81000000 T do_swap_page
ffffffff81000100 T swap_cache_get_folio
ffffffff81000200 T swapin_readahead
ffffffff81000300 T swap_cluster_readahead
ffffffff81000400 t __read_swap_cache_async.constprop.0
ffffffff81000440 t __read_swap_cache_async.constprop.0.cold
ffffffff81000500 t swap_read_folio.part.0
ffffffff81410000 t shrink_folio_list
ffffffff81990000 t shrink_folio_list
ffffffffc0a01000 t shrink_folio_list	[fakemod]
ffffffff82000000 b prev_offset.0
END
}

# What the list says below the line that begins with $1 (its notes included).
paragraph() {
	awk -v name="$1" 'index($0, name) == 1 { on = 1; print; next } on && /^ / { print; next } { on = 0 }' "$OUT"
}

check_list() {
	run "$SWAPTRACE" record --list-hooks --kallsyms kallsyms
	tap_is "$STATUS" 0 "--list-hooks prints the plan of another kernel"
	tap_grep '^LOOKUP +swap_cache_get_folio +kprobe\+kretprobe$' "$OUT" "without BTF, kprobes are left"
	paragraph "window entries" >part
	tap_grep '__read_swap_cache_async\.constprop\.0 ' part "a clone is taken by its name"
	tap_grep_none 'cold' part "and never its .cold piece"
	paragraph "READ" >part
	tap_grep 'swap_read_folio\.part\.0: only|only a piece.*swap_read_folio\.part\.0.*' part \
		"a .part piece comes with a warning"
	paragraph "in reclaim" >part
	tap_grep '2 copies, attached by address and counted as one' part "two copies are attached by address"
	tap_grep '1 of the same name in a module \(fakemod\): ignored' part "a module's namesake is ignored, and named"
	tap_grep 'not available on this kernel \(tried: swapin_nr_pages\)' "$OUT" "an inlined function is named"
	tap_grep "instead: the kernel's variables \(how=state\)" "$OUT" "with what stands in for it"
	run "$SWAPTRACE" record --list-probes --kallsyms kallsyms
	tap_is "$STATUS" 0 "--list-probes is the same"
}

# Real kernels, reduced (tests/unit/test_hook_kernels looks at each function of each).
check_kernels() {
	local kernels=$TOP/tests/data/kernels
	run "$SWAPTRACE" record --list-hooks --kallsyms "$kernels/7.3.kallsyms" --btf "$kernels/7.3.btf" -e ra,alloc,lru
	tap_is "$STATUS" 0 "all groups of events can be recorded on 7.3"
	tap_grep '^READ.ns +swap_read_end ' "$OUT" "with its functions"
	tap_grep_none 'readio|_enter|swaptrace_' "$OUT" "and without names of our own programs"
	run "$SWAPTRACE" record --list-hooks --kallsyms "$kernels/7.3.kallsyms" --btf "$kernels/6.1.btf"
	tap_grep 'swap_read_folio' "$OUT" "a BTF of another kernel"
	tap_grep 'BTF does not describe folio_put_swap' "$OUT" "leaves out what it does not describe"
	run "$SWAPTRACE" record --list-hooks --kallsyms "$kernels/7.3.btf" --btf "$kernels/7.3.btf"
	tap_is "$STATUS" 3 "BTF in place of symbols is refused"
	tap_grep '7.3.btf: holds no symbols' "$ERR" "and named"
	run "$SWAPTRACE" record --list-hooks --kallsyms "$kernels/7.3.kallsyms" --btf "$kernels/7.3.kallsyms"
	tap_is "$STATUS" 3 "symbols in place of BTF are refused"
	tap_grep '7.3.kallsyms: is not BTF' "$ERR" "and named"
	echo 'ffffffff81000000 T start_kernel' >text
	run "$SWAPTRACE" record --list-hooks --kallsyms text
	tap_is "$STATUS" 3 "symbols of no kernel with swap are refused"
}

check_groups() {
	run "$SWAPTRACE" record --list-hooks --kallsyms kallsyms -e ra
	tap_is "$STATUS" 0 "what -e asks for is there"
	run "$SWAPTRACE" record --list-hooks --kallsyms kallsyms -e alloc
	tap_is "$STATUS" 4 "what -e asks for is not there"
	tap_grep 'event FREE not available on this kernel \(tried: swap_range_free, swap_entries_free, ' "$ERR" \
		"and the message says what was tried"
	run "$SWAPTRACE" record --list-hooks --kallsyms kallsyms -e ra,xyz
	tap_is "$STATUS" 2 "an unknown group is wrong usage"
	run "$SWAPTRACE" record --list-hooks --kallsyms nothere
	tap_is "$STATUS" 3 "a kallsyms file that is not there"
	tap_grep 'nothere' "$ERR" "is named"
	echo "no symbols here" >text
	run "$SWAPTRACE" record --list-hooks --kallsyms text
	tap_is "$STATUS" 3 "a file without symbols is unreadable input"
}

# refused DESCRIPTION PATTERN [OPTIONS]: record in the root folder "root" ends with 4, the message and no file.
refused() {
	# shellcheck disable=SC2086 # options
	run env SWAPTRACE_ROOT="$WORK/root" "$SWAPTRACE" record -o trace ${3:-}
	tap_is "$STATUS" 4 "$1: exit status 4"
	tap_grep "$2" "$ERR" "$1: the message"
	[ ! -e trace ] && [ "$(wc -l <"$ERR")" -eq 1 ]
	tap_ok $? "$1: one line, and no file left behind"
}

check_btf() {
	mkdir -p root/proc/self root/sys/kernel/btf
	cp kallsyms root/proc/kallsyms
	refused "no BTF" 'btf/vmlinux: is missing: .*CONFIG_DEBUG_INFO_BTF' '--backend libbpf'
	: >root/sys/kernel/btf/vmlinux
	refused "empty BTF" 'btf/vmlinux: is empty'
	printf '\7\1\11\3\310\16\6\2\132\133\5\54\3\2\1\6' >root/sys/kernel/btf/vmlinux
	refused "no BTF but noise" 'btf/vmlinux: is not BTF'
}

# A BTF file with nothing in it: header (24 bytes), no types, one empty string.
empty_btf() {
	printf '\237\353\1\0\30\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1\0\0\0\0' >root/sys/kernel/btf/vmlinux
}

check_privileges() {
	empty_btf
	printf 'Uid:\t0\t0\t0\t0\nCapEff:\t00000000a80425fb\n' >root/proc/self/status
	refused "root in a container" 'root, but CAP_BPF/CAP_SYS_ADMIN missing \(container\?\)'
	printf 'Uid:\t1000\t1000\t1000\t1000\nCapEff:\t0000000000000000\n' >root/proc/self/status
	refused "not root" 'run with sudo'
	mkdir -p root/sys/kernel/security
	printf 'Uid:\t0\t0\t0\t0\nCapEff:\t000001ffffffffff\n' >root/proc/self/status
	echo 'none integrity [confidentiality]' >root/sys/kernel/security/lockdown
	refused "lockdown" 'kernel lockdown is in confidentiality mode'
}

# Without BTF there is the other backend, which has needs of its own.
check_backends() {
	local auto="built without bcc: install libbpfcc-dev and build again" bcc
	bcc=$auto
	if ! "$SWAPTRACE" record --backend bcc -o trace 2>&1 </dev/null | grep -q "$auto"; then
		auto="root/lib/modules/9.8.7-test/build: no headers of this kernel.* install the package linux-headers-9.8.7-test"
		bcc=$auto
	fi
	empty_btf
	echo '[none] integrity confidentiality' >root/sys/kernel/security/lockdown
	mkdir -p root/proc/sys/kernel
	echo 9.8.7-test >root/proc/sys/kernel/osrelease
	refused "bcc" "$bcc" '--backend bcc'
	refused "no BTF wanted" "$auto" --no-btf
	refused "libbpf without BTF" 'left aside \(--no-btf\); --backend libbpf cannot do without' '--backend libbpf --no-btf'
	run "$SWAPTRACE" record --backend xyz
	tap_is "$STATUS" 2 "another backend is wrong usage"
	if [ "${bcc#built}" = "$bcc" ]; then
		echo 5.11.0 >root/proc/sys/kernel/osrelease
		refused "bcc on an old kernel" 'needs Linux 5.12 or later, this is 5.11.0' '--backend bcc'
	else
		for _ in 1 2 3; do
			tap_skip "bcc on an old kernel" "built without bcc"
		done
	fi
	run "$SWAPTRACE" record --list-hooks --kallsyms kallsyms --backend bcc
	tap_grep 'bcc attaches by kprobe and kretprobe alone' "$OUT" "--list-hooks says what bcc does not give"
	run "$SWAPTRACE" record --list-hooks --kallsyms kallsyms --backend bcc --attach fentry
	tap_is "$STATUS" 2 "bcc has no fentry"
	run "$SWAPTRACE" record --list-hooks --kallsyms kallsyms --btf nothere
	tap_is "$STATUS" 3 "a BTF file that is not there is unreadable input"
	tap_grep 'nothere: cannot be opened: No such file' "$ERR" "and named"
}

# A command is neither run nor mistaken for what failed.
check_command() {
	run env SWAPTRACE_ROOT="$WORK/root" "$SWAPTRACE" record -o trace -- touch ran
	tap_is "$STATUS" 125 "record -- COMMAND: a failure of its own is 125"
	[ ! -e ran ] && [ ! -e trace ]
	tap_ok $? "and the command has not been run"
}

check_no_bpf() {
	run "$SWAPTRACE" record -o trace
	tap_is "$STATUS" 4 "built without BPF: exit status 4"
	tap_grep 'built without BPF' "$ERR" "and the reason"
}

check_usage() {
	run "$SWAPTRACE" record --btf x
	tap_is "$STATUS" 2 "--btf without --list-hooks is wrong usage"
	run "$SWAPTRACE" record --list-hooks --btf x
	tap_is "$STATUS" 2 "--btf of another kernel without its symbols is wrong usage"
	# Before anything about privileges, which are missing here.
	for limit in '--buffer 3' '--buffer 2G' '--max-size 0' '--duration 0' '--duration 18446744074'; do
		# shellcheck disable=SC2086 # an option and its value
		run "$SWAPTRACE" record $limit -o trace
		tap_is "$STATUS $(grep -c -e "option ${limit% *}: " "$ERR")" "2 1" "$limit is wrong usage"
	done
}

write_kernel
if "$SWAPTRACE" record -o none 2>&1 </dev/null | grep -q 'built without BPF'; then
	tap_plan 36
	check_list
	check_kernels
	check_groups
	check_usage
	check_no_bpf
else
	tap_plan 71
	check_list
	check_kernels
	check_groups
	check_usage
	check_btf
	check_privileges
	check_backends
	check_command
fi
tap_end
