/* Writing a model: frames are compressed by as many threads as there are processors, then put down in order, so
 * that the bytes do not depend on the threads. */
#define _XOPEN_SOURCE 700 /* realpath */

#include "tinfo/tinfo_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "base/error.h"
#include "base/strbuf.h"

enum { THREADS_MAX = 16, LEVEL = 9 };

struct frame {
	const struct coding *coding;
	const unsigned char *content;
	size_t length;
	unsigned char *stored; /* malloc'd */
	size_t stored_length;
	uint64_t hash;
};

struct job {
	struct coding codings[TABLE_COUNT];
	struct frame *frames;
	size_t count;
	atomic_size_t next;
	atomic_bool failed;
};

static bool frame_compress(ZSTD_CCtx *cctx, struct frame *frame, unsigned char *coded, unsigned char *buffer, size_t size)
{
	size_t coded_length = codec_encode(frame->coding, frame->content, frame->length, coded);
	size_t length = ZSTD_compressCCtx(cctx, buffer, size, coded, coded_length, LEVEL);
	if (ZSTD_isError(length))
		return false;
	frame->stored = malloc(length);
	if (frame->stored == NULL)
		return false;
	memcpy(frame->stored, buffer, length);
	frame->stored_length = length;
	frame->hash = tinfo_hash(buffer, length);
	return true;
}

static void *job_work(void *context)
{
	struct job *job = context;
	size_t size = ZSTD_compressBound(codec_bound(FRAME_CONTENT));
	unsigned char *coded = malloc(codec_bound(FRAME_CONTENT)), *buffer = malloc(size);
	ZSTD_CCtx *cctx = ZSTD_createCCtx();
	bool good = coded != NULL && buffer != NULL && cctx != NULL;
	while (good && !atomic_load(&job->failed)) {
		size_t i = atomic_fetch_add(&job->next, 1);
		if (i >= job->count)
			break;
		good = frame_compress(cctx, &job->frames[i], coded, buffer, size);
	}
	if (!good)
		atomic_store(&job->failed, true);
	ZSTD_freeCCtx(cctx);
	free(coded);
	free(buffer);
	return NULL;
}

/* Compresses all frames. A thread that cannot be started is done without. */
static struct error *job_run(struct job *job)
{
	pthread_t threads[THREADS_MAX];
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	size_t wanted = processors < 1 ? 1 : processors > THREADS_MAX ? THREADS_MAX : (size_t)processors;
	size_t started = 0;
	while (started + 1 < wanted && started + 1 < job->count &&
	       pthread_create(&threads[started], NULL, job_work, job) == 0)
		started++;
	job_work(job);
	while (started != 0)
		pthread_join(threads[--started], NULL);
	return atomic_load(&job->failed) ? error_memory() : NULL;
}

/* How we write a section, whatever it was read from. */
static struct coding coding_of(const struct tinfo *ti, int table)
{
	uint32_t stride = ti->sections[table].coding.stride;
	if (table == TABLE_STRINGS)
		return (struct coding){ ENCODING_TEXTS, stride, 0 };
	return (struct coding){ stride % 4 == 0 ? ENCODING_RECORDS : ENCODING_PLAIN, stride, TABLE_SHAPES[table].differences };
}

/* Content bytes of a frame: whole records. */
static size_t frame_size_of(const struct section *section)
{
	return FRAME_CONTENT / section->coding.stride * section->coding.stride;
}

static size_t frame_count_of(const struct section *section)
{
	size_t size = section->present ? frame_size_of(section) : 1;
	return section->present ? (size_t)((section->size + size - 1) / size) : 0;
}

static struct error *frames_make(struct tinfo *ti, struct job *job)
{
	for (int table = 0; table < TABLE_COUNT; table++) {
		if (!section_inflate_all(ti, (enum tinfo_table)table))
			return error_new(ERROR_DATA, "%s", tinfo_fault(ti));
		job->count += frame_count_of(&ti->sections[table]);
	}
	job->frames = calloc(job->count + 1, sizeof *job->frames);
	if (job->frames == NULL)
		return error_memory();
	size_t at = 0;
	for (int table = 0; table < TABLE_COUNT; table++) {
		const struct section *section = &ti->sections[table];
		job->codings[table] = coding_of(ti, table);
		for (size_t i = 0, count = frame_count_of(section); i < count; i++) {
			size_t size = frame_size_of(section);
			uint64_t start = (uint64_t)i * size, left = section->size - start;
			job->frames[at++] = (struct frame){
				.coding = &job->codings[table],
				.content = section->data + start,
				.length = left < size ? (size_t)left : size,
			};
		}
	}
	return job_run(job);
}

static void add_uint(struct strbuf *sb, uint64_t value, size_t width)
{
	unsigned char bytes[8];
	store_uint(bytes, value, width);
	strbuf_add(sb, bytes, width);
}

