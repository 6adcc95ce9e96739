// SPDX-License-Identifier: GPL-2.0
#include "import/format.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "import/foreign_lines.h"
#include "import/readers.h"
#include "import/tracedat_file.h"
#include "traces/file.h"

static int head_text(const void *head, size_t len)
{
	return import_sniff_text(head, len) ? 100 : 0;
}

#define IMPORTS(probe, run_it) .probe_head = probe, .run = run_it
#define READS(name) .probe = name##_probe, .read = name##_read

const struct format formats[] = {
	{ "text", "text notation of swaptrace, see swaptrace.data(5)", NULL,
	  "# swaptrace text 1\n# release=6.12.0\n1000 0 100 task LOOKUP type=0 off=1\n",
	  .own = FORMAT_TRACE, IMPORTS(head_text, trace_import_text) },
	{ "perf", "output of perf script", NULL,
	  "task 100 [000] 12.000001: probe:swapin_nr_pages__return: (ffffffff <- ffffffff) "
	  "arg1=0x8\n",
	  IMPORTS(import_probe_perf, import_perf) },
	{ "trace-cmd", "output of trace-cmd report, or of ftrace itself", NULL,
	  "task-100 [000] 12.000001: swapin_nr_pages: (swap_cluster_readahead+0x58/0x2f0 <- "
	  "swapin_nr_pages) ret=0x8\n",
	  IMPORTS(import_probe_tracecmd, import_tracecmd) },
	{ "trace.dat", "file of trace-cmd record", NULL, NULL,
	  IMPORTS(import_probe_tracedat, import_tracedat) },
	{ "results", "results document of replay, sweep and report", "a column each policy", NULL,
	  .own = FORMAT_RESULTS },
	{ "argdist", "table of bcc's argdist -C on swapin_nr_pages",
	  "calls, drains, mean window and windows; report reads it too",
	  "[10:02:11]\nr::swapin_nr_pages(unsigned long offset):unsigned long:$retval\n"
	  "\tCOUNT      EVENT\n\t905        $retval = 1\n\t61575      $retval = 8\n",
	  .own = FORMAT_ARGDIST },
	{ "vmstat", "vmstat with an interval",
	  "rates of the intervals (the first row is since boot and left out), memory as it was",
	  "procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----\n"
	  " r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st\n"
	  " 1  0  10000 579148   1200 931321    1    2    10    20  100  200  5  1 93  1  0\n"
	  " 2  1  12000 571148   1200 931321    8  512   108   720  150  320  9  3 85  3  0\n"
	  " 3  1  14000 560148   1200 931321   16  504   116   704  160  340 10  4 82  4  0\n",
	  READS(vmstat) },
	{ "vmstat-s", "totals of vmstat -s",
	  "counters since boot: the difference of two, and with --interval what that is a second",
	  "      4020152 K total memory\n       452268 K used memory\n      4192252 K total swap\n"
	  "        10000 K used swap\n      4182252 K free swap\n      1088044 pages paged in\n"
	  "          888 pages swapped in\n        12290 pages swapped out\n",
	  READS(vmstat_s) },
	{ "proc-vmstat", "copy of /proc/vmstat, whole or some lines of it",
	  "counters since boot as of vmstat -s; nr_... are states",
	  "nr_free_pages 144787\nnr_anon_pages 2295000\npgpgin 1088044\npswpin 888\n"
	  "pswpout 12290\npgmajfault 3411\nswap_ra 700\nswap_ra_hit 420\n",
	  READS(proc_vmstat) },
	{ "swaps", "copy of /proc/swaps, or swapon -s", "size, use and priority of each device",
	  "Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n"
	  "/dev/vda5                               partition\t1045500\t\t657100\t\t-2\n"
	  "/swapfile                               file\t\t2097148\t\t0\t\t-3\n",
	  READS(proc_swaps) },
	{ "meminfo", "copy of /proc/meminfo", "states in kB",
	  "MemTotal:       12179368 kB\nMemFree:          579148 kB\nMemAvailable:     704000 kB\n"
	  "SwapCached:        12345 kB\nSwapTotal:       6291444 kB\nSwapFree:          53056 kB\n",
	  READS(proc_meminfo) },
	{ "free", "free, also with -h, -w, -t or -s", "memory and swap, row/column",
	  "              total        used        free      shared  buff/cache   available\n"
	  "Mem:       12179368    11600220      579148           0     9313212      704000\n"
	  "Swap:       6291444     6238388       53056\n",
	  READS(free) },
	{ "sar", "sar -W, -B, -S, -r in both kinds of clock",
	  "what each interval had; the line of averages is left out",
	  "Linux 6.1.0-18-amd64 (host)         04/29/2026      _x86_64_        (4 CPU)\n\n"
	  "11:05:01 AM  pswpin/s pswpout/s\n11:15:01 AM      0.00      0.00\n"
	  "11:25:01 AM      0.14     28.68\n12:05:01 PM      7.26      3.76\n"
	  "Average:         2.47     10.81\n",
	  READS(sar) },
	{ "memory.stat", "memory.stat of a cgroup, version 1 or 2",
	  "sizes in bytes, and counters since the cgroup was made",
	  "anon 104857600\nfile 209715200\nkernel_stack 1048576\nshmem 0\nswapcached 4096\n"
	  "pgfault 120000\npgmajfault 300\npswpin 12000\npswpout 34000\n",
	  READS(memory_stat) },
	{ "pressure", "memory.pressure of a cgroup, /proc/pressure/memory",
	  "shares of time, and the total as a counter",
	  "some avg10=2.13 avg60=1.02 avg300=0.40 total=51234567\n"
	  "full avg10=1.13 avg60=0.52 avg300=0.10 total=21234567\n",
	  READS(pressure) },
	{ "lkp", "comparison of a kernel test robot (LKP), also of several commits",
	  "a column a commit, changes recomputed, the stated deviation beside the value",
	  "e027ec414fe8f540 7277433096f6ce4a84a1620529a \n"
	  "---------------- --------------------------- \n"
	  "         %stddev     %change         %stddev\n"
	  "             \\          |                \\  \n"
	  "     26855 \xc2\xb1  2%     -33.0%      18001 \xc2\xb1  5%  swapin.throughput\n"
	  "  1.39e+09            +1.4%  1.409e+09        proc-vmstat.pgfault\n"
	  "     68.63            +6.4       75.02 \xc2\xb1  2%  mpstat.cpu.all.idle%\n",
	  READS(lkp) },
	{ "mmtests", "tables of mmtests: quartiles, operations, thpscale",
	  "a column a kernel, a metric each statistic with its label",
	  "                              5.2.0              5.4.0-rc6\n"
	  "                            vanilla          thptweak-v1r1\n"
	  "Amean     5         3.43 (   0.00%)        3.39 (   1.17%)\n"
	  "Amean     41       51.44 (   0.00%)       77.44 * -50.54%*\n",
	  READS(mmtests) },
	{ "usemem", "usemem of vm-scalability, a line for each task",
	  "sums over the tasks of a run, and the longest task",
	  "4294967296 bytes / 7612345 usecs = 550981 KB/s\n"
	  "4294967296 bytes / 7712345 usecs = 543837 KB/s\n215432 usecs to free memory\n",
	  READS(usemem) },
	{ "perf-stat", "whole output of perf stat, also with -r",
	  "a metric each event; several outputs are runs",
	  " Performance counter stats for './a.out' (10 runs):\n\n"
	  "          1,234.56 msec task-clock       #    0.998 CPUs utilized   ( +-  0.25% )\n"
	  "                12      context-switches #    9.720 /sec            ( +-  5.00% )\n"
	  "           123,456      page-faults      #  100.000 K/sec           ( +-  0.10% )\n\n"
	  "            1.2371 +- 0.0041 seconds time elapsed  ( +-  0.33% )\n",
	  READS(perf_stat) },
	{ "bcc-histogram", "histograms of bcc: funclatency, argdist -H, biolatency",
	  "buckets side by side with their quantiles",
	  "Tracing 1 functions for \"do_swap_page\"... Hit Ctrl-C to end.\n"
	  "     usecs               : count     distribution\n"
	  "         0 -> 1          : 12       |                                        |\n"
	  "         4 -> 7          : 7011     |****************************************|\n"
	  "         8 -> 15         : 320      |*                                       |\n",
	  READS(bcc_hist) },
	{ "funccount", "funccount of bcc", "calls of each function",
	  "FUNC                                    COUNT\n"
	  "b'swap_cluster_readahead'                3021\n"
	  "b'swap_vma_readahead'                   77012\n",
	  READS(funccount) },
	{ "stacks", "kernel stacks with counts: stackcount of bcc, maps of bpftrace by kstack",
	  "counts by caller",
	  "@[\n    lru_add_drain+1\n    exit_mmap+125\n    __mmput+62\n]: 72500\n"
	  "@[\n    lru_add_drain+1\n    swap_cluster_readahead+404\n    swapin_readahead+104\n"
	  "]: 120000\n",
	  READS(stacks) },
	{ "bpftrace", "maps of bpftrace: counts, hist(), lhist(), as text or -f json",
	  "a metric each key, buckets of histograms; intervals that were cleared are added up",
	  "@swapin[systemd-logind, 1354]: 9\n@swapin[sshd, 77]: 2\n\n@usecs:\n"
	  "[8, 16)             1204 |@@@@@@      |\n[16, 32)            9310 |@@@@@@@@@@@@|\n",
	  READS(bpftrace) },
	{ "function-graph", "function_graph of ftrace, its trace file or trace-cmd report",
	  "how long each call took; sum, and calls over 1 ms",
	  "      runtest.py-1417  [020]   301.925911: funcgraph_entry:      #9870.146 us |  "
	  "do_swap_page();\n"
	  "      runtest.py-1417  [020]   301.935785: funcgraph_entry:        9.802us   |  "
	  "do_swap_page();\n",
	  READS(function_graph) },
	{ "prometheus", "text of Prometheus' exporters (node_exporter)",
	  "counters give differences and, by their time stamps or node_time_seconds, rates",
	  "# TYPE node_vmstat_pswpin untyped\nnode_vmstat_pswpin 888\n"
	  "# TYPE node_memory_SwapFree_bytes gauge\nnode_memory_SwapFree_bytes 5.4329344e+07\n"
	  "# TYPE node_time_seconds gauge\nnode_time_seconds 1.7e+09\n",
	  READS(prometheus) },
	{ "vmlog", "vmlog of ChromeOS", "counts of each row's interval, added up",
	  "time pgmajfault pgmajfault_f pgmajfault_a pswpin pswpout cpuusage cpufreq0\n"
	  "[1027/151447] 12 10 2 40 0 0.02 700000\n"
	  "[1027/151449] 310 20 290 2330 4100 0.81 2400000\n",
	  READS(vmlog) },
	{ "thp_swap_allocator_test", "output of the kernel's thp_swap_allocator_test",
	  "swap-outs and fallbacks of all iterations",
	  "Iteration 1: swpout inc: 219, swpout fallback inc: 125, Fallback percentage: 36.34%\n"
	  "Iteration 2: swpout inc: 200, swpout fallback inc: 0, Fallback percentage: 0.00%\n",
	  .probe = tsat_table_probe, .read = tsat_table_read },
	{ "plain",
	  "lists, 'key: value' lines, tables; output of time, dd, xz, memtier, grep on "
	  "mTHP counters",
	  "a key that comes again is another run; a title line names the columns of a table",
	  "metric before after\nreal 14.2s 11.84s\npswpin 1,234,567 1,034,567\nsys 3.08 2.94\n",
	  READS(plain) },
	{ .name = NULL },
};

