// SPDX-License-Identifier: GPL-2.0
#include "render/html.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "render/format.h"

#define SVG_BYTES_MAX (8u << 20) /* a picture of ours has some 50 kB */

/* Neutral in light and dark; pictures keep a white ground because their ink is dark. */
static const char style[] =
	":root{color-scheme:light dark;--ink:#1c1c1c;--dim:#5c5c5c;--ground:#fff;--line:#d4d4d4;"
	"--warn:#fff4d6;--warnline:#c98a00}\n"
	"@media(prefers-color-scheme:dark){:root{--ink:#e6e6e6;--dim:#a0a0a0;--ground:#16181b;"
	"--line:#3c4046;--warn:#3a2f12;--warnline:#d9a520}}\n"
	"body{margin:0 "
	"auto;max-width:72rem;padding:1.5rem;background:var(--ground);color:var(--ink);"
	"font:16px/1.5 system-ui,sans-serif}\n"
	"h1{font-size:1.5rem}h2{font-size:1.15rem;margin:2rem 0 .5rem;border-bottom:1px solid "
	"var(--line)}\n"
	"p{margin:.4rem 0;max-width:60rem;overflow-wrap:anywhere}\n"
	".warn{background:var(--warn);border-left:4px solid var(--warnline);padding:.4rem .8rem}\n"
	".scroll{overflow-x:auto;margin:.8rem 0}table{border-collapse:collapse}\n"
	"caption{text-align:left;color:var(--dim);padding-bottom:.3rem}\n"
	"th,td{padding:.2rem .8rem .2rem 0;text-align:left;border-bottom:1px solid var(--line);"
	"white-space:nowrap}\n"
	".n{text-align:right;font-variant-numeric:tabular-nums}\n"
	"figure{margin:1rem 0;max-width:60rem}figcaption{color:var(--dim);font-size:.9rem}\n"
	"figure svg{width:100%;height:auto;background:#fff;border-radius:4px}\n"
	"pre{overflow-x:auto;font-size:.85rem;line-height:1.2}\n"
	"footer{margin-top:3rem;color:var(--dim);font-size:.9rem}\n";

static char *read_picture(int dirfd, const char *name)
{
	char file[80];
	struct stat st;
	char *text = NULL;
	size_t n = 0;
	FILE *f;
	int fd;

	snprintf(file, sizeof(file), "%s.svg", name);
	fd = dirfd < 0 ? -1 : openat(dirfd, file, O_RDONLY | O_CLOEXEC);
	f = fd < 0 ? NULL : fdopen(fd, "r");
	if (!f)
		return NULL;
	if (!fstat(fd, &st) && st.st_size > 0 && st.st_size <= SVG_BYTES_MAX)
		text = malloc((size_t)st.st_size + 1);
	if (text) {
		n = fread(text, 1, (size_t)st.st_size, f);
		text[n] = '\0';
	}
	fclose(f);
	return text;
}

/* Where an identifier starts behind @p: id="X", id='X', href='#X', url(#X); NULL: none there. */
static const char *identifier_at(const char *p)
{
	static const char *const before[] = { " id=\"",	 " id='", "href=\"#",
					      "href='#", "url(#", "url('#" };

	for (size_t i = 0; i < sizeof(before) / sizeof(before[0]); i++)
		if (!strncmp(p, before[i], strlen(before[i])))
			return p + strlen(before[i]);
	return NULL;
}

/*
 * gnuplot gives the parts of all its pictures the same identifiers, which must be unique in a page:
 * each gets the picture's name in front. The XML declaration has no place inside a page.
 */
static void write_svg(FILE *f, const char *svg, const char *name)
{
	const char *p = strstr(svg, "<svg");

	while (p && *p) {
		const char *id = *p == ' ' || *p == 'h' || *p == 'u' ? identifier_at(p) : NULL;

		if (!id) {
			fputc(*p++, f);
			continue;
		}
		fwrite(p, 1, (size_t)(id - p), f);
		fprintf(f, "%s-", name);
		p = id;
	}
}

static void write_picture(FILE *f, const struct block *b, int dirfd)
{
	char *svg = read_picture(dirfd, b->name);

	/* Only gnuplot's output belongs here; anything that could act in a reader's browser does
	 * not. */
	if (svg && strstr(svg, "<svg") && !strcasestr(svg, "<script")) {
		fputs("<figure>", f);
		write_svg(f, svg, b->name);
	} else if (b->text_plot) {
		fputs("<figure><pre>", f);
		print_html(f, b->text_plot);
		fputs("</pre>", f);
	} else {
		free(svg);
		return;
	}
	fputs("<figcaption>", f);
	print_html(f, b->text);
	fputs("</figcaption></figure>\n", f);
	free(svg);
}

static void element(FILE *f, const char *tag, const char *attributes, const char *text)
{
	fprintf(f, "<%s%s>", tag, attributes);
	print_html(f, text);
	fprintf(f, "</%s>\n", tag);
}

static int write_block(FILE *f, const struct block *b, int dirfd)
{
	switch (b->kind) {
	case BLOCK_HEADING:
		element(f, "h2", "", b->text);
		break;
	case BLOCK_SENTENCE:
		element(f, "p", "", b->text);
		break;
	case BLOCK_WARNING:
		element(f, "p", " class=\"warn\" role=\"note\"", b->text);
		break;
	case BLOCK_TABLE:
		return table_html(b->table, f);
	case BLOCK_PICTURE:
		write_picture(f, b, dirfd);
		break;
	}
	return 0;
}

int html_write(const struct document *d, const char *title, int dirfd, FILE *f)
{
	int ret = d->failed;

	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	      "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
	      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
	      "style-src 'unsafe-inline'\">\n",
	      f);
	element(f, "title", "", title);
	fprintf(f, "<style>\n%s</style>\n</head>\n<body>\n", style);
	element(f, "h1", "", title);
	for (unsigned int i = 0; i < d->n && !ret; i++)
		ret = write_block(f, &d->blocks[i], dirfd);
	fprintf(f, "<footer>swaptrace %s</footer>\n</body>\n</html>\n", SWAPTRACE_VERSION);
	return ret;
}
