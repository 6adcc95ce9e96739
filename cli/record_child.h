/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_CLI_RECORD_CHILD_H
#define SWAPTRACE_CLI_RECORD_CHILD_H

#include <stdbool.h>
#include <sys/types.h>

#include "cli/caller.h"
#include "common/error.h"

/*
 * The command behind "--": started early, let go when the programs are attached. It runs as the
 * user who called sudo, with that user's environment (cli/caller.h), unless it is to run as root.
 */
struct record_child {
	pid_t pid; /* 0: none */
	int go;	   /* pipe; one byte lets it run */
	bool ended;
	int status; /* exit status as a shell would say it, 128 + signal included */
};

/**
 * record_child_prepare - fork; the child waits for record_child_start()
 * @user: whose identity the child takes before it runs @argv; CALLER_SELF: it keeps ours
 */
int record_child_prepare(struct record_child *c, char *const *argv, const struct caller *user,
			 struct error *e);

/** record_child_start - let it run */
void record_child_start(struct record_child *c);

/** record_child_poll - whether it has ended; never waits */
bool record_child_poll(struct record_child *c);

/** record_child_stop - end a child that has not been started, or forward @sig to one that runs */
void record_child_stop(struct record_child *c, int sig);

/**
 * record_child_end - wait until a child that was told to stop is gone
 * @patience_ms: after which it is killed
 * Returns whether it had to be killed.
 */
bool record_child_end(struct record_child *c, unsigned int patience_ms);

#endif
