// SPDX-License-Identifier: GPL-2.0
/* Tables, documents, HTML and gnuplot scripts: what is shown where, and that foreign text stays
 * text (cases 59, 66 to 68). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "render/document.h"
#include "render/format.h"
#include "render/html.h"
#include "render/plot.h"

#define HOSTILE "a'; system(\"id\") #`id`<script>"

static char *text;
static size_t size;

static FILE *start(void)
{
	FILE *f = open_memstream(&text, &size);

	assert_non_null(f);
	return f;
}

static struct table *small_table(void)
{
	struct table *t = table_new("t", "a title");

	table_column(t, "name", ALIGN_LEFT);
	table_column(t, "count", ALIGN_RIGHT);
	table_column(t, "share", ALIGN_RIGHT);
	table_word(t, "\xc3\xa4pfel, \"rot\"");
	table_count(t, 1234567);
	table_percent(t, 12.5);
	table_word(t, "b");
	table_count(t, COUNT_UNKNOWN);
	table_percent(t, NAN);
	return t;
}

static void a_table_is_aligned(void **state)
{
	struct table *t = small_table();
	FILE *f = start();

	(void)state;
	assert_int_equal(table_text(t, f), 0);
	fclose(f);
	/* Columns of 12, 9 and 7 characters (the umlaut is one of two bytes), two blanks between.
	 */
	assert_string_equal(text, "a title\n"
				  "name              count    share\n"
				  "\xc3\xa4pfel, \"rot\"  1,234,567  12.50 %\n"
				  "b                   n/a      n/a\n");
	free(text);
	table_free(t);
}

static void csv_has_plain_numbers_and_empty_cells(void **state)
{
	struct table *t = small_table();
	FILE *f = start();

	(void)state;
	assert_int_equal(table_csv(t, f), 0);
	fclose(f);
	assert_string_equal(text, "name,count,share\n"
				  "\"\xc3\xa4pfel, \"\"rot\"\"\",1234567,12.5000\n"
				  "b,,\n");
	free(text);
	table_free(t);
}

static void a_document_reads_in_order(void **state)
{
	struct document d = { 0 };
	FILE *f = start();

	(void)state;
	document_heading(&d, "One");
	document_sentence(&d, "%d things", 2);
	document_warning(&d, "careful");
	document_table(&d, small_table());
	document_picture(&d, "p", "a picture", strdup("###\n"));
	document_heading(&d, "Two");
	assert_int_equal(document_text(&d, f), 0);
	fclose(f);
	assert_non_null(strstr(text, "One\n---\n2 things\nwarning: careful\n\na title\n"));
	assert_non_null(strstr(text, "n/a\n\na picture\n###\n\nTwo\n---\n"));
	free(text);
	document_free(&d);
}

static void html_shows_markup_as_text(void **state)
{
	struct document d = { 0 };
	struct table *t = table_new("t", HOSTILE);
	FILE *f = start();

	(void)state;
	table_column(t, HOSTILE, ALIGN_LEFT);
	table_word(t, HOSTILE);
	document_heading(&d, HOSTILE);
	document_warning(&d, "%s", HOSTILE);
	document_table(&d, t);
	document_picture(&d, "none", HOSTILE, strdup(HOSTILE "\n"));
	assert_int_equal(html_write(&d, HOSTILE, -1, f), 0);
	fclose(f);
	assert_null(strcasestr(text, "<script"));
	assert_non_null(strstr(text, "&lt;script&gt;"));
	assert_null(strstr(text, "src="));
	assert_null(strstr(text, "<link"));
	assert_non_null(strstr(text, "<pre>a&#39;;")); /* no picture: its text plot */
	free(text);
	document_free(&d);
}

static int make_folder(char *path)
{
	int fd;

	strcpy(path, "/tmp/swaptrace-unit-XXXXXX");
	assert_non_null(mkdtemp(path));
	fd = open(path, O_RDONLY | O_DIRECTORY);
	assert_true(fd >= 0);
	return fd;
}

static void put_file(int dirfd, const char *name, const char *content, mode_t mode)
{
	int fd = openat(dirfd, name, O_CREAT | O_TRUNC | O_WRONLY, mode);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, content, strlen(content)), strlen(content));
	assert_int_equal(fchmod(fd, mode), 0);
	close(fd);
}

