// SPDX-License-Identifier: GPL-2.0
#include "export/exporter.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/text.h"

extern const struct exporter export_json, export_jsonl, export_csv, export_chrome, export_perfetto,
	export_ctf, export_fio, export_oracle_general;

const struct exporter *const exporters[] = {
	&export_json,	&export_jsonl,		&export_csv,
	&export_chrome, &export_perfetto,	&export_ctf,
	&export_fio,	&export_oracle_general, NULL,
};

const struct exporter *exporter_find(const char *name)
{
	for (const struct exporter *const *e = exporters; *e; e++)
		if (!strcmp((*e)->name, name))
			return *e;
	return NULL;
}

static int each_event(const struct exporter *exporter, struct export *x)
{
	struct event ev;
	bool first = true;
	int ret;

	while ((ret = trace_next(x->reader, &ev, x->error)) > 0) {
		if (first)
			x->first_ns = ev.t_ns;
		if (first && exporter->begin && (ret = exporter->begin(x)))
			return ret;
		first = false;
		ret = exporter->event(x, &ev);
		if (ret)
			return ret;
	}
	if (!ret && first && exporter->begin)
		ret = exporter->begin(x);
	if (!ret && exporter->end)
		ret = exporter->end(x);
	return ret;
}

int export_run(const struct exporter *exporter, struct trace_reader *r, FILE *out, int folder,
	       struct error *e)
{
	struct export x = {
		.reader = r,
		.header = trace_get_header(r),
		.out = out,
		.folder = folder,
		.page_size = 4096,
		.error = e,
		.state = calloc(1, exporter->state_size + 1),
	};
	int ret;

	if (!x.state)
		return error_set(e, -ENOMEM, "out of memory");
	trace_header_u64(x.header, "page_size", &x.page_size);
	ret = each_event(exporter, &x);
	if (!ret && out)
		ret = export_failed(&x, out);
	if (exporter->free)
		exporter->free(&x);
	free(x.state);
	return ret;
}

int export_failed(struct export *x, FILE *f)
{
	errno = 0;
	if (ferror(f) | fflush(f))
		return error_errno(x->error, errno ? -errno : -EIO, "cannot write");
	return 0;
}

void export_string(const struct export *x, uint32_t id, struct clean_text *out)
{
	size_t len;
	const char *s = trace_string(x->reader, id, &len);

	out->s[0] = '\0';
	if (s)
		escape_text(s, len, out->s, sizeof(out->s));
}

static bool enum_word(const struct key_desc *k, uint64_t v, struct clean_text *out)
{
	for (uint64_t i = 0; k->names[i]; i++) {
		if (i != v)
			continue;
		snprintf(out->s, sizeof(out->s), "%s", k->names[i]);
		return true;
	}
	return false;
}

static bool flag_words(const struct key_desc *k, uint64_t v, struct clean_text *out)
{
	size_t len = 0;

	out->s[0] = '\0';
	for (unsigned int i = 0; k->names[i]; i++)
		if (v >> i & 1)
			len += (size_t)snprintf(out->s + len, sizeof(out->s) - len, "%s%s",
						len ? "," : "", k->names[i]);
	return true;
}

bool export_word(const struct export *x, const struct key_desc *k, uint64_t v,
		 struct clean_text *out)
{
	switch (k->kind) {
	case KEY_ENUM:
		return enum_word(k, v, out);
	case KEY_FLAGS:
		return flag_words(k, v, out);
	case KEY_STRING:
		export_string(x, (uint32_t)v, out);
		return true;
	default:
		return false;
	}
}

void export_json_string(FILE *f, const char *s)
{
	putc('"', f);
	for (; *s; s++) {
		/* Control characters are gone already: they are \xHH. */
		if (*s == '"' || *s == '\\')
			putc('\\', f);
		putc(*s, f);
	}
	putc('"', f);
}

static void json_value(struct export *x, const struct key_desc *k, uint64_t v)
{
	struct clean_text word;

	if (export_word(x, k, v, &word))
		export_json_string(x->out, word.s);
	else if (k->kind == KEY_SIGNED)
		fprintf(x->out, "%" PRId64, (int64_t)v);
	/* Addresses and identities do not fit the doubles that many readers of JSON have. */
	else if (k->kind == KEY_HEX || v >> 53)
		fprintf(x->out, "\"0x%" PRIx64 "\"", v);
	else
		fprintf(x->out, "%" PRIu64, v);
}

void export_json_keys(struct export *x, const struct event *ev)
{
	for (uint32_t left = ev->have; left; left &= left - 1) {
		unsigned int key = (unsigned int)__builtin_ctz(left);
		const struct key_desc *k = event_key(ev->type, key);

		if (!k)
			continue;
		fprintf(x->out, ",\"%s\":", k->name);
		json_value(x, k, ev->v[key]);
	}
}

int64_t export_thread(const struct event *ev)
{
	return event_has(ev, KEY_TID) ? (int64_t)ev->v[KEY_TID] : ev->tgid;
}
