/* elf_inflate.c - sections by name, inflated when they are compressed. libelf is not used: version 0.188 does not
 * know zstd, and it copies. Forms: SHF_COMPRESSED with an Elf64_Chdr (System V gABI, "Section Compression"; type 1
 * zlib, 2 zstd) and GNU's older .zdebug_* ("ZLIB", a big-endian size, a zlib stream). */
#include <elf.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "base/cursor.h"
#include "base/error.h"
#include "elf/elf_internal.h"

enum { CHDR_SIZE = 24, ZDEBUG_HEADER_SIZE = 12, COMPRESS_ZLIB = 1, COMPRESS_ZSTD = 2 };

static const uint64_t INFLATED_MAX = (uint64_t)16 << 30;

struct packed { /* a compressed section, header taken off */
	uint32_t type;
	uint64_t size; /* what its header says it inflates to */
	const unsigned char *bytes;
	size_t length;
};

bool elf_inflated_prepare(struct elf_file *elf, size_t index)
{
	const struct elf_section *s = &elf->sections[index];
	bool old = strncmp(s->name, ".zdebug_", 8) == 0;
	if (s->data == NULL || (!old && (s->flags & SHF_COMPRESSED) == 0))
		return true;
	struct elf_inflated *inflated = calloc(1, sizeof *inflated);
	if (inflated == NULL)
		return false;
	size_t name_size = strlen(s->name) + 1;
	inflated->name = malloc(name_size);
	if (inflated->name == NULL || pthread_mutex_init(&inflated->lock, NULL) != 0) {
		free(inflated->name);
		free(inflated);
		return false;
	}
	if (old)
		snprintf(inflated->name, name_size, ".%s", s->name + 2);
	else
		memcpy(inflated->name, s->name, name_size);
	elf->extras[index].inflated = inflated;
	return true;
}

void elf_inflated_free(struct elf_inflated *inflated)
{
	if (inflated == NULL)
		return;
	pthread_mutex_destroy(&inflated->lock);
	free(inflated->memory);
	free(inflated->name);
	free(inflated);
}

static struct error *packed_read(struct packed *out, const struct elf_section *s)
{
	struct cursor c = cursor_over(s->data, (size_t)s->size);
	if ((s->flags & SHF_COMPRESSED) != 0) {
		out->type = cursor_u32(&c);
		(void)cursor_u32(&c); /* ch_reserved */
		out->size = cursor_u64(&c);
		(void)cursor_u64(&c); /* ch_addralign */
	} else {
		const char *magic = cursor_bytes(&c, 4);
		if (magic != NULL && memcmp(magic, "ZLIB", 4) != 0)
			return error_new(ERROR_DATA, "no ZLIB at its start");
		out->type = COMPRESS_ZLIB;
		out->size = 0;
		for (int i = 0; i < 8; i++)
			out->size = out->size << 8 | cursor_u8(&c);
	}
	if (c.bad)
		return error_new(ERROR_TRUNCATED, "its compression header is cut");
	if (out->type != COMPRESS_ZLIB && out->type != COMPRESS_ZSTD)
		return error_new(ERROR_UNSUPPORTED, "compression type %" PRIu32 "; zlib (1) and zstd (2) are read", out->type);
	if (out->size > INFLATED_MAX || out->size > SIZE_MAX)
		return error_new(ERROR_DATA, "claims to inflate to %" PRIu64 " bytes; the limit is %" PRIu64, out->size,
		                 INFLATED_MAX);
	out->bytes = c.at;
	out->length = cursor_left(&c);
	return NULL;
}

static uInt zlib_piece(size_t left)
{
	return left < UINT_MAX / 2 ? (uInt)left : UINT_MAX / 2;
}

/* avail_in and avail_out are 32 bits, so both sides go in pieces. A linker that joined sections of object files
 * leaves several zlib streams one after another. */