const struct format *format_by_name(const char *name)
{
	for (const struct format *f = formats; f->name; f++)
		if (!strcmp(f->name, name))
			return f;
	return NULL;
}

const struct format *format_of_trace(const void *head, size_t len)
{
	const struct format *best = NULL;
	int most = 0;

	for (const struct format *f = formats; f->name; f++) {
		int sure = f->probe_head ? f->probe_head(head, len) : 0;

		if (sure > most) {
			most = sure;
			best = f;
		}
	}
	return best;
}

#define SURE 50 /* below that a text is of no format: it only has some lines that look like it */

const struct format *format_of_text(const struct pasted *t)
{
	const struct format *best = NULL;
	int most = SURE - 1;

	for (const struct format *f = formats; f->name; f++) {
		int sure = f->probe ? f->probe(t) : 0;

		if (sure > most) {
			most = sure;
			best = f;
		}
	}
	return best ? best : format_by_name("plain");
}

int format_read(const struct format *f, const struct pasted *t, const struct reading_options *o,
		struct readings *r, struct error *e)
{
	int ret;

	memset(r, 0, sizeof(*r));
	r->format = f->name;
	ret = f->read(t, o, r, e);
	if (!ret && r->failed)
		ret = error_set(e, r->failed == -ENOMEM ? -ENOMEM : -EBADMSG, "%s: %s", t->name,
				r->failed == -ENOMEM
					? "out of memory"
					: "more different names than any such file has");
	if (!ret && !readings_values(r))
		ret = error_set(e, -EBADMSG, "%s: %s: no value in it%s%s%s", t->name, f->summary,
				r->left_out ? "; the first line that could not be read: '" : "",
				r->left_out ? r->left_out_text : "", r->left_out ? "'" : "");
	if (ret == -EBADMSG && e && !strcmp(f->name, "plain")) {
		char nearest[160];
		size_t used = strlen(e->text);

		format_nearest(t, nearest, sizeof(nearest));
		snprintf(e->text + used, sizeof(e->text) - used, " (%s)", nearest);
	}
	if (ret)
		readings_free(r);
	return ret;
}

