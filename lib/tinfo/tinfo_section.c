/* Content of sections: checked, and inflated when first touched.
 *
 * A frame is handed out only after its checksum was right and it inflated to exactly the size the directory says;
 * a frame that failed stays failed. Texts end at a NUL: for every inflated frame of the strings we keep where its
 * last NUL stands, so that "this text ends inside the frame" is one comparison and not a scan. */
#include "tinfo/tinfo_internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <zstd.h>

#include "base/strbuf.h"

void tinfo_fault_set(struct tinfo *ti, enum tinfo_table table, const char *format, ...)
{
	if (ti->fault != NULL)
		return;
	va_list args;
	va_start(args, format);
	char reason[160];
	vsnprintf(reason, sizeof reason, format, args);
	va_end(args);
	struct strbuf text = STRBUF_INIT;
	if (ti->path != NULL)
		strbuf_addf(&text, "%s: ", ti->path);
	strbuf_addf(&text, "section %s: %s", TABLE_SHAPES[table].name, reason);
	ti->fault = text.text;
}

const char *tinfo_fault(const struct tinfo *ti)
{
	return ti->fault;
}

static uint64_t frame_length(const struct section *section, uint32_t frame)
{
	uint64_t start = (uint64_t)frame * section->frame_size;
	uint64_t left = section->size - start;
	return left < section->frame_size ? left : section->frame_size;
}

static const char *frame_fill(struct tinfo *ti, struct section *section, uint32_t frame)
{
	if (section->data == NULL)
		section->data = malloc((size_t)section->size);
	if (ti->dctx == NULL)
		ti->dctx = ZSTD_createDCtx();
	size_t scratch_size = codec_bound(section->frame_size);
	if (ti->scratch_size < scratch_size) {
		free(ti->scratch);
		ti->scratch = malloc(scratch_size);
		ti->scratch_size = ti->scratch == NULL ? 0 : scratch_size;
	}
	if (section->data == NULL || ti->dctx == NULL || ti->scratch == NULL)
		return "out of memory";
	uint64_t start = section->starts[frame];
	uint64_t stored = section->starts[frame + 1] - start;
	const unsigned char *from = ti->map + start;
	if (tinfo_hash(from, (size_t)stored) != get_u64(section->entries + (size_t)frame * FRAME_ENTRY_SIZE + 4))
		return "the checksum does not fit";
	size_t length = (size_t)frame_length(section, frame);
	unsigned char *to = section->data + (uint64_t)frame * section->frame_size;
	size_t got = ZSTD_decompressDCtx(ti->dctx, ti->scratch, codec_bound(length), from, (size_t)stored);
	if (ZSTD_isError(got))
		return ZSTD_getErrorName(got);
	if (!codec_decode(&section->coding, ti->scratch, got, to, length))
		return "does not decode to what the directory says";
	if (section->ends != NULL) {
		size_t end = length;
		while (end != 0 && to[end - 1] != 0)
			end--;
		section->ends[frame] = (uint32_t)end;
	}
	return NULL;
}

/* Inflates one frame; false with a fault noted. */
static bool frame_touch(struct tinfo *ti, enum tinfo_table table, uint32_t frame)
{
	struct section *section = &ti->sections[table];
	if (section->state[frame] == FRAME_DONE)
		return true;
	if (section->state[frame] == FRAME_BAD)
		return false;
	const char *reason = frame_fill(ti, section, frame);
	section->state[frame] = reason == NULL ? FRAME_DONE : FRAME_BAD;
	if (reason != NULL)
		tinfo_fault_set(ti, table, "frame %u: %s", frame, reason);
	return reason == NULL;
}

const unsigned char *section_bytes(struct tinfo *ti, enum tinfo_table table, uint64_t offset, uint64_t length)
{
	struct section *section = &ti->sections[table];
	if (offset > section->size || length > section->size - offset) {
		tinfo_fault_set(ti, table, "bytes %llu to %llu of %llu", (unsigned long long)offset,
				(unsigned long long)(offset + length), (unsigned long long)section->size);
		return NULL;
	}
	if (section->state != NULL && length != 0) {
		uint32_t last = (uint32_t)((offset + length - 1) / section->frame_size);
		for (uint32_t frame = (uint32_t)(offset / section->frame_size); frame <= last; frame++)
			if (!frame_touch(ti, table, frame))
				return NULL;
	}
	return section->data + offset;
}

const unsigned char *section_record(struct tinfo *ti, enum tinfo_table table, uint32_t index)
{
	const struct section *section = &ti->sections[table];
	if (index >= section->count) {
		tinfo_fault_set(ti, table, "there is no record %u, only %u", index, section->count);
		return NULL;
	}
	return section_bytes(ti, table, (uint64_t)index * section->coding.stride, section->coding.stride);
}

bool section_inflate_all(struct tinfo *ti, enum tinfo_table table)
{
	const struct section *section = &ti->sections[table];
	return section->size == 0 || section_bytes(ti, table, 0, section->size) != NULL;
}

/* A text that its first frame does not end: inflates on until it does. */
static bool text_ends_later(struct tinfo *ti, uint32_t offset, uint32_t frame)
{
	struct section *section = &ti->sections[TABLE_STRINGS];
	while (++frame < section->frame_count) {
		uint64_t start = (uint64_t)frame * section->frame_size;
		if (start - offset >= TEXT_MAX)
			break;
		if (!frame_touch(ti, TABLE_STRINGS, frame))
			return false;
		if (section->ends[frame] != 0)
			return true;
	}
	tinfo_fault_set(ti, TABLE_STRINGS, "the text at %u does not end", offset);
	return false;
}

const char *section_text(struct tinfo *ti, uint32_t offset, bool *bad)
{
	struct section *section = &ti->sections[TABLE_STRINGS];
	bool good = offset < section->size;
	if (!good) {
		tinfo_fault_set(ti, TABLE_STRINGS, "there is no text at %u, only %llu bytes", offset,
				(unsigned long long)section->size);
	} else if (section->state != NULL) {
		uint32_t frame = offset / section->frame_size;
		good = frame_touch(ti, TABLE_STRINGS, frame);
		if (good && offset - frame * section->frame_size >= section->ends[frame])
			good = text_ends_later(ti, offset, frame);
	}
	if (good)
		return (const char *)section->data + offset;
	if (bad != NULL)
		*bad = true;
	return "";
}

void section_release(struct section *section)
{
	free(section->data);
	free(section->starts);
	free(section->state);
	free(section->ends);
	*section = (struct section){ 0 };
}

void tinfo_free(struct tinfo *ti)
{
	if (ti == NULL)
		return;
	for (size_t i = 0; i < TABLE_COUNT; i++)
		section_release(&ti->sections[i]);
	if (ti->map != NULL)
		munmap((void *)(uintptr_t)ti->map, ti->map_size);
	ZSTD_freeDCtx(ti->dctx);
	free(ti->scratch);
	free(ti->path);
	free(ti->fault);
	free(ti);
}
