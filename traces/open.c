// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "traces/bytes.h"
#include "traces/reader.h"

/* Where to look for a header or a magic before giving up on a file. */
#define HEADER_SEARCH (2u * (WIRE_HEADER_TEXT_MAX + WIRE_HEAD + WIRE_GAP))
/* A footer without its trailer is looked for in this much of the end. */
#define FOOTER_SEARCH (1u << 20)

/* "# ..." lines into a header; what is not a header line is left out. */
static void add_lines(struct trace_header *h, const char *text, size_t len)
{
	const char *end = text + len;

	while (text < end) {
		const char *nl = memchr(text, '\n', (size_t)(end - text));
		size_t n = (size_t)((nl ? nl : end) - text);

		if (n > 2 && text[0] == '#' && text[1] == ' ') {
			char *line = strndup(text + 2, n - 2);

			if (line)
				trace_header_add_line(h, line, NULL);
			free(line);
		}
		text += n + 1;
	}
}

/* The payload of a section as a new buffer, NULL when it is not whole. */
static uint8_t *read_payload(struct trace_reader *r, uint64_t pos, const struct section *s)
{
	uint8_t *p;

	if (pos + s->head_len + s->payload_len > r->size)
		return NULL;
	p = malloc((size_t)s->payload_len + 1);
	if (!p)
		return NULL;
	if (file_read_at(r->fd, p, (size_t)s->payload_len, pos + s->head_len) !=
		    (int64_t)s->payload_len ||
	    !section_payload_ok(s, p)) {
		free(p);
		return NULL;
	}
	return p;
}

static int refuse_newer(struct trace_reader *r, const struct section *s, struct error *e)
{
	return error_set(e, -EBADMSG,
			 "%s was written by a newer version (%u) of swaptrace; this one reads "
			 "version %d: update swaptrace",
			 r->name, s->version, WIRE_VERSION);
}

/*
 * The first of the two header copies that is whole. Reading on starts behind it, so that a
 * damaged second copy is met and counted there.
 */
static int read_header(struct trace_reader *r, bool lenient, struct error *e)
{
	uint64_t limit = r->size < HEADER_SEARCH ? r->size : HEADER_SEARCH;
	uint64_t pos = 0;

	while (pos < limit) {
		struct section s;
		int64_t at = reader_find_section(r, pos, limit, true, &s);
		uint8_t *text;

		if (at < 0)
			return error_errno(e, (int)at, "cannot read %s", r->name);
		if ((uint64_t)at >= limit)
			break;
		if (s.version > WIRE_VERSION)
			return refuse_newer(r, &s, e);
		if (s.kind != SECTION_HEADER)
			break;
		text = read_payload(r, (uint64_t)at, &s);
		if (text) {
			add_lines(r->header, (const char *)text, (size_t)s.payload_len);
			free(text);
			r->opened.header_damaged = s.number != 0;
			r->opened.damaged_bytes += s.number ? (uint64_t)at : 0;
			r->first = (uint64_t)at + section_bytes(&s);
			r->opened.damaged_bytes += reader_check_gap(r, r->first - WIRE_GAP);
			return 0;
		}
		pos = (uint64_t)at + 1;
	}
	r->opened.header_damaged = true;
	if (lenient)
		return 0;
	return error_set(e, -EBADMSG,
			 "%s: both copies of the header are damaged; 'swaptrace recover' saves the "
			 "events",
			 r->name);
}

static bool use_footer(struct trace_reader *r, uint64_t pos)
{
	struct section s;
	struct cursor c;
	const uint8_t *index;

	if (pos >= r->size || !reader_head(r, pos, &s) || s.kind != SECTION_FOOTER)
		return false;
	c = (struct cursor){ .p = read_payload(r, pos, &s), .len = (size_t)s.payload_len };
	if (!c.p)
		return false;
	r->footer.nindex = cursor_u32(&c);
	r->footer.stride = cursor_u32(&c);
	index = cursor_skip(&c, (uint64_t)r->footer.nindex * INDEX_ENTRY);
	if (!index || r->footer.nindex > WIRE_INDEX_MAX) {
		r->footer.nindex = 0;
		free((void *)(uintptr_t)c.p);
		return false;
	}
	r->footer.present = true;
	r->footer.blocks = s.number;
	r->footer.events = s.first_event;
	r->end = pos;
	add_lines(r->header, (const char *)c.p + c.at, c.len - c.at);
	/* The index stands 8 bytes into the payload: move it to the front and keep the buffer. */
	r->footer.index = (uint8_t *)(uintptr_t)c.p;
	memmove(r->footer.index, index, (size_t)r->footer.nindex * INDEX_ENTRY);
	return true;
}

