// SPDX-License-Identifier: GPL-2.0
#include "doctor/probe.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/loop.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The swap header: version 1, after 1 KiB that is left to boot blocks; the signature ends the page.
 */
#define SIGNATURE "SWAPSPACE2"
#define SIGNATURE_LEN 10
#define HEADER_VERSION_AT 1024
#define HEADER_LAST_PAGE_AT 1028

#define LOOP_TRIES 10
/* Where file systems, volume managers and RAID keep their signatures: both ends of a device. */
#define BLANK_BYTES (1u << 20)

static void make_header(unsigned char *page, size_t page_size, uint64_t slots)
{
	uint32_t version = 1, last = (uint32_t)(slots - 1);

	memset(page, 0, page_size);
	memcpy(page + HEADER_VERSION_AT, &version, sizeof(version));
	memcpy(page + HEADER_LAST_PAGE_AT, &last, sizeof(last));
	memcpy(page + page_size - SIGNATURE_LEN, SIGNATURE, SIGNATURE_LEN);
}

/* ---- a loop device over memory ---- */

/*
 * The file's pages are locked: they must not go out to the very device that they are, nor be taken
 * from the child's cgroup.
 */
static int make_file(struct probe_device *d, struct error *e)
{
	d->file = (int)syscall(SYS_memfd_create, "swaptrace-probe", MFD_CLOEXEC);
	if (d->file < 0 || ftruncate(d->file, (off_t)d->bytes))
		return error_errno(e, -errno, "a file of %llu MB in memory cannot be made",
				   (unsigned long long)(d->bytes >> 20));
	d->memory = mmap(NULL, d->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, d->file, 0);
	if (d->memory == MAP_FAILED) {
		d->memory = NULL;
		return error_errno(e, -errno, "the probe's swap area cannot be mapped");
	}
	if (mlock(d->memory, d->bytes))
		return error_errno(e, -errno,
				   "%llu MB cannot be locked in memory; choose a smaller --size",
				   (unsigned long long)(d->bytes >> 20));
	make_header(d->memory, (size_t)sysconf(_SC_PAGESIZE), d->slots);
	return 0;
}

/* With AUTOCLEAR the device lets go of the file when swap and this program do. */
static int attach_loop(struct probe_device *d)
{
	struct loop_info64 info = { .lo_flags = LO_FLAGS_AUTOCLEAR };

	if (ioctl(d->loop, LOOP_SET_FD, d->file))
		return -errno;
	strcpy((char *)info.lo_file_name, "swaptrace-probe");
	if (ioctl(d->loop, LOOP_SET_STATUS64, &info)) {
		int err = -errno;

		ioctl(d->loop, LOOP_CLR_FD);
		return err;
	}
	return 0;
}

static int open_loop(struct probe_device *d, int control)
{
	int number = ioctl(control, LOOP_CTL_GET_FREE), ret;

	if (number < 0)
		return -errno;
	snprintf(d->path, sizeof(d->path), "/dev/loop%d", number);
	d->loop = open(d->path, O_RDWR | O_CLOEXEC);
	if (d->loop < 0)
		return -errno;
	ret = attach_loop(d);
	if (ret) {
		close(d->loop);
		d->loop = -1;
	}
	return ret;
}

int probe_device_make(struct probe_device *d, uint64_t bytes, struct error *e)
{
	int control, ret;

	*d = (struct probe_device){ .loop = -1, .file = -1, .bytes = bytes };
	d->slots = bytes / (uint64_t)sysconf(_SC_PAGESIZE);
	ret = make_file(d, e);
	if (ret)
		return ret;
	control = open("/dev/loop-control", O_RDWR | O_CLOEXEC);
	if (control < 0)
		return error_errno(e, -EPERM,
				   "/dev/loop-control cannot be opened (no loop devices? try "
				   "'modprobe loop', or give a swap device with --device)");
	ret = -EBUSY;
	/* Somebody else may take the free one first. */
	for (int i = 0; ret == -EBUSY && i < LOOP_TRIES; i++)
		ret = open_loop(d, control);
	close(control);
	if (ret)
		return error_errno(e, ret,
				   "a loop device cannot be had; give a swap device with --device");
	return 0;
}