static struct error *zlib_inflate(const struct packed *packed, unsigned char *out, size_t *produced)
{
	z_stream z;
	memset(&z, 0, sizeof z);
	if (inflateInit(&z) != Z_OK)
		return error_memory();
	size_t in_at = 0, out_at = 0;
	int status = Z_OK;
	while (status == Z_OK && in_at < packed->length) {
		uInt in = zlib_piece(packed->length - in_at), room = zlib_piece((size_t)packed->size - out_at);
		z.next_in = (Bytef *)(uintptr_t)(packed->bytes + in_at); /* older zlib.h lack the const */
		z.avail_in = in;
		z.next_out = out + out_at;
		z.avail_out = room;
		status = inflate(&z, Z_NO_FLUSH);
		in_at += in - z.avail_in;
		out_at += room - z.avail_out;
		if (status == Z_STREAM_END && in_at < packed->length && out_at < packed->size)
			status = inflateReset(&z);
	}
	*produced = out_at;
	struct error *err = NULL;
	if (status == Z_MEM_ERROR)
		err = error_memory();
	else if (status == Z_DATA_ERROR || status == Z_NEED_DICT || status == Z_STREAM_ERROR)
		err = error_new(ERROR_DATA, "zlib: %s", z.msg != NULL ? z.msg : "bad stream");
	else if (status != Z_STREAM_END && out_at == packed->size)
		err = error_new(ERROR_DATA, "does not end after the %" PRIu64 " bytes of its header", packed->size);
	inflateEnd(&z);
	return err;
}

/* In one call: it takes several frames, never writes past the room that the header promised, and needs no window
 * buffer, so that sections made with a huge window are read as well. */
static struct error *zstd_inflate(const struct packed *packed, unsigned char *out, size_t *produced)
{
	size_t result = ZSTD_decompress(out, (size_t)packed->size, packed->bytes, packed->length);
	if (ZSTD_isError(result))
		return error_new(ERROR_DATA, "zstd: %s", ZSTD_getErrorName(result));
	*produced = result;
	return NULL;
}

static struct error *inflate_section(struct elf_inflated *inflated, const struct elf_section *raw)
{
	struct packed packed = { 0, 0, NULL, 0 };
	struct error *err = packed_read(&packed, raw);
	if (err != NULL)
		return err;
	/* A false size costs address space only: pages that nothing is written to are never made. */
	unsigned char *memory = malloc(packed.size != 0 ? (size_t)packed.size : 1);
	if (memory == NULL)
		return error_memory();
	size_t produced = 0;
	err = packed.type == COMPRESS_ZLIB ? zlib_inflate(&packed, memory, &produced)
	                                   : zstd_inflate(&packed, memory, &produced);
	if (err == NULL && produced != packed.size)
		err = error_new(ERROR_TRUNCATED, "inflates to %zu bytes instead of %" PRIu64, produced, packed.size);
	if (err != NULL) {
		free(memory);
		return err;
	}
	inflated->memory = memory;
	inflated->section = *raw;
	inflated->section.name = inflated->name;
	inflated->section.data = packed.size != 0 ? memory : NULL;
	inflated->section.size = packed.size;
	inflated->section.flags = raw->flags & ~(uint64_t)SHF_COMPRESSED;
	inflated->done = true;
	return NULL;
}

/* The section of this name, else the .zdebug_ twin of a .debug_ one. */
static bool section_find(const struct elf_file *elf, const char *name, size_t *index)
{
	bool debug = strncmp(name, ".debug_", 7) == 0, twin = false;
	for (size_t i = 0; i < elf->section_count; i++) {
		const char *other = elf->sections[i].name;
		if (elf->sections[i].type == SHT_NULL)
			continue;
		if (strcmp(other, name) == 0) {
			*index = i;
			return true;
		}
		if (debug && !twin && strncmp(other, ".zdebug_", 8) == 0 && strcmp(other + 2, name + 1) == 0) {
			*index = i;
			twin = true;
		}
	}
	return twin;
}

struct error *elf_section(struct elf_file *elf, const char *name, const struct elf_section **out)
{
	size_t index;
	*out = NULL;
	if (!section_find(elf, name, &index))
		return NULL;
	const struct elf_section_extra *extra = &elf->extras[index];
	if (extra->cut)
		return error_new(ERROR_TRUNCATED, "%s: section %s of %" PRIu64 " bytes passes the end of the file", elf->path,
		                 name, extra->promised);
	struct elf_inflated *inflated = extra->inflated;
	if (inflated == NULL) {
		*out = &elf->sections[index];
		return NULL;
	}
	pthread_mutex_lock(&inflated->lock);
	struct error *err = inflated->done ? NULL : inflate_section(inflated, &elf->sections[index]);
	pthread_mutex_unlock(&inflated->lock);
	if (err != NULL)
		return error_wrap(err, "%s: section %s", elf->path, name);
	*out = &inflated->section;
	return NULL;
}
