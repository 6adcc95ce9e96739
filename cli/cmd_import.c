// SPDX-License-Identifier: GPL-2.0
#include "cli/commands.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/trace_notes.h"
#include "common/output_path.h"
#include "import/format.h"
#include "traces/wire.h"

#define PROBE_BYTES 4096 /* of a file, to tell what it is */

/* Look at the first bytes without consuming them: stdin may be a pipe. */
static size_t peek(FILE *in, char *head, size_t size)
{
	size_t n = 0;
	int c;

	/* Only one byte can be pushed back portably, so a pipe is judged by its name or --format.
	 */
	if (fseek(in, 0, SEEK_SET)) {
		c = getc(in);
		if (c != EOF) {
			ungetc(c, in);
			head[n++] = (char)c;
		}
		return n;
	}
	n = fread(head, 1, size, in);
	rewind(in);
	return n;
}

/* What holds no input whatever its format is. */
static int refuse(FILE *in, const char *name, size_t n)
{
	struct stat st;

	if (!fstat(fileno(in), &st) && S_ISDIR(st.st_mode))
		return fail(EXIT_INPUT, "%s is a directory, not a file to import", name);
	return n ? EXIT_DONE : fail(EXIT_INPUT, "%s is empty: there is nothing to import", name);
}

static int no_such_format(const char *format)
{
	char names[128];

	format_names(true, names, sizeof(names));
	return fail(EXIT_USAGE, "there is no input format '%s'; there are %s", format, names);
}

/* The format of measurements that the first bytes are of, whole lines of them; NULL: none. */
static const struct format *measured(const char *head, size_t len, const char *name)
{
	struct pasted t = { .name = name, .s = head, .len = len };
	const struct format *f;

	while (len == PROBE_BYTES && t.len && head[t.len - 1] != '\n')
		t.len--;
	if (memchr(head, '\0', len))
		return NULL;
	t.mark = text_decimal_mark(t.s, t.len);
	f = format_of_text(&t);
	return strcmp(f->name, "plain") ? f : NULL;
}

static const struct format *choose(FILE *in, const char *format, const char *name, int *code)
{
	char head[PROBE_BYTES];
	const struct format *i;
	size_t n;

	i = format ? format_by_name(format) : NULL;
	if (format && (!i || !i->run)) {
		*code = no_such_format(format);
		return NULL;
	}
	n = peek(in, head, sizeof(head));
	*code = refuse(in, name, n);
	if (*code || format)
		return *code ? NULL : i;
	if (n == 1 && head[0] == '#')
		return format_by_name("text");
	if (n == 1) {
		*code = fail(EXIT_INPUT,
			     "%s: the format of a pipe can't be looked at; name it with --format",
			     name);
		return NULL;
	}
	i = format_of_trace(head, n);
	if (!i && n >= WIRE_MAGIC_LEN && !memcmp(head, WIRE_MAGIC, WIRE_MAGIC_LEN))
		*code = fail(
			EXIT_INPUT,
			"%s is a trace already; info, dump, replay and report read it as it is",
			name);
	else if (!i && measured(head, n, name))
		*code = fail(
			EXIT_INPUT,
			"%s: %s, which holds measurements and no events; swaptrace compare reads it",
			name, measured(head, n, name)->summary);
	else if (!i)
		*code = fail(
			EXIT_INPUT,
			"%s: format not recognised; text notation begins with '# swaptrace text 1', other tools' formats may be named with --format (tables of argdist go into 'swaptrace report' and 'compare' as they are)",
			name);
	return i;
}

static int import_stream(const struct arguments *args, FILE *in, const char *name)
{
	const char *out = option_string(args, "output", "swaptrace.data");
	struct trace_stats stats;
	struct error e = { 0 };
	const struct format *i;
	int ret = arguments_check_output(args, out);

	if (ret)
		return ret;
	if (in == stdin && same_file(out, "-"))
		return fail(
			EXIT_USAGE,
			"-o %s is what standard input is read from, which would be lost; name another file",
			out);
	i = choose(in, option_string(args, "format", NULL), name, &ret);
	if (!i)
		return ret;
	if (!strcmp(out, "-") && isatty(STDOUT_FILENO))
		return fail(EXIT_USAGE, "a trace is binary: name a file with -o, or pipe it");
	ret = i->run(in, name, out, &stats, &e);
	if (ret)
		return fail(exit_code_for(ret), "%s", e.text);
	ret = trace_finding(args, trace_warn(name, &stats));
	note("%s: %" PRIu64 " events imported into %s", name, stats.events, out);
	if (!stats.events) {
		warn("%s: no event of it means anything here; the trace is empty. swaptrace compare reads latencies and counts of many tools",
		     name);
		return EXIT_FINDING;
	}
	return option_flag(args, "strict") && stats.bad_lines ? EXIT_FINDING : ret;
}