/* Damage to the last bytes of a file does not take the footer with it. */
static bool search_footer(struct trace_reader *r)
{
	uint64_t pos = r->size > FOOTER_SEARCH ? r->size - FOOTER_SEARCH : 0;
	uint64_t last = r->size;
	struct section s;

	for (;;) {
		int64_t at = reader_find_section(r, pos, r->size, false, &s);

		if (at < 0 || (uint64_t)at >= r->size)
			break;
		if (s.kind == SECTION_FOOTER)
			last = (uint64_t)at;
		pos = (uint64_t)at + 1;
	}
	return use_footer(r, last);
}

static void read_footer(struct trace_reader *r)
{
	uint8_t trailer[WIRE_TRAILER];
	struct section s;
	uint64_t pos, end;
	bool trailer_lost = false;

	r->end = r->size;
	if (r->size >= WIRE_TRAILER &&
	    file_read_at(r->fd, trailer, sizeof(trailer), r->size - WIRE_TRAILER) ==
		    (int64_t)sizeof(trailer) &&
	    trailer_decode(trailer, &pos) && use_footer(r, pos)) {
		end = r->size - WIRE_TRAILER;
	} else {
		trailer_lost = search_footer(r);
		end = trailer_lost ? r->size : 0;
	}
	if (!end || !reader_head(r, r->end, &s)) {
		r->opened.truncated = true;
		return;
	}
	/* Behind the footer there is its gap and a trailer that is not in @end: all else is
	 * foreign. */
	pos = r->end + section_bytes(&s);
	r->opened.damaged_bytes += reader_check_gap(r, pos - WIRE_GAP);
	if (end > pos)
		r->opened.damaged_bytes += end - pos;
	else if (trailer_lost)
		r->opened.damaged_bytes += WIRE_TRAILER;
}

static void sum_loss_lines(struct trace_reader *r)
{
	const char *line;
	size_t from = 0;
	uint64_t n;

	while ((line = trace_header_next_directive(r->header, "loss", &from)))
		if (trace_line_u64(line, "n", &n)) {
			r->line_lost += n;
			r->opened.loss_known = true;
		}
}

/* A recorder that was killed leaves no probe lines, but its blocks tell of losses. */
static void read_who_counts(struct trace_reader *r)
{
	const char *line, *backend = trace_header_get(r->header, "backend");
	size_t from = 0;
	uint64_t n;

	if (backend && (!strcmp(backend, "libbpf") || !strcmp(backend, "bcc")))
		r->opened.loss_known = true;
	while ((line = trace_header_next_directive(r->header, "probe", &from)))
		r->opened.loss_known |= trace_line_u64(line, "lost", &n);
}

/* What `recover` had to leave out of a trace stays with it. */
static void read_recovery(struct trace_reader *r)
{
	uint64_t cut = 0, blocks = 0;
	const char *line;
	size_t from = 0;

	while ((line = trace_header_next_directive(r->header, "note", &from))) {
		if (strncmp(line, "recovered ", 10))
			continue;
		trace_line_u64(line, "truncated", &cut);
		trace_line_u64(line, "damaged_blocks", &blocks);
		r->opened.recovered |= cut || blocks;
	}
}

static int open_binary(struct trace_reader *r, bool lenient, struct error *e)
{
	int ret = read_header(r, lenient, e);

	if (ret)
		return ret;
	read_footer(r);
	sum_loss_lines(r);
	read_who_counts(r);
	read_recovery(r);
	reader_start(r);
	return 0;
}

static int create_temporary(struct import_sink *s, const struct trace_header *h, struct error *e)
{
	int fd = file_temporary(e);

	return fd < 0 ? fd : trace_create_fd(&s->w, fd, s->path, h, e);
}

/* Convert text into an unlinked trace and read that instead. */
static int convert_text(struct trace_reader *r, struct error *e)
{
	struct import_sink sink = { .create = create_temporary, .path = "temporary file" };
	struct trace_header *closing = trace_header_new();
	FILE *in;
	int ret;

	if (!closing)
		return error_errno(e, -ENOMEM, "%s", r->name);
	in = lseek(r->fd, 0, SEEK_SET) < 0 ? NULL : fdopen(r->fd, "r");
	if (!in) {
		trace_header_free(closing);
		return error_errno(e, -errno, "cannot read %s", r->name);
	}
	r->fd = -1; /* fclose() closes it */
	ret = import_text(in, r->name, &sink, closing, &r->opened, e);
	fclose(in);
	if (ret)
		trace_abandon(sink.w);
	else
		ret = trace_finish_keep(sink.w, closing, &r->fd, e);
	trace_header_free(closing);
	return ret;
}