void format_names(bool traces, char *out, size_t size)
{
	size_t used = 0;

	out[0] = '\0';
	for (const struct format *f = formats; f->name && used < size; f++)
		if (traces ? f->run != NULL : f->read != NULL)
			used += (size_t)snprintf(out + used, size - used, "%s%s", used ? ", " : "",
						 f->name);
}

static void list_example(const struct format *f, FILE *out)
{
	const char *s = f->example;

	fputc('\n', out);
	if (!s)
		fputs("    (binary)\n", out);
	while (s && *s) {
		size_t n = strcspn(s, "\n");

		fprintf(out, n ? "    %.*s\n" : "%.*s\n", (int)n, s);
		s += n + (s[n] == '\n');
	}
}

void format_list(FILE *out)
{
	for (const struct format *f = formats; f->name; f++) {
		fprintf(out, "\n### %s\n\n%s.\n", f->name, f->summary);
		if (f->run)
			fputs("`import` makes a trace of it.\n", out);
		if (f->tells)
			fprintf(out, "`compare` reads it: %s.\n", f->tells);
		list_example(f, out);
	}
}

void format_help(FILE *out)
{
	for (const struct format *f = formats; f->name; f++) {
		if (!f->tells)
			continue;
		fprintf(out, "\n  %s: %s;\n  %s\n", f->name, f->summary, f->tells);
		list_example(f, out);
	}
}

void format_nearest(const struct pasted *t, char *out, size_t size)
{
	const struct format *best[2] = { NULL, NULL };
	int sure[2] = { 0, 0 };

	for (const struct format *f = formats; f->name; f++) {
		int s = f->probe && strcmp(f->name, "plain") ? f->probe(t) : 0;
		int at = s > sure[0] ? 0 : s > sure[1] ? 1 : 2;

		if (at == 0) {
			best[1] = best[0];
			sure[1] = sure[0];
		}
		if (at < 2) {
			best[at] = f;
			sure[at] = s;
		}
	}
	if (!best[0])
		snprintf(out, size, "swaptrace compare --formats lists what is read");
	else
		snprintf(out, size, "nearest to it %s %s%s%s; --format NAME says which it is",
			 best[1] ? "are" : "is", best[0]->name, best[1] ? " and " : "",
			 best[1] ? best[1]->name : "");
}
