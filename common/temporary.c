// SPDX-License-Identifier: GPL-2.0
#include "common/temporary.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#define TEMPORARIES_MAX 16
/* The rest of the name is ".swaptrace-", 16 digits and ".tmp". */
#define NAME_KEPT (NAME_MAX - 31)
#define TRIES 100

/* Signals that end a program that does not expect them, and that a user or a limit may send. */
static const int deadly[] = { SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGALRM, SIGTERM, SIGXCPU };
#define DEADLY (sizeof(deadly) / sizeof(deadly[0]))

/* A handler may look at any time: @state is written last when a slot is filled, first when not. */
enum { SLOT_FREE, SLOT_TAKEN, SLOT_VALID };

static struct temporary {
	atomic_int state;
	pid_t owner; /* a child that was forked must not remove what its parent writes */
	int dir;
	char name[NAME_MAX + 1];
	const char *const *contents; /* of a folder; NULL: it is a file */
	int folder;
} temporaries[TEMPORARIES_MAX];

_Static_assert(ATOMIC_INT_LOCK_FREE == 2, "a signal handler reads it");

/* Only functions that are safe in a signal handler. */
static void unlink_slot(const struct temporary *t)
{
	if (t->owner != getpid())
		return;
	if (!t->contents) {
		unlinkat(t->dir, t->name, 0);
		return;
	}
	for (const char *const *file = t->contents; *file; file++)
		unlinkat(t->folder, *file, 0);
	unlinkat(t->dir, t->name, AT_REMOVEDIR);
}

static void on_deadly_signal(int sig)
{
	for (int i = 0; i < TEMPORARIES_MAX; i++)
		if (atomic_load(&temporaries[i].state) == SLOT_VALID)
			unlink_slot(&temporaries[i]);
	/* SA_RESETHAND has put the default back. */
	raise(sig);
}

static void on_size_limit(int sig)
{
	(void)sig;
}

static void catch_signal(int sig, void (*handler)(int), int flags)
{
	struct sigaction sa = { .sa_handler = handler, .sa_flags = flags }, before;

	if (!sigaction(sig, NULL, &before) && before.sa_handler == SIG_DFL)
		sigaction(sig, &sa, NULL);
}

void temporaries_catch_signals(void)
{
	for (size_t i = 0; i < DEADLY; i++)
		catch_signal(deadly[i], on_deadly_signal, SA_RESETHAND | SA_NODEFER);
	catch_signal(SIGXFSZ, on_size_limit, SA_RESTART);
}

void temporaries_hold_signals(sigset_t *held)
{
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < DEADLY; i++)
		sigaddset(&set, deadly[i]);
	pthread_sigmask(SIG_BLOCK, &set, held);
}

void temporaries_release_signals(const sigset_t *held)
{
	pthread_sigmask(SIG_SETMASK, held, NULL);
}

static int take_slot(void)
{
	for (int i = 0; i < TEMPORARIES_MAX; i++) {
		int expected = SLOT_FREE;

		if (atomic_compare_exchange_strong(&temporaries[i].state, &expected, SLOT_TAKEN))
			return i;
	}
	return -EMFILE;
}

static int name_it(struct temporary *t, const char *name)
{
	uint64_t number;

	if (getrandom(&number, sizeof(number), 0) != (ssize_t)sizeof(number))
		return -errno;
	snprintf(t->name, sizeof(t->name), "%.*s.swaptrace-%016llx.tmp", NAME_KEPT, name,
		 (unsigned long long)number);
	return 0;
}

static int make_file(const struct temporary *t, mode_t mode)
{
	int fd =
		openat(t->dir, t->name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);

	return fd < 0 ? -errno : fd;
}

static int make_folder(const struct temporary *t)
{
	int fd;

	if (mkdirat(t->dir, t->name, 0777))
		return -errno;
	fd = openat(t->dir, t->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0) {
		fd = -errno;
		unlinkat(t->dir, t->name, AT_REMOVEDIR);
	}
	return fd;
}

static int make(int dir, const char *name, mode_t mode, const char *const *contents, int *slot)
{
	int i = take_slot(), fd = -EEXIST;
	struct temporary *t = &temporaries[i < 0 ? 0 : i];
	sigset_t held;

	if (i < 0)
		return i;
	t->owner = getpid();
	t->dir = dir;
	t->contents = contents;
	/* No signal between the making and the remembering. */
	temporaries_hold_signals(&held);
	for (int tries = 0; fd == -EEXIST && tries < TRIES; tries++) {
		fd = name_it(t, name);
		if (!fd)
			fd = contents ? make_folder(t) : make_file(t, mode);
	}
	t->folder = fd;
	atomic_store(&t->state, fd < 0 ? SLOT_FREE : SLOT_VALID);
	temporaries_release_signals(&held);
	*slot = i;
	return fd;
}

int temporary_file(int dir, const char *name, mode_t mode, int *slot)
{
	return make(dir, name, mode, NULL, slot);
}

int temporary_folder(int dir, const char *name, const char *const *contents, int *slot)
{
	return make(dir, name, 0, contents, slot);
}

/* Made and unlinked between two signals. */
static int make_and_unlink(const char *dir, const char *name)
{
	char path[PATH_MAX];
	sigset_t held;
	int fd;

	if ((size_t)snprintf(path, sizeof(path), "%s/%s-XXXXXX", dir, name) >= sizeof(path))
		return -ENAMETOOLONG;
	temporaries_hold_signals(&held);
	fd = mkostemp(path, O_CLOEXEC);
	if (fd < 0)
		fd = -errno;
	else
		unlink(path);
	temporaries_release_signals(&held);
	return fd;
}

int temporary_unnamed(const char *dir, const char *name)
{
	int fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	return fd < 0 ? make_and_unlink(dir, name) : fd;
}

const char *temporary_name(int slot)
{
	return temporaries[slot].name;
}

void temporary_done(int slot)
{
	atomic_store(&temporaries[slot].state, SLOT_FREE);
}

void temporary_remove(int slot)
{
	unlink_slot(&temporaries[slot]);
	temporary_done(slot);
}
