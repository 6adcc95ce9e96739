// SPDX-License-Identifier: GPL-2.0
#include "render/plot.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "render/format.h"

#define ANSWER_BYTES 16384
#define NOT_FOUND 127 /* what a shell returns for it, too */

/* In the child: gnuplot must not meet a display, another locale or the user's settings. */
static void run_child(char *const argv[], int dirfd, int out)
{
	int null = open("/dev/null", O_RDONLY);

	/* A group of its own, so that all of it can be ended; and it must not outlive us. */
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	unsetenv("DISPLAY");
	unsetenv("WAYLAND_DISPLAY");
	unsetenv("GNUTERM");
	unsetenv("GNUPLOT_DRIVER_DIR");
	setenv("LC_ALL", "C", 1);
	if (null < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0 ||
	    dup2(out, STDERR_FILENO) < 0 || (dirfd >= 0 && fchdir(dirfd)))
		_exit(NOT_FOUND - 1);
	execvp(argv[0], argv);
	_exit(errno == ENOENT ? NOT_FOUND : NOT_FOUND - 1);
}

static int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Collect what the child says until it closes its end. Returns false when it takes too long. */
static bool collect(int fd, int64_t end, char *answer, size_t size)
{
	size_t n = 0;

	for (;;) {
		struct pollfd p = { fd, POLLIN, 0 };
		int64_t left = end - now_ms();
		char more[1024];
		ssize_t got;

		if (left <= 0 || poll(&p, 1, (int)left) == 0)
			return false;
		got = read(fd, more, sizeof(more));
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		for (ssize_t i = 0; i < got; i++)
			if (n + 1 < size)
				answer[n++] = more[i];
	}
	answer[n] = '\0';
	return true;
}

/* Wait for the child's end; false when it takes too long. */
static bool ended(pid_t pid, int64_t end, int *status)
{
	const struct timespec pause = { 0, 2000000 };

	for (;;) {
		pid_t got = waitpid(pid, status, WNOHANG);

		if (got == pid || (got < 0 && errno != EINTR))
			return true;
		if (now_ms() >= end)
			return false;
		nanosleep(&pause, NULL);
	}
}

