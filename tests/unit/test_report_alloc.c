// SPDX-License-Identifier: GPL-2.0
/* Pictures of the slot allocator: rows of the occupancy map, stacked bars, maps, what is quoted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/alloc_map_rows.h"
#include "render/plot.h"

#define HOSTILE "a'; system(\"id\") #`id`"

static char *text;
static size_t size;

static FILE *start(void)
{
	FILE *f = open_memstream(&text, &size);

	assert_non_null(f);
	return f;
}

/* --- rows of the occupancy map ---------------------------------------------------------------- */

static void put_device(struct alloc_result *a, unsigned int type, uint64_t pages)
{
	a->devices[type].seen = true;
	a->devices[type].pages = pages;
}

static void as_many_clusters_as_rows(void **state)
{
	struct alloc_result a = { .clusters = 32 };
	struct map_rows rows;

	(void)state;
	put_device(&a, 0, 16384);
	assert_int_equal(alloc_map_rows(&a, &rows), 0);
	assert_true(rows.exact);
	/* A cluster of 512 slots in each row; the first holds the header. */
	assert_int_equal(rows.slots[0], 511);
	for (unsigned int r = 1; r < ALLOC_ROWS; r++) {
		assert_int_equal(rows.start[r], 512 * r);
		assert_int_equal(rows.slots[r], 512);
	}
	assert_int_equal(rows.start[ALLOC_ROWS], 16384);
}

static void fewer_clusters_than_rows(void **state)
{
	struct alloc_result a = { .clusters = 3 };
	struct map_rows rows;
	uint64_t sum = 0;

	(void)state;
	/* 1,300 slots are clusters of 512, 512 and 276: in rows 0, 32 / 3 and 64 / 3. */
	put_device(&a, 2, 1300);
	assert_int_equal(alloc_map_rows(&a, &rows), 0);
	assert_true(rows.exact);
	assert_int_equal(rows.slots[0], 511);
	assert_int_equal(rows.slots[10], 512);
	assert_int_equal(rows.slots[21], 276);
	for (unsigned int r = 0; r < ALLOC_ROWS; r++)
		sum += rows.slots[r];
	assert_int_equal(sum, 1299);
}

static void devices_stand_in_a_row(void **state)
{
	struct alloc_result a = { .clusters = 64 };
	struct map_rows rows;

	(void)state;
	/* 16 and 48 clusters of 256: rows of two, the second device begins in row 8. */
	put_device(&a, 0, 16 * 256);
	put_device(&a, 3, 48 * 256);
	assert_int_equal(alloc_map_rows(&a, &rows), 0);
	assert_true(rows.exact);
	assert_int_equal(rows.start[8], 16 * 256);
	assert_int_equal(rows.slots[7], 512);
	assert_int_equal(rows.slots[8], 511);
}

static void what_does_not_fit_is_not_believed(void **state)
{
	struct alloc_result a = { .clusters = 0 };
	struct map_rows rows;

	(void)state;
	assert_int_equal(alloc_map_rows(&a, &rows), -ENODATA);
	a.clusters = 5;
	assert_int_equal(alloc_map_rows(&a, &rows), -ENODATA); /* no device */
	put_device(&a, 0, UINT64_MAX);
	assert_int_equal(alloc_map_rows(&a, &rows), -ENODATA);
	put_device(&a, 0, 1000);
	a.clusters = UINT64_MAX;
	assert_int_equal(alloc_map_rows(&a, &rows), -ENODATA);
	/* 1,000 slots are 4 clusters of 256 or 8 of 128, never 5. */
	a.clusters = 5;
	assert_int_equal(alloc_map_rows(&a, &rows), 0);
	assert_false(rows.exact);
	assert_int_equal(rows.start[ALLOC_ROWS], 1000);
}

/* --- stacked bars ------------------------------------------------------------------------------
 */

/* Two groups of two bars, two layers: 25 + 75, 100 + 0, 50 + 50, nothing. */
static void stacked(struct plot *p)
{
	static const double low[] = { 25, 100, 50, NAN }, high[] = { 75, 0, 50, NAN };

	memset(p, 0, sizeof(*p));
	p->name = "alloc-orders";
	p->bars = p->stacked = true;
	p->npanels = 1;
	p->panels[0].percent = true;
	p->ncategories = 4;
	p->group = 2;
	p->categories = calloc(4, sizeof(*p->categories));
	p->tops = calloc(4, sizeof(*p->tops));
	p->groups = calloc(2, sizeof(*p->groups));
	for (int i = 0; i < 4; i++)
		snprintf(p->categories[i], sizeof(*p->categories), "%s", i % 2 ? "B" : "A");
	strcpy(p->tops[0], "n=4");
	strcpy(p->groups[0], "one");
	strcpy(p->groups[1], HOSTILE);
	plot_add_series(&p->panels[0], "got", 4);
	plot_add_series(&p->panels[0], HOSTILE, 4);
	for (int i = 0; i < 4; i++) {
		p->panels[0].series[0].points[i].y = low[i];
		p->panels[0].series[1].points[i].y = high[i];
	}
}

static void stacked_bars_add_up(void **state)
{
	struct plot p;
	FILE *f = start();

	(void)state;
	stacked(&p);
	plot_write_data(&p, f);
	fclose(f);
	/* Bars of 0.4 about 0 and 1. */
	assert_non_null(strstr(text, "\"one A\" -0.2 25 100\n\"one B\" 0.2 100 100\n"));
	assert_non_null(strstr(text, " A\" 0.8 50 100\n"));
	assert_non_null(strstr(text, " B\" 1.2 NaN NaN\n"));
	free(text);
	plot_free(&p);
}