static void pictures_are_put_into_the_page(void **state)
{
	struct document d = { 0 };
	char path[64];
	int dirfd = make_folder(path);
	FILE *f = start();

	(void)state;
	put_file(dirfd, "p.svg",
		 "<?xml version=\"1.0\"?>\n<svg><g id=\"x\"/><use xlink:href='#x'/></svg>", 0644);
	put_file(dirfd, "q.svg", "<svg><script>alert(1)</script></svg>", 0644);
	document_picture(&d, "p", "one", NULL);
	document_picture(&d, "q", "two", strdup("text\n"));
	assert_int_equal(html_write(&d, "t", dirfd, f), 0);
	fclose(f);
	assert_non_null(strstr(text, "<svg><g id=\"p-x\"/><use xlink:href='#p-x'/></svg>"));
	assert_null(strstr(text, "<?xml"));
	assert_null(strstr(text, "alert"));
	unlinkat(dirfd, "p.svg", 0);
	unlinkat(dirfd, "q.svg", 0);
	close(dirfd);
	rmdir(path);
	free(text);
	document_free(&d);
}

static void bars(struct plot *p, const double *y, unsigned int n)
{
	struct plot_series *s;

	memset(p, 0, sizeof(*p));
	p->name = "windows";
	p->bars = true;
	p->npanels = 1;
	p->panels[0].percent = true;
	p->categories = calloc(n + 1, sizeof(*p->categories));
	p->ncategories = n;
	for (unsigned int i = 0; i < n; i++)
		snprintf(p->categories[i], sizeof(*p->categories), "%u", 1u << i);
	s = plot_add_series(&p->panels[0], HOSTILE, n);
	for (unsigned int i = 0; i < n; i++)
		s->points[i].y = y[i];
}

static void lines(struct plot *p, const struct plot_point *points, unsigned int n)
{
	struct plot_series *s;

	memset(p, 0, sizeof(*p));
	p->name = "time";
	p->npanels = 1;
	s = plot_add_series(&p->panels[0], "a", n);
	if (n)
		memcpy(s->points, points, n * sizeof(*points));
}

static void check_range(struct plot_range r)
{
	assert_true(isfinite(r.low) && isfinite(r.high) && r.low < r.high);
}

static void ranges_are_finite_whatever_the_data(void **state)
{
	static const struct plot_point one[] = { { 5, 3 } }, zeros[] = { { 0, 0 }, { 1, 0 } };
	static const struct plot_point none[] = { { 0, NAN }, { 1, NAN } },
				       flat[] = { { 2, 7 }, { 2, 7 } };
	static const struct plot_point *const data[] = { one, zeros, none, flat, NULL };
	static const unsigned int n[] = { 1, 2, 2, 2, 0 };
	struct plot p;

	(void)state;
	for (int i = 0; i < 5; i++) {
		lines(&p, data[i], n[i]);
		check_range(plot_x_range(&p));
		check_range(plot_y_range(&p.panels[0]));
		assert_int_equal(plot_is_empty(&p), i == 2 || i == 4);
		plot_free(&p);
	}
	bars(&p, (const double[]){ 100 }, 1);
	check_range(plot_x_range(&p));
	check_range(plot_y_range(&p.panels[0]));
	plot_free(&p);
}

static void scripts_quote_what_is_foreign(void **state)
{
	struct plot p;
	FILE *f = start();

	(void)state;
	bars(&p, (const double[]){ 25, 75 }, 2);
	strcpy(p.title, HOSTILE);
	plot_write_script(&p, f);
	fclose(f);
	assert_non_null(strstr(text, "title 'a''; system(\"id\") #`id`<script>'"));
	/* Every mention of it stands behind a doubled quote: none ends the string it is in. */
	for (const char *q = text; (q = strstr(q, "system(")); q++)
		assert_memory_equal(q - 4, "''; ", 4);
	assert_null(strstr(text, "decimalsign"));
	assert_null(strstr(text, "wxt"));
	assert_null(strstr(text, "x11"));
	assert_non_null(strstr(text, "set xrange ["));
	assert_non_null(strstr(text, "set yrange [0:"));
	/* Groups are centred on 0, 1, ...; xtic() would put their names below the first bar. */
	assert_non_null(strstr(text, "set xtics ('1' 0, '2' 1)"));
	assert_null(strstr(text, "xtic("));
	free(text);
	f = start();
	plot_write_data(&p, f);
	fclose(f);
	assert_non_null(strstr(text, "\"1\" 25\n\"2\" 75\n"));
	free(text);
	plot_free(&p);
}

static void text_plots_show_small_values(void **state)
{
	struct plot p;
	char *drawn, *star;

	(void)state;
	bars(&p, (const double[]){ 0, 0.01, 99.99 }, 3);
	drawn = plot_text(&p);
	assert_non_null(strstr(drawn, "1 | 0.00 %\n"));
	assert_non_null(strstr(drawn, "2 |# 0.01 %\n"));
	assert_non_null(strstr(drawn, "##### 99.99 %\n"));
	free(drawn);
	plot_free(&p);
	lines(&p, (const struct plot_point[]){ { 0, 1 }, { 1, NAN }, { 2, 3 } }, 3);
	drawn = plot_text(&p);
	/* The highest point is the last of 60 columns behind 14 characters of scale. */
	star = strchr(drawn, '*');
	assert_non_null(star);
	while (star > drawn && star[-1] != '\n')
		star--;
	assert_int_equal(strchr(drawn, '*') - star, 14 + 59);
	free(drawn);
	plot_free(&p);
}

