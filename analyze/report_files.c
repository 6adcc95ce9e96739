// SPDX-License-Identifier: GPL-2.0
#include "analyze/report.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyze/result_json.h"
#include "common/output_folder.h"
#include "render/html.h"

static const struct {
	const char *name;
	unsigned int format;
} format_names[] = {
	{ "text", REPORT_TEXT }, { "json", REPORT_JSON }, { "csv", REPORT_CSV },
	{ "svg", REPORT_SVG },	 { "png", REPORT_PNG },	  { "html", REPORT_HTML },
};

int report_formats_parse(const char *list, struct error *e)
{
	int mask = 0;

	while (*list) {
		size_t len = strcspn(list, ","), i = 0;

		while (i < 6 && (strlen(format_names[i].name) != len ||
				 strncmp(format_names[i].name, list, len)))
			i++;
		if (i == 6)
			return error_set(e, -EINVAL,
					 "'%.*s' is not a format; there are text, json, csv, svg, "
					 "png and html",
					 (int)len, list);
		mask |= (int)format_names[i].format;
		list += len;
		list += *list == ',';
	}
	return mask ? mask : error_set(e, -EINVAL, "no format is named");
}

static int sources_json(const struct sources *s, FILE *f, struct error *e)
{
	struct result_item *items = calloc(s->n + 1, sizeof(*items));
	int ret;

	if (!items)
		return error_set(e, -ENOMEM, "out of memory");
	for (unsigned int i = 0; i < s->n; i++) {
		const struct source *v = &s->v[i];

		items[i].result = &v->result;
		items[i].facts = v->kind == SOURCE_ARGDIST ? NULL : &v->facts;
		items[i].name = v->name;
		items[i].source = v->origin;
		items[i].seconds = v->seconds;
		items[i].summary = v->summary;
	}
	ret = results_write_items(f, items, s->n, e);
	free(items);
	return ret;
}

int report_json(const struct report *r, const struct sources *s, FILE *f, struct error *e)
{
	int ret;

	if (!r->json)
		return sources_json(s, f, e);
	ret = r->json(r, f);
	return ret ? error_errno(e, ret, "cannot write JSON") : 0;
}

/* The folder of a report and what is written into it. */
struct output {
	const struct report *report;
	const struct sources *sources;
	const char *dir;
	int fd;
	struct error *e;
};

typedef int write_function(const struct output *o, const void *what, FILE *f);