static int run_import(const struct arguments *args)
{
	const char *name = args->nfiles ? args->files[0] : "-";
	FILE *in = strcmp(name, "-") ? fopen(name, "re") : stdin;
	int ret;

	if (!in)
		return fail(EXIT_INPUT, "cannot open %s: %s", name, strerror(errno));
	ret = import_stream(args, in, in == stdin ? "standard input" : name);
	if (in != stdin)
		fclose(in);
	return ret;
}

static const struct option_desc import_options[] = {
	{ 'o', "output", OPTION_STRING, "FILE", "trace to write (default swaptrace.data, - stdout)",
	  false },
	{ 0, "format", OPTION_STRING, "NAME",
	  "format of the input: text, perf, trace-cmd, trace.dat (default: by content)", false },
	{ .name = NULL },
};

/* Where a probe at the entry of a function finds its arguments and its caller, on the machine that
 * this is built for. */
#if defined(__aarch64__)
#define ARGUMENT_1 "%x0"
#define ARGUMENT_2 "%x1"
#define CALLER "%x30:symbol"
#else
#define ARGUMENT_1 "%di"
#define ARGUMENT_2 "%si"
#define CALLER "$stack0:symbol"
#endif

const struct command cmd_import = {
	.name = "import",
	.synopsis = "[options] [FILE] -o TRACE",
	.summary = "make a trace from text, or from files of perf script and trace-cmd",
	.description =
		"Reads text notation (see swaptrace.data(5)) from FILE or standard input and writes a trace; so it does with the output of perf script and of trace-cmd report (or ftrace's trace file), and with the trace.dat of trace-cmd record, where it was built with libtracecmd: returns of swapin_nr_pages become RA, swap reads with type= and off= READ, and mm_lru_insertion and mm_lru_activate LRUADD, with the time at which the folio left its batch, as they do not tell full batches from drains. Losses they report become LOST. Lines that are out of order are sorted, lines that can't be understood are counted and left out, unknown keys and events are counted and named.\n\n"
		"Probes of these functions tell the drains of the per-CPU batches too, on kernels without BTF as well: lru_add_drain with caller= (who drains), lru_add_drain_cpu and its return (DRAIN, with what it moved), folio_batch_move_lru with n= and fn= (FLUSH), __folio_batch_release or __pagevec_release with batch=, n= and drained= (RELEASE). LRUADD is then made of the batches that were moved, and --verify compares releases only. Text knows a probe by its name, so it gets the name of its function. The return probe is made first, because the probe at entry would see it as the caller; drained is the third byte of the batch from 6.9 on (+2), the second before (+1).\n\n"
		"All formats give the same events; text knows neither the clock nor the kernel's release, nor what was lost behind the last event or that nothing was. Times are CLOCK_BOOTTIME, as in other traces, only with trace-cmd record -C boot. trace-cmd report rounds the times of other clocks to microseconds unless it gets -t. Of a trace.dat that is cut or damaged what can be read is imported, and the trace says so.\n\n"
		"An existing TRACE stays what it was until the new one is whole. The exit status is 1 when no event came of it, with --strict also when lines were left out, or events lost or missing. What was left out stands in a note of the trace, and report tells it. Measurements (vmstat, sar, LKP ...) are no events: compare reads them.",
	.examples =
		"  swaptrace import notes.txt -o notes.data\n"
		"  swaptrace dump a.data | grep -v swapoff | swaptrace import -o b.data\n"
		"  perf script | swaptrace import --format perf -o c.data\n\n"
		"  cd /sys/kernel/tracing\n"
		"  echo 'r:lru_add_drain_cpu__return lru_add_drain_cpu' >>kprobe_events\n"
		"  echo 'p:lru_add_drain_cpu lru_add_drain_cpu caller=" CALLER "' >>kprobe_events\n"
		"  echo 'p:lru_add_drain lru_add_drain caller=" CALLER "' >>kprobe_events\n"
		"  echo 'p:folio_batch_move_lru folio_batch_move_lru n=+0(" ARGUMENT_1
		"):u8 fn=" ARGUMENT_2 ":symbol' >>kprobe_events\n"
		"  echo 'p:__folio_batch_release __folio_batch_release batch=" ARGUMENT_1
		" n=+0(" ARGUMENT_1 "):u8 drained=+2(" ARGUMENT_1 "):u8' >>kprobe_events\n"
		"  trace-cmd record -C boot -e kprobes:* -e pagemap:mm_lru_insertion\n"
		"  swaptrace import trace.dat -o d.data\n",
	.options = import_options,
	.sandbox = SANDBOX_READER,
	.run = run_import,
	.max_files = 1,
};