/* A program of the name gnuplot that does what a test wants. */
struct stub {
	char path[64], old[4096];
	int dirfd;
};

static void use_stub(struct stub *s, const char *script)
{
	const char *path = getenv("PATH");

	s->dirfd = make_folder(s->path);
	snprintf(s->old, sizeof(s->old), "%s", path ? path : "");
	if (script)
		put_file(s->dirfd, "gnuplot", script, 0755);
	setenv("PATH", s->path, 1);
}

static void drop_stub(struct stub *s)
{
	static const char *const files[] = { "gnuplot", "windows.svg", "windows.png",
					     "windows.txt" };

	setenv("PATH", s->old, 1);
	for (int i = 0; i < 4; i++)
		unlinkat(s->dirfd, files[i], 0);
	close(s->dirfd);
	rmdir(s->path);
}

static void terminals_are_asked_for(void **state)
{
	struct gnuplot g = { .patience_s = 60 };
	struct stub s;
	struct error e = { 0 };

	(void)state;
	use_stub(&s, NULL);
	assert_int_equal(gnuplot_probe(&g, &e), 0);
	assert_false(g.found);
	drop_stub(&s);
	/* Descriptions that mention a terminal, and the pager's prompt before one. */
	g = (struct gnuplot){ .patience_s = 60 };
	use_stub(&s, "#!/bin/sh\nprintf '  dumb  ascii art, no svg or png\\nPress return for more: "
		     " png PNG\\n' >&2\n");
	assert_int_equal(gnuplot_probe(&g, &e), 0);
	assert_true(g.found && g.dumb && !g.svg);
	assert_string_equal(g.bitmap, "png");
	drop_stub(&s);
	g = (struct gnuplot){ .patience_s = 60 };
	use_stub(&s, "#!/bin/sh\nprintf '  pngcairo x\\n  png y\\n  svg z\\n'\n");
	assert_int_equal(gnuplot_probe(&g, &e), 0);
	assert_true(g.svg && !g.dumb);
	assert_string_equal(g.bitmap, "pngcairo");
	drop_stub(&s);
}

static void pictures_must_exist(void **state)
{
	struct gnuplot g = {
		.found = true, .svg = true, .bitmap = "png", .dumb = true, .patience_s = 60
	};
	struct stub s;
	struct error e = { 0 };
	struct plot p;

	(void)state;
	bars(&p, (const double[]){ 100 }, 1);
	use_stub(&s, "#!/bin/sh\nexit 0\n");
	put_file(s.dirfd, "windows.svg", "of an earlier run", 0644);
	assert_int_equal(gnuplot_draw(&g, &p, s.dirfd, PICTURE_SVG, &e), -ENODATA);
	assert_non_null(strstr(e.text, "gnuplot wrote no file"));
	drop_stub(&s);
	use_stub(&s, "#!/bin/sh\necho one >&2; echo 'line 3: bad thing' >&2; exit 1\n");
	assert_int_equal(gnuplot_draw(&g, &p, s.dirfd, PICTURE_BITMAP, &e), -EIO);
	assert_non_null(strstr(e.text, "line 3: bad thing"));
	drop_stub(&s);
	use_stub(&s,
		 "#!/bin/sh\n[ -z \"$DISPLAY\" ] && [ \"$LC_ALL\" = C ] && echo x >windows.txt\n");
	setenv("DISPLAY", ":0", 1);
	setenv("LC_ALL", "de_DE.UTF-8", 1);
	assert_int_equal(gnuplot_draw(&g, &p, s.dirfd, PICTURE_DUMB, &e), 0);
	unsetenv("DISPLAY");
	unsetenv("LC_ALL");
	drop_stub(&s);
	plot_free(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_table_is_aligned),
		cmocka_unit_test(csv_has_plain_numbers_and_empty_cells),
		cmocka_unit_test(a_document_reads_in_order),
		cmocka_unit_test(html_shows_markup_as_text),
		cmocka_unit_test(pictures_are_put_into_the_page),
		cmocka_unit_test(ranges_are_finite_whatever_the_data),
		cmocka_unit_test(scripts_quote_what_is_foreign),
		cmocka_unit_test(text_plots_show_small_values),
		cmocka_unit_test(terminals_are_asked_for),
		cmocka_unit_test(pictures_must_exist),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