/* Every write is checked at the close, so that a full disk is not a short report. */
static int write_file(const struct output *o, const char *name, const char *ending,
		      write_function *write, const void *what)
{
	char file[96];
	FILE *f;
	int fd, ret;

	snprintf(file, sizeof(file), "%s.%s", name, ending);
	fd = openat(o->fd, file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	f = fd < 0 ? NULL : fdopen(fd, "w");
	if (!f)
		return error_errno(o->e, -errno, "cannot write '%s/%s'", o->dir, file);
	ret = write(o, what, f);
	errno = EIO;
	if (fflush(f) | ferror(f) && !ret)
		ret = error_errno(o->e, -errno, "cannot write '%s/%s'", o->dir, file);
	else if (ret == -ENOMEM)
		error_set(o->e, ret, "out of memory");
	fclose(f);
	return ret;
}

static int write_text(const struct output *o, const void *what, FILE *f)
{
	(void)what;
	return document_text(&o->report->doc, f);
}

static int write_json(const struct output *o, const void *what, FILE *f)
{
	(void)what;
	return report_json(o->report, o->sources, f, o->e);
}

static int write_csv(const struct output *o, const void *what, FILE *f)
{
	(void)o;
	return table_csv(what, f);
}

static int write_html(const struct output *o, const void *what, FILE *f)
{
	char title[160];

	(void)what;
	snprintf(title, sizeof(title), "swaptrace report: %.130s%s",
		 o->sources->n ? o->sources->v[0].name : "",
		 o->sources->n > 1 ? " and others" : "");
	return html_write(&o->report->doc, title, o->fd, f);
}

static int write_script(const struct output *o, const void *what, FILE *f)
{
	(void)o;
	plot_write_script(what, f);
	return 0;
}

static int write_data(const struct output *o, const void *what, FILE *f)
{
	(void)o;
	plot_write_data(what, f);
	return 0;
}

static int write_tables(const struct output *o)
{
	int ret = 0;

	for (unsigned int i = 0; i < o->report->doc.n && !ret; i++) {
		const struct table *t = o->report->doc.blocks[i].table;

		if (t)
			ret = write_file(o, table_name(t), "csv", write_csv, t);
	}
	return ret;
}

static int write_plot_files(const struct output *o)
{
	int ret = 0;

	for (unsigned int i = 0; i < o->report->nplots && !ret; i++) {
		const struct plot *p = &o->report->plots[i];

		ret = write_file(o, p->name, "gp", write_script, p);
		if (!ret)
			ret = write_file(o, p->name, "dat", write_data, p);
	}
	return ret;
}

static void draw(const struct output *o, struct gnuplot *g, enum picture picture,
		 struct report_pictures *p)
{
	for (unsigned int i = 0; i < o->report->nplots; i++) {
		struct error e = { 0 };

		/* What does not answer once will not do so for the next picture. */
		if (g->silent) {
			p->failed++;
			continue;
		}
		if (!gnuplot_draw(g, &o->report->plots[i], o->fd, picture, &e)) {
			p->drawn++;
			continue;
		}
		if (!p->failed++)
			p->failure = e;
	}
}

/* What the user asked for if this gnuplot can draw it, else the next best thing it can. */
static void draw_pictures(const struct output *o, unsigned int formats, struct report_pictures *p)
{
	bool svg = formats & (REPORT_SVG | REPORT_HTML), png = formats & REPORT_PNG;
	struct gnuplot g = { .patience_s = p->patience_s };
	struct error e = { 0 };

	if (!o->report->nplots || !(svg || png))
		return;
	if (gnuplot_probe(&g, &e)) {
		p->failed = o->report->nplots;
		p->failure = e;
		return;
	}
	p->no_gnuplot = !g.found;
	if (!g.found)
		return;
	p->as_text = !g.svg && !g.bitmap[0];
	if (p->as_text && g.dumb)
		draw(o, &g, PICTURE_DUMB, p);
	if (g.svg && (svg || !g.bitmap[0]))
		draw(o, &g, PICTURE_SVG, p);
	if (g.bitmap[0] && (png || !g.svg))
		draw(o, &g, PICTURE_BITMAP, p);
}

static int write_all(const struct output *o, unsigned int formats, struct report_pictures *p)
{
	int ret = 0;

	if (formats & REPORT_TEXT)
		ret = write_file(o, "report", "txt", write_text, NULL);
	if (!ret && formats & REPORT_JSON)
		ret = write_file(o, "report", "json", write_json, NULL);
	if (!ret && formats & REPORT_CSV)
		ret = write_tables(o);
	if (!ret)
		ret = write_plot_files(o);
	if (!ret)
		draw_pictures(o, formats, p);
	if (!ret && formats & REPORT_HTML)
		ret = write_file(o, "report", "html", write_html, NULL);
	return ret;
}

static void free_names(char **names)
{
	for (char **name = names; names && *name; name++)
		free(*name);
	free(names);
}

static int add_name(char **names, unsigned int *n, const char *name, const char *ending)
{
	return asprintf(&names[(*n)++], "%s.%s", name, ending) < 0 ? -ENOMEM : 0;
}

/* All files that write_all() may write, as they are to be told before the first is written. */
static char **file_names(const struct report *r)
{
	static const char *const documents[] = { "txt", "json", "html" };
	static const char *const endings[] = { "gp", "dat", "svg", "png", "txt" };
	char **names = calloc(3 + r->doc.n + 5 * (size_t)r->nplots + 1, sizeof(*names));
	unsigned int n = 0;
	int ret = names ? 0 : -ENOMEM;

	for (int i = 0; !ret && i < 3; i++)
		ret = add_name(names, &n, "report", documents[i]);
	for (unsigned int i = 0; !ret && i < r->doc.n; i++)
		if (r->doc.blocks[i].table)
			ret = add_name(names, &n, table_name(r->doc.blocks[i].table), "csv");
	for (unsigned int i = 0; !ret && i < r->nplots; i++)
		for (int k = 0; !ret && k < 5; k++)
			ret = add_name(names, &n, r->plots[i].name, endings[k]);
	if (!ret)
		return names;
	if (n)
		names[n - 1] = NULL; /* what asprintf() left there is not defined */
	free_names(names);
	return NULL;
}

int report_write(const struct report *r, const struct sources *s, const struct report_target *t,
		 struct report_pictures *p, struct error *e)
{
	struct output o = { .report = r, .sources = s, .dir = t->dir, .e = e };
	struct output_folder_plan plan = { "report.files", NULL, t->inputs, t->ninputs };
	struct output_folder *folder;
	char **names = file_names(r);
	int ret;

	if (!names)
		return error_set(e, -ENOMEM, "out of memory");
	plan.names = (const char *const *)names;
	ret = output_folder_open(&folder, t->dir, &plan, e);
	if (!ret) {
		o.fd = output_folder_fd(folder);
		ret = write_all(&o, t->formats, p);
		if (ret)
			output_folder_discard(folder);
		else
			ret = output_folder_commit(folder, e);
	}
	free_names(names);
	return ret;
}
