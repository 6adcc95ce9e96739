// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/output_path.h"
#include "traces/file.h"
#include "traces/header_lines.h"
#include "traces/trace.h"
#include "traces/wire.h"

/* Ids of the reader's strings in the writer: [id - 1], 0 not known yet. */
struct id_map {
	uint32_t *ids;
	uint32_t n;
};

static int map_string(struct id_map *map, const struct trace_reader *r, struct trace_writer *w,
		      uint32_t *id)
{
	const char *s;
	size_t len;

	s = trace_string(r, *id, &len);
	if (!s) {
		*id = 0;
		return 0;
	}
	if (*id > map->n) {
		uint32_t *bigger = realloc(map->ids, 2 * (size_t)*id * sizeof(*bigger));

		if (!bigger)
			return -ENOMEM;
		memset(bigger + map->n, 0, (2 * (size_t)*id - map->n) * sizeof(*bigger));
		map->ids = bigger;
		map->n = 2 * *id;
	}
	if (!map->ids[*id - 1])
		map->ids[*id - 1] = trace_write_string(w, s, len);
	*id = map->ids[*id - 1];
	return *id ? 0 : -ENOMEM;
}

static int map_strings(struct id_map *map, const struct trace_reader *r, struct trace_writer *w,
		       struct event *ev)
{
	int ret = map_string(map, r, w, &ev->comm);

	for (uint32_t left = ev->have; left && !ret; left &= left - 1) {
		unsigned int k = (unsigned int)__builtin_ctz(left);
		uint32_t id = (uint32_t)ev->v[k];

		if (event_key(ev->type, k)->kind != KEY_STRING)
			continue;
		ret = map_string(map, r, w, &id);
		ev->v[k] = id;
	}
	return ret;
}

static int copy_events(struct trace_reader *r, struct trace_writer *w, struct error *e)
{
	struct id_map map = { 0 };
	struct event ev;
	int ret;

	while ((ret = trace_next(r, &ev, e)) > 0) {
		ret = map_strings(&map, r, w, &ev);
		if (ret) {
			error_errno(e, ret, "copying events");
			break;
		}
		ret = trace_write(w, &ev, e);
		if (ret)
			break;
	}
	free(map.ids);
	return ret;
}

/* A header with loss lines has them from a footer, and then they are complete. */
static void copy_losses(struct trace_reader *r, struct trace_writer *w)
{
	size_t from = 0;
	uint64_t n;

	if (trace_header_next_directive(trace_get_header(r), "loss", &from))
		return;
	for (unsigned int cpu = 0; (n = trace_get_lost(r, &cpu)); cpu++)
		trace_write_lost(w, cpu, n);
}

static bool header_lost(const struct trace_reader *r)
{
	return trace_get_stats(r)->header_damaged && !trace_header_lines(trace_get_header(r));
}

static int finish(struct trace_reader *r, struct trace_writer *w, struct error *e)
{
	struct trace_header *closing = trace_header_new();
	const struct trace_stats *s = trace_get_stats(r);
	char line[256];
	int ret;

	copy_losses(r, w);
	snprintf(line, sizeof(line),
		 "note recovered events=%" PRIu64 " damaged_blocks=%" PRIu64
		 " damaged_events=%" PRIu64 " truncated=%d header_lost=%d",
		 s->events, s->damaged_blocks, s->damaged_events, s->truncated, header_lost(r));
	if (!closing || trace_header_add_line(closing, line, NULL)) {
		trace_header_free(closing);
		trace_abandon(w);
		return error_errno(e, -ENOMEM, "recovering");
	}
	ret = trace_finish(w, closing, e);
	trace_header_free(closing);
	return ret;
}

/* Comments and layout of a text are not in a trace. */
static bool is_text(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	char head[256];
	int64_t n = fd < 0 ? 0 : file_read_at(fd, head, sizeof(head), 0);

	if (fd >= 0)
		close(fd);
	return n > 0 && import_sniff_text(head, (size_t)n);
}

/* Whether what was read is enough to be written, and to be written over the input itself. */
static int judge(const struct trace_reader *r, const char *in, const char *out, struct error *e)
{
	const struct trace_stats *s = trace_get_stats(r);

	if (!s->events && s->header_damaged)
		return error_set(e, -EBADMSG, "%s: nothing in it can be read; nothing was written",
				 in);
	if (!same_file(out, in))
		return 0;
	if (is_text(in))
		return error_set(e, -EEXIST,
				 "%s: is text, of which a trace would not keep everything; name "
				 "another file with -o",
				 in);
	if (s->damaged_blocks || s->damaged_events || header_lost(r))
		return error_set(e, -EEXIST,
				 "%s: what is damaged in it would be gone for good; name another "
				 "file with -o",
				 in);
	return 0;
}

/* What is written to and not replaced must not be what is read: it would grow while it is read. */
static int check_place(const char *in, const char *out, struct error *e)
{
	struct output_path p = { .dir = -1, .open_fd = STDOUT_FILENO };
	int ret = 0;

	if (!same_file(out, in))
		return 0;
	if (strcmp(out, "-"))
		ret = output_path_resolve(&p, out, e);
	if (!ret && (p.open_fd >= 0 || !S_ISREG(p.st.st_mode)))
		ret = error_set(e, -EEXIST,
				"%s: is where the output goes; name another file with -o", in);
	output_path_close(&p);
	return ret;
}

static int recover(struct trace_reader *r, const char *in, const char *out, struct error *e)
{
	struct trace_writer *w;
	int ret = check_place(in, out, e);

	if (!ret)
		ret = trace_create(&w, out, trace_get_header(r), e);
	if (ret)
		return ret;
	ret = copy_events(r, w, e);
	if (!ret)
		ret = judge(r, in, out, e);
	if (!ret)
		return finish(r, w, e);
	trace_abandon(w);
	return ret;
}

int trace_recover(const char *in, const char *out, struct trace_stats *stats, struct error *e)
{
	struct trace_reader *r;
	int ret = trace_open_damaged(&r, in, e);

	memset(stats, 0, sizeof(*stats));
	if (ret)
		return ret;
	ret = recover(r, in, out, e);
	*stats = *trace_get_stats(r);
	trace_close(r);
	return ret;
}