static void stacked_bars_in_characters(void **state)
{
	struct plot p;
	char *drawn;

	(void)state;
	stacked(&p);
	drawn = plot_text(&p);
	assert_non_null(drawn);
	/* 50 characters are 100 %: 12.5 of 25, rounded away from 0. */
	assert_non_null(strstr(
		drawn,
		"one\n           A |.............#####################################| n=4\n"
		"           B |..................................................| \n"));
	assert_non_null(strstr(
		drawn, "           B |                                                  | \n"));
	free(drawn);
	plot_free(&p);
}

/* Every mention of the foreign text stands behind a doubled quote: none ends the string it is in.
 */
static void check_quotes(void)
{
	unsigned int n = 0;

	for (const char *q = text; (q = strstr(q, "system(")); q++, n++)
		assert_memory_equal(q - 4, "''; ", 4);
	assert_true(n > 0);
}

static void stacked_scripts_quote_what_is_foreign(void **state)
{
	struct plot p;
	FILE *f = start();

	(void)state;
	stacked(&p);
	plot_write_script(&p, f);
	fclose(f);
	check_quotes();
	/* A label's number may have two digits. */
	assert_non_null(strstr(text, "set label 10 'one' at first 0,"));
	assert_non_null(strstr(text, "set label 11 'a''; system"));
	assert_non_null(strstr(text, "set xtics ('A' -0.2, 'B' 0.2, 'A' 0.8, 'B' 1.2)"));
	/* The higher end is drawn first and covered by the lower one. */
	assert_true(strstr(text, "using 2:4") < strstr(text, "using 2:3"));
	free(text);
	plot_free(&p);
}

/* --- maps ---------------------------------------------------------------------------------------
 */

static void map(struct plot *p)
{
	static const struct plot_cell cells[] = { { 0, 6, 0, 10, 0 },
						  { 0, 3, 10, 20, 100 },
						  { 3, 6, 10, 20, 40 } };

	memset(p, 0, sizeof(*p));
	p->name = "alloc-map";
	p->map = true;
	p->npanels = 2;
	strcpy(p->key, HOSTILE);
	for (int i = 0; i < 2; i++) {
		strcpy(p->panels[i].title, HOSTILE);
		strcpy(p->panels[i].ylabel, "slot");
	}
	/* The first panel is empty. */
	p->panels[1].cells = calloc(3, sizeof(*cells));
	memcpy(p->panels[1].cells, cells, sizeof(cells));
	p->panels[1].ncells = 3;
	strcpy(p->panels[1].event, HOSTILE);
	p->panels[1].event_x = 2.5;
}

static void a_map_states_its_ranges(void **state)
{
	struct plot p;
	FILE *f = start();

	(void)state;
	map(&p);
	assert_false(plot_is_empty(&p));
	assert_true(plot_panel_is_empty(&p.panels[0]));
	plot_write_script(&p, f);
	fclose(f);
	check_quotes();
	assert_non_null(strstr(text, "set xrange [0:6]\n"));
	assert_non_null(strstr(text, "set yrange [0:20]\n"));
	assert_non_null(strstr(text, "set yrange [0:1]\n")); /* of the empty panel */
	assert_non_null(strstr(text, "set cbrange [0:100]\n"));
	assert_non_null(strstr(text, "from first 2.5,graph 0 to first 2.5,graph 1"));
	/* gnuplot counts blocks of data, and an empty panel has none. */
	assert_non_null(strstr(text, "plot NaN notitle\n"));
	assert_non_null(strstr(text, "'alloc-map.dat' index 0 "));
	free(text);
	plot_free(&p);
}

static void a_map_in_characters(void **state)
{
	struct plot p;
	char *drawn;

	(void)state;
	map(&p);
	drawn = plot_text(&p);
	assert_non_null(drawn);
	/* 60 columns of 0.1; 40 % is more than three eighths and not more than four: the fifth
	 * mark. */
	assert_non_null(
		strstr(drawn, "|@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@++++++++++++++++++++++++++++++\n"));
	assert_non_null(
		strstr(drawn, "|............................................................\n"));
	free(drawn);
	plot_free(&p);
}

static void four_panels_fit(void **state)
{
	struct plot p = { .name = "x", .npanels = PLOT_PANELS };
	struct plot_series *s;
	double last = 1;
	unsigned int n = 0;
	FILE *f = start();

	(void)state;
	for (unsigned int i = 0; i < PLOT_PANELS; i++) {
		s = plot_add_series(&p.panels[i], "order 4", 2);
		s->points[1] = (struct plot_point){ 1, 50 };
	}
	plot_write_script(&p, f);
	fclose(f);
	/* Each panel's bottom is above the next one's top. */
	for (const char *q = text; (q = strstr(q, "set tmargin at screen ")); q++, n++) {
		double top = atof(q + 22), bottom = atof(strstr(q, "set bmargin at screen ") + 22);

		assert_true(top < last && bottom < top && bottom > 0);
		last = bottom;
	}
	assert_int_equal(n, PLOT_PANELS);
	free(text);
	plot_free(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_many_clusters_as_rows),
		cmocka_unit_test(fewer_clusters_than_rows),
		cmocka_unit_test(devices_stand_in_a_row),
		cmocka_unit_test(what_does_not_fit_is_not_believed),
		cmocka_unit_test(stacked_bars_add_up),
		cmocka_unit_test(stacked_bars_in_characters),
		cmocka_unit_test(stacked_scripts_quote_what_is_foreign),
		cmocka_unit_test(a_map_states_its_ranges),
		cmocka_unit_test(a_map_in_characters),
		cmocka_unit_test(four_panels_fit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