/* ---- a device of the user's ---- */

static bool all_zero(const unsigned char *p, size_t n)
{
	return !n || (!p[0] && !memcmp(p, p + 1, n - 1));
}

static int is_blank(int fd, uint64_t bytes, const char *path, struct error *e)
{
	size_t n = bytes < BLANK_BYTES ? (size_t)bytes : BLANK_BYTES;
	unsigned char *buffer = malloc(n);
	bool zero = buffer && pread(fd, buffer, n, 0) == (ssize_t)n && all_zero(buffer, n) &&
		    pread(fd, buffer, n, (off_t)(bytes - n)) == (ssize_t)n && all_zero(buffer, n);

	free(buffer);
	if (zero)
		return 0;
	return error_set(
		e, -EEXIST,
		"%s: holds something that is not a swap area, and would lose it; make it one "
		"with mkswap first, or leave --device out",
		path);
}

static int write_header(struct probe_device *d, int fd, struct error *e)
{
	size_t page_size = (size_t)sysconf(_SC_PAGESIZE);
	unsigned char *page = malloc(page_size);
	bool ok;

	if (!page)
		return error_set(e, -ENOMEM, "out of memory");
	make_header(page, page_size, d->slots);
	ok = pwrite(fd, page, page_size, 0) == (ssize_t)page_size && !fsync(fd);
	free(page);
	return ok ? 0 : error_output(e, "%s: no swap header could be written", d->path);
}

/* Slots that the header of an existing swap area speaks of; 0 for no swap area. */
static uint64_t header_slots(int fd)
{
	size_t page_size = (size_t)sysconf(_SC_PAGESIZE);
	unsigned char *page = malloc(page_size);
	uint32_t last = 0;

	if (page && pread(fd, page, page_size, 0) == (ssize_t)page_size &&
	    !memcmp(page + page_size - SIGNATURE_LEN, SIGNATURE, SIGNATURE_LEN))
		memcpy(&last, page + HEADER_LAST_PAGE_AT, sizeof(last));
	free(page);
	return last ? (uint64_t)last + 1 : 0;
}

static int take_open(struct probe_device *d, int fd, struct error *e)
{
	uint64_t page_size = (uint64_t)sysconf(_SC_PAGESIZE), slots;
	int ret;

	if (ioctl(fd, BLKGETSIZE64, &d->bytes))
		return error_errno(e, -errno, "%s: has no size", d->path);
	slots = d->bytes / page_size;
	d->slots = slots < UINT32_MAX ? slots : UINT32_MAX;
	if (d->bytes < BLANK_BYTES)
		return error_set(e, -ENOSPC, "%s: smaller than 1 MB", d->path);
	slots = header_slots(fd);
	if (slots) {
		if (slots < d->slots)
			d->slots = slots;
		return 0;
	}
	ret = is_blank(fd, d->bytes, d->path, e);
	return ret ? ret : write_header(d, fd, e);
}

int probe_device_take(struct probe_device *d, const char *path, struct error *e)
{
	struct stat st;
	int fd, ret;

	*d = (struct probe_device){ .loop = -1, .file = -1 };
	if (strlen(path) >= sizeof(d->path))
		return error_set(e, -ENAMETOOLONG, "%s: the name is too long", path);
	strcpy(d->path, path);
	if (stat(path, &st))
		return error_errno(e, -errno, "%s: cannot be looked at", path);
	if (!S_ISBLK(st.st_mode))
		return error_set(e, -ENOTBLK, "%s: is not a block device", path);
	/* O_EXCL is refused while anything holds the device: a mount, swap, RAID, a mapping. */
	fd = open(path, O_RDWR | O_EXCL | O_CLOEXEC);
	if (fd < 0)
		return error_errno(e, -errno, "%s: cannot be had for the probe alone", path);
	ret = take_open(d, fd, e);
	close(fd);
	return ret;
}

void probe_device_close(struct probe_device *d)
{
	if (d->loop >= 0)
		close(d->loop);
	if (d->memory)
		munmap(d->memory, d->bytes);
	if (d->file >= 0)
		close(d->file);
	*d = (struct probe_device){ .loop = -1, .file = -1 };
}