static int update_size(struct trace_reader *r, struct error *e)
{
	struct stat st;

	if (fstat(r->fd, &st))
		return error_errno(e, -errno, "cannot read %s", r->name);
	if (S_ISDIR(st.st_mode))
		return error_set(e, -EISDIR, "%s is a directory, not a trace", r->name);
	r->size = S_ISREG(st.st_mode) ? (uint64_t)st.st_size : UINT64_MAX;
	return 0;
}

/* Pipes and devices are copied: every reader can go back to the start. */
static int copy_to_temporary(struct trace_reader *r, struct error *e)
{
	int fd = file_temporary(e);
	char buf[1 << 16];
	size_t done;
	ssize_t got;
	int ret = 0;

	if (fd < 0)
		return fd;
	while (!ret) {
		got = read(r->fd, buf, sizeof(buf));
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			ret = error_errno(e, -errno, "cannot read %s", r->name);
		if (got <= 0)
			break;
		ret = file_write_all(fd, buf, (size_t)got, &done);
		if (ret)
			error_errno(e, ret, "cannot keep a copy of %s (set TMPDIR)", r->name);
	}
	close(r->fd);
	r->fd = fd;
	return ret ? ret : update_size(r, e);
}

enum content { CONTENT_TRACE, CONTENT_TEXT, CONTENT_EMPTY, CONTENT_OTHER };

static enum content sniff(struct trace_reader *r)
{
	uint8_t head[256], trailer[WIRE_TRAILER];
	int64_t got = file_read_at(r->fd, head, sizeof(head), 0);
	struct section s;
	uint64_t limit = r->size < HEADER_SEARCH ? r->size : HEADER_SEARCH;
	uint64_t pos;

	if (got <= 0)
		return CONTENT_EMPTY;
	if (import_sniff_text(head, (size_t)got))
		return CONTENT_TEXT;
	if (got >= WIRE_MAGIC_LEN && !memcmp(head, WIRE_MAGIC, WIRE_MAGIC_LEN))
		return CONTENT_TRACE;
	if (r->size >= WIRE_TRAILER &&
	    file_read_at(r->fd, trailer, sizeof(trailer), r->size - WIRE_TRAILER) ==
		    (int64_t)sizeof(trailer) &&
	    trailer_decode(trailer, &pos))
		return CONTENT_TRACE;
	if (reader_find_section(r, 0, limit, true, &s) != (int64_t)limit)
		return CONTENT_TRACE;
	return CONTENT_OTHER;
}

static int open_content(struct trace_reader *r, bool lenient, struct error *e)
{
	int ret = update_size(r, e);

	if (!ret && r->size == UINT64_MAX)
		ret = copy_to_temporary(r, e);
	if (ret)
		return ret;
	switch (sniff(r)) {
	case CONTENT_TRACE:
		return open_binary(r, lenient, e);
	case CONTENT_TEXT:
		ret = convert_text(r, e);
		if (!ret)
			ret = update_size(r, e);
		return ret ? ret : open_binary(r, lenient, e);
	case CONTENT_EMPTY:
		return error_set(e, -EBADMSG, "%s is empty: nothing was recorded into it", r->name);
	default:
		return error_set(
			e, -EBADMSG,
			"%s is not a swaptrace trace: neither its binary format nor text that "
			"begins with '# swaptrace text 1'",
			r->name);
	}
}

static int open_reader(struct trace_reader **out, const char *path, bool lenient, struct error *e)
{
	bool std = !strcmp(path, "-");
	struct trace_reader *r = calloc(1, sizeof(*r));
	int ret;

	if (!r)
		return error_errno(e, -ENOMEM, "%s", path);
	r->fd = std ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3) : open(path, O_RDONLY | O_CLOEXEC);
	if (r->fd < 0) {
		ret = error_errno(e, -errno, "cannot open %s", path);
		trace_close(r);
		return ret;
	}
	r->name = strdup(std ? "standard input" : path);
	r->header = trace_header_new();
	r->strings = strpool_new();
	r->block = r->strings ? block_new(r->strings) : NULL;
	if (r->name && r->header && r->block)
		ret = open_content(r, lenient, e);
	else
		ret = error_errno(e, -ENOMEM, "%s", path);
	if (ret) {
		trace_close(r);
		return ret;
	}
	*out = r;
	return 0;
}

int trace_open(struct trace_reader **r, const char *path, struct error *e)
{
	return open_reader(r, path, false, e);
}

int trace_open_damaged(struct trace_reader **r, const char *path, struct error *e)
{
	return open_reader(r, path, true, e);
}