/* It and whatever it has started. */
static void end_child(pid_t pid)
{
	kill(-pid, SIGKILL);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

#define NOT_STARTED (-2)
#define NOT_ENDED (-3)

/*
 * Run gnuplot and wait for it. Returns its exit status, -1 when a signal ended it, NOT_ENDED when
 * it took too long and we did, NOT_STARTED with a sentence in @e.
 */
static int run(const struct gnuplot *g, char *const argv[], int dirfd, char *answer, size_t size,
	       struct error *e)
{
	int64_t end = now_ms() + g->patience_s * 1000ll;
	int pipes[2], status = 0;
	bool in_time;
	pid_t pid;

	answer[0] = '\0';
	if (pipe2(pipes, O_CLOEXEC)) {
		error_errno(e, -errno, "cannot run gnuplot");
		return NOT_STARTED;
	}
	pid = fork();
	if (!pid)
		run_child(argv, dirfd, pipes[1]);
	close(pipes[1]);
	if (pid > 0)
		setpgid(pid, pid);
	in_time = pid > 0 && collect(pipes[0], end, answer, size) && ended(pid, end, &status);
	close(pipes[0]);
	if (pid < 0) {
		error_errno(e, -EAGAIN, "cannot run gnuplot");
		return NOT_STARTED;
	}
	if (!in_time) {
		end_child(pid);
		return NOT_ENDED;
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static bool is_word(const char *at, const char *text, size_t len)
{
	char before = at == text ? '\n' : at[-1], after = at[len];

	return strchr(" \t\r\n:", before) && (!after || strchr(" \t\r\n", after));
}

/*
 * Whether a terminal is in the list: the first word of a line, which may stand behind the prompt of
 * gnuplot's pager. Descriptions mention other terminals, so a word further on does not count.
 */
static bool has_terminal(const char *list, const char *name)
{
	size_t len = strlen(name);

	for (const char *p = list; (p = strstr(p, name)); p += len) {
		const char *line = p;

		if (!is_word(p, list, len))
			continue;
		while (line > list && strchr(" \t", line[-1]))
			line--;
		if (line == list || line[-1] == '\n' || line[-1] == '\r' || line[-1] == ':')
			return true;
	}
	return false;
}

static int took_too_long(struct gnuplot *g, struct error *e)
{
	g->silent = true;
	return error_set(e, -ETIMEDOUT,
			 "gnuplot did not come to an end in %u s and was stopped "
			 "(--gnuplot-timeout gives it more)",
			 g->patience_s);
}

int gnuplot_probe(struct gnuplot *g, struct error *e)
{
	static char *const argv[] = { "gnuplot", "-d", "-e", "set terminal", NULL };
	char *list = malloc(ANSWER_BYTES);
	int status;

	if (!list)
		return error_set(e, -ENOMEM, "out of memory");
	status = run(g, argv, -1, list, ANSWER_BYTES, e);
	g->found = status >= 0 && status != NOT_FOUND;
	g->svg = g->found && has_terminal(list, "svg");
	g->dumb = g->found && has_terminal(list, "dumb");
	if (g->found && has_terminal(list, "pngcairo"))
		strcpy(g->bitmap, "pngcairo");
	else if (g->found && has_terminal(list, "png"))
		strcpy(g->bitmap, "png");
	/* A program that lists nothing is given the chance to fail where it can be seen. */
	if (g->found && !g->svg && !g->dumb && !g->bitmap[0]) {
		g->svg = true;
		strcpy(g->bitmap, "png");
	}
	free(list);
	if (status == NOT_ENDED)
		return took_too_long(g, e);
	return status == NOT_STARTED ? -EAGAIN : 0;
}

static const char *const endings[] = { "svg", "png", "txt" };

/* The terminal command and the name of the picture, as gnuplot statements. */
static void picture_statements(const struct gnuplot *g, const struct plot *p, enum picture picture,
			       char *out, size_t size)
{
	unsigned int height = plot_height(p);
	char terminal[160];

	if (picture == PICTURE_SVG)
		snprintf(terminal, sizeof(terminal),
			 "svg size 900,%u font 'sans-serif,14' background '#ffffff'", height);
	else if (picture == PICTURE_BITMAP)
		snprintf(terminal, sizeof(terminal), "%s size 900,%u font 'sans,11'", g->bitmap,
			 height);
	else
		snprintf(terminal, sizeof(terminal), "dumb size 100,%u", height / 16);
	snprintf(out, size, "set terminal %s; output_file='%s.%s'", terminal, p->name,
		 endings[picture]);
}

static void last_line(const char *answer, char *out, size_t size)
{
	size_t end = strlen(answer), start;

	while (end && strchr(" \t\r\n", answer[end - 1]))
		end--;
	start = end;
	while (start && answer[start - 1] != '\n')
		start--;
	escape_text(answer + start, end - start, out, size);
}

int gnuplot_draw(struct gnuplot *g, const struct plot *p, int dirfd, enum picture picture,
		 struct error *e)
{
	char statements[320], script[64], file[64], said[200];
	char *argv[] = { "gnuplot", "-d", "-e", statements, script, NULL };
	char *answer = malloc(ANSWER_BYTES);
	struct stat st;
	int status;

	if (!answer)
		return error_set(e, -ENOMEM, "out of memory");
	picture_statements(g, p, picture, statements, sizeof(statements));
	snprintf(script, sizeof(script), "%s.gp", p->name);
	snprintf(file, sizeof(file), "%s.%s", p->name, endings[picture]);
	/* A picture of an earlier run must not pass for this one's. */
	unlinkat(dirfd, file, 0);
	status = run(g, argv, dirfd, answer, ANSWER_BYTES, e);
	last_line(answer, said, sizeof(said));
	free(answer);
	if (status == NOT_STARTED)
		return -EAGAIN;
	if (status == NOT_ENDED)
		return took_too_long(g, e);
	if (status)
		return error_set(e, -EIO, "gnuplot failed on %s%s%s", script, said[0] ? ": " : "",
				 said);
	if (fstatat(dirfd, file, &st, 0) || !st.st_size)
		return error_set(e, -ENODATA, "gnuplot wrote no file: %s is missing", file);
	return 0;
}