/* Header, directory and frame tables: all of the file that is not frames. */
static void front_make(const struct tinfo *ti, const struct job *job, struct strbuf *out)
{
	struct strbuf directory = STRBUF_INIT, tables = STRBUF_INIT;
	size_t sections = 0;
	for (int table = 0; table < TABLE_COUNT; table++)
		sections += ti->sections[table].present;
	uint64_t tables_at = HEADER_SIZE + sections * ENTRY_SIZE;
	uint64_t at = tables_at + job->count * FRAME_ENTRY_SIZE;
	const struct frame *frame = job->frames;
	for (int table = 0; table < TABLE_COUNT; table++) {
		const struct section *section = &ti->sections[table];
		if (!section->present)
			continue;
		size_t count = frame_count_of(section), before = tables.length;
		uint64_t stored = 0;
		for (size_t i = 0; i < count; i++, frame++) {
			add_uint(&tables, frame->stored_length, 4);
			add_uint(&tables, frame->hash, 8);
			stored += frame->stored_length;
		}
		add_uint(&directory, (uint64_t)table, 4);
		add_uint(&directory, section->coding.stride, 4);
		add_uint(&directory, section->count, 8);
		add_uint(&directory, section->size, 8);
		add_uint(&directory, frame_size_of(section), 4);
		add_uint(&directory, count, 4);
		add_uint(&directory, tables_at + before, 8);
		add_uint(&directory, tinfo_hash(tables.text + before, tables.length - before), 8);
		add_uint(&directory, at, 8);
		add_uint(&directory, stored, 8);
		add_uint(&directory, job->codings[table].encoding, 4);
		add_uint(&directory, job->codings[table].differences, 4);
		at += stored;
	}
	strbuf_add(out, TINFO_MAGIC, 8);
	add_uint(out, TINFO_MAJOR, 2);
	add_uint(out, TINFO_MINOR, 2);
	add_uint(out, ENTRY_SIZE, 2);
	add_uint(out, sections, 2);
	add_uint(out, at, 8);
	add_uint(out, tinfo_hash(directory.text, directory.length), 8);
	add_uint(out, HEADER_SIZE, 8);
	add_uint(out, tinfo_hash(out->text, out->length), 8);
	strbuf_add(out, directory.text, directory.length);
	strbuf_add(out, tables.text, tables.length);
	strbuf_release(&directory);
	strbuf_release(&tables);
}

/* Puts everything down and closes the file. */
static struct error *file_put(FILE *file, const char *path, const struct strbuf *front, const struct job *job)
{
	bool good = fwrite(front->text, 1, front->length, file) == front->length;
	for (size_t i = 0; good && i < job->count; i++)
		good = fwrite(job->frames[i].stored, 1, job->frames[i].stored_length, file) == job->frames[i].stored_length;
	int number = good ? 0 : errno;
	if (fclose(file) != 0 && number == 0)
		number = errno; /* ENOSPC often shows only here */
	return number == 0 ? NULL : error_errno(number, "%s: writing it", path);
}

char *tinfo_temporary(const char *path)
{
	/* Through a link the file it stands for is replaced, not the link. */
	struct stat st;
	char *real = lstat(path, &st) == 0 && S_ISLNK(st.st_mode) ? realpath(path, NULL) : NULL;
	const char *base = real != NULL ? real : path;
	size_t size = strlen(base) + 32;
	char *temporary = malloc(size);
	if (temporary != NULL)
		snprintf(temporary, size, "%s.tmp.%ld", base, (long)getpid());
	free(real);
	return temporary;
}

/* Never follows what somebody else has put at the temporary name; our own, of an earlier process, goes. */
static FILE *temporary_open(const char *temporary)
{
	int flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC;
	int fd = open(temporary, flags, 0666);
	if (fd < 0 && errno == EEXIST && unlink(temporary) == 0)
		fd = open(temporary, flags, 0666);
	if (fd < 0)
		return NULL;
	FILE *file = fdopen(fd, "wb");
	if (file == NULL)
		close(fd);
	return file;
}

static struct error *file_replace(const char *path, const struct strbuf *front, const struct job *job)
{
	char *temporary = tinfo_temporary(path);
	if (temporary == NULL)
		return error_memory();
	FILE *file = temporary_open(temporary);
	struct error *err = file == NULL ? error_errno(errno, "%s", path) : file_put(file, path, front, job);
	char *suffix = strrchr(temporary, '.'); /* ".PID", and ".tmp" before it */
	char *target = strndup(temporary, (size_t)(suffix - temporary) - 4);
	if (err == NULL && target == NULL)
		err = error_memory();
	if (err == NULL && rename(temporary, target) != 0)
		err = error_errno(errno, "%s", path);
	if (err != NULL && file != NULL)
		unlink(temporary);
	free(target);
	free(temporary);
	return err;
}

static struct error *file_write(const char *path, const struct strbuf *front, const struct job *job)
{
	struct stat st;
	if (stat(path, &st) != 0)
		return file_replace(path, front, job);
	if (S_ISDIR(st.st_mode))
		return error_new(ERROR_IO, "%s: is a directory", path);
	if (access(path, W_OK) != 0)
		return error_errno(errno, "%s", path);
	if (S_ISREG(st.st_mode))
		return file_replace(path, front, job);
	/* A device or a pipe is written to; a file in its place is nothing that anybody wants. */
	FILE *file = fopen(path, "wb");
	return file == NULL ? error_errno(errno, "%s", path) : file_put(file, path, front, job);
}

struct error *tinfo_write(struct tinfo *ti, const char *path)
{
	struct job job = { 0 };
	struct strbuf front = STRBUF_INIT;
	atomic_init(&job.next, 0);
	atomic_init(&job.failed, false);
	struct error *err = frames_make(ti, &job);
	if (err == NULL) {
		front_make(ti, &job, &front);
		err = file_write(path, &front, &job);
	}
	for (size_t i = 0; job.frames != NULL && i < job.count; i++)
		free(job.frames[i].stored);
	free(job.frames);
	strbuf_release(&front);
	return err;
}
