// SPDX-License-Identifier: GPL-2.0
#include "doctor/doctor.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Sums over CPUs that are read while they count step back by a few pages, not by more. */
#define STEP_BACK_MAX 65536u

static uint64_t *counter_of(struct doctor_counters *c, const char *name)
{
	if (!strcmp(name, "pswpin"))
		return &c->pswpin;
	if (!strcmp(name, "pswpout"))
		return &c->pswpout;
	if (!strcmp(name, "swap_ra"))
		return &c->swap_ra;
	if (!strcmp(name, "zswpin"))
		return &c->zswpin;
	if (!strcmp(name, "zswpout"))
		return &c->zswpout;
	if (!strcmp(name, "zswpwb"))
		return &c->zswpwb;
	return strcmp(name, "swap_ra_hit") ? NULL : &c->swap_ra_hit;
}

static bool take_counter(struct doctor_counters *c, const char *line)
{
	char name[64];
	uint64_t value, *to;

	if (sscanf(line, "%63s %" SCNu64, name, &value) != 2)
		return false;
	to = counter_of(c, name);
	if (to)
		*to = value;
	/* Any mixing will do: only equality of two readings is asked for. */
	c->all = (c->all ^ value) * 0x9e3779b97f4a7c15u + 1;
	return true;
}

int doctor_counters_read(struct doctor_counters *c, FILE *in, const char *name, struct error *e)
{
	char *line = NULL;
	size_t size = 0;
	unsigned int n = 0;

	*c = (struct doctor_counters){ COUNT_UNKNOWN, COUNT_UNKNOWN, COUNT_UNKNOWN, COUNT_UNKNOWN,
				       COUNT_UNKNOWN, COUNT_UNKNOWN, COUNT_UNKNOWN, 0 };
	while (getline(&line, &size, in) > 0)
		n += take_counter(c, line);
	free(line);
	if (!n)
		return error_set(e, -EBADMSG,
				 "%s: holds no counters; lines like 'pswpin 123' are expected",
				 name);
	return 0;
}

struct delta doctor_delta(uint64_t before, uint64_t after, bool bits32, bool same_boot)
{
	if (before == COUNT_UNKNOWN || after == COUNT_UNKNOWN)
		return (struct delta){ DELTA_UNKNOWN, COUNT_UNKNOWN, 0 };
	if (!same_boot)
		return (struct delta){ DELTA_RESET, after, 0 };
	if (after >= before)
		return (struct delta){ DELTA_EXACT, after - before, 0 };
	if (bits32 && before <= UINT32_MAX && before - after > UINT32_MAX / 2)
		return (struct delta){ DELTA_WRAPPED, after + (UINT64_C(1) << 32) - before, 0 };
	if (before - after <= STEP_BACK_MAX)
		return (struct delta){ DELTA_STEP_BACK, 0, before - after };
	return (struct delta){ DELTA_UNKNOWN, COUNT_UNKNOWN, before - after };
}

const char *doctor_delta_text(const struct delta *d, char *out, size_t size)
{
	struct text n = format_count(d->value);

	switch (d->kind) {
	case DELTA_EXACT:
		snprintf(out, size, "+%s", n.s);
		break;
	case DELTA_WRAPPED:
		snprintf(out, size, "+%s (wrapped, mod 2^32)", n.s);
		break;
	case DELTA_RESET:
		snprintf(out, size, "counter reset (reboot), delta unknown, at least %s", n.s);
		break;
	case DELTA_STEP_BACK:
		snprintf(out, size, "-%s, treated as 0", format_count(d->back).s);
		break;
	case DELTA_UNKNOWN:
		snprintf(out, size, "unknown");
	}
	return out;
}

bool doctor_arch_is_32bit(const char *machine)
{
	static const char *const names[] = { "arm",    "i386",	"i486",	  "i586",    "i686",
					     "mips",   "ppc",	"s390",	  "sparc",   "parisc",
					     "sh4",    "m68k",	"xtensa", "riscv32", "armv6l",
					     "armv7l", "armv8l" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(machine, names[i]))
			return true;
	return false;
}

struct text doctor_bytes(double bytes)
{
	static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB" };
	unsigned int i = 0;
	struct text t;

	for (; bytes >= 1024 && i + 1 < sizeof(units) / sizeof(units[0]); i++)
		bytes /= 1024;
	snprintf(t.s, sizeof(t.s), "%.*f %s", i ? 2 : 0, bytes, units[i]);
	return t;
}

struct drain_rate doctor_drain_rate(uint64_t before_kb, uint64_t after_kb, double seconds)
{
	struct drain_rate r = { 0, NAN };

	if (seconds > 0)
		r.kb_per_s = ((double)before_kb - (double)after_kb) / seconds;
	if (r.kb_per_s > 0)
		r.seconds_left = (double)after_kb / r.kb_per_s;
	return r;
}
