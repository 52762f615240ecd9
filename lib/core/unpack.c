#include "core/unpack.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "base/cursor.h"
#include "base/error.h"
#include "base/strbuf.h"

enum { BLOCK = 4096, CHUNK = 1 << 20 };

static const uint32_t ZSTD_MAGIC = 0xfd2fb528u, SKIPPABLE_FIRST = 0x184d2a50u, SKIPPABLE_LAST = 0x184d2a5fu;

bool core_is_compressed(const char *path)
{
	unsigned char head[4];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	ssize_t got = read(fd, head, sizeof head);
	close(fd);
	if (got != sizeof head)
		return false;
	uint32_t magic = (uint32_t)load_uint(head, 4);
	return magic == ZSTD_MAGIC || (magic >= SKIPPABLE_FIRST && magic <= SKIPPABLE_LAST);
}

struct unpacking {
	const char *path, *target;
	int in, out;
	uint64_t written, taken;
	unsigned char *source, *block; /* CHUNK bytes each */
	ZSTD_DStream *stream;
	bool in_frame;
};

static bool all_zero(const unsigned char *bytes, size_t length)
{
	return length == 0 || (bytes[0] == 0 && memcmp(bytes, bytes + 1, length - 1) == 0);
}

static struct error *put(struct unpacking *u, const unsigned char *bytes, size_t length)
{
	while (length != 0) {
		ssize_t n = pwrite(u->out, bytes, length, (off_t)u->written);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return error_errno(errno, "%s", u->target);
		bytes += n;
		u->written += (uint64_t)n;
		length -= (size_t)n;
	}
	return NULL;
}

/* Writes what is not zero; holes are left where whole blocks are. */
static struct error *put_sparse(struct unpacking *u, const unsigned char *bytes, size_t length)
{
	for (size_t at = 0; at < length;) {
		size_t step = BLOCK - (size_t)(u->written % BLOCK);
		if (step > length - at)
			step = length - at;
		if (all_zero(bytes + at, step)) {
			u->written += step;
		} else {
			struct error *err = put(u, bytes + at, step);
			if (err != NULL)
				return err;
		}
		at += step;
	}
	return NULL;
}

static struct error *unpack_chunk(struct unpacking *u, size_t length)
{
	ZSTD_inBuffer in = { u->source, length, 0 };
	for (;;) {
		ZSTD_outBuffer out = { u->block, CHUNK, 0 };
		size_t left = ZSTD_decompressStream(u->stream, &out, &in);
		if (ZSTD_isError(left))
			return error_new(ERROR_DATA, "%s: the compressed core is damaged before offset %llu: %s", u->path,
			                 (unsigned long long)(u->taken + in.pos), ZSTD_getErrorName(left));
		u->in_frame = left != 0;
		struct error *err = put_sparse(u, u->block, out.pos);
		if (err != NULL)
			return err;
		/* A full output buffer may hide more output even when all input is taken. */
		if (in.pos == in.size && out.pos < out.size)
			break;
	}
	u->taken += length;
	return NULL;
}

static struct error *unpack_all(struct unpacking *u, uint64_t total,
                                void (*progress)(void *context, const char *phase, uint64_t done, uint64_t total),
                                void *context)
{
	for (;;) {
		ssize_t got = read(u->in, u->source, CHUNK);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return error_errno(errno, "%s", u->path);
		if (got == 0)
			break;
		struct error *err = unpack_chunk(u, (size_t)got);
		if (err != NULL)
			return err;
		if (progress != NULL)
			progress(context, "unpacking the core", u->taken, total);
	}
	/* The end may be a hole: give the file its length. */
	return ftruncate(u->out, (off_t)u->written) == 0 ? NULL : error_errno(errno, "%s", u->target);
}

struct error *core_unpack(const char *path, const char *target, struct unpack_result *result,
                          void (*progress)(void *context, const char *phase, uint64_t done, uint64_t total),
                          void *context)
{
	struct unpacking u = { .path = path, .target = target, .in = -1, .out = -1 };
	struct strbuf beside = STRBUF_INIT;
	struct stat status;
	struct error *err = NULL;
	strbuf_addf(&beside, "%s.tmp.%ld", target, (long)getpid());
	u.source = malloc(CHUNK);
	u.block = malloc(CHUNK);
	u.stream = ZSTD_createDStream();
	if (u.source == NULL || u.block == NULL || u.stream == NULL)
		err = error_memory();
	else if ((u.in = open(path, O_RDONLY | O_CLOEXEC)) < 0 || fstat(u.in, &status) != 0)
		err = error_errno(errno, "%s", path);
	else if ((u.out = open(beside.text, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600)) < 0)
		err = error_errno(errno, "%s", beside.text);
	else
		err = unpack_all(&u, (uint64_t)status.st_size, progress, context);
	if (u.out >= 0 && close(u.out) != 0 && err == NULL)
		err = error_errno(errno, "%s", beside.text);
	if (err == NULL && rename(beside.text, target) != 0)
		err = error_errno(errno, "%s", target);
	if (err != NULL && u.out >= 0)
		unlink(beside.text);
	if (u.in >= 0)
		close(u.in);
	ZSTD_freeDStream(u.stream);
	free(u.source);
	free(u.block);
	strbuf_release(&beside);
	*result = (struct unpack_result){ u.written, u.in_frame };
	return err;
}
