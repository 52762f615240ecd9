/* space.c - the address space: which bytes serve which address.
 *
 * A core stores only part of what its PT_LOADs describe: the kernel leaves out unmodified file pages (text,
 * read-only data), gcore leaves them out of the program headers altogether. So there are three lists, each sorted
 * and free of overlaps: segments (what was mapped), the core's regions (what it has bytes for), and, once the
 * executable's file is known, pieces of that file that fill the gaps. The two latter are merged into one list of
 * regions that reads search by bisection.
 *
 * File bytes stand in only where they must be equal to memory. Read-only parts of the executable always are. A
 * writable part is only if the dumper left it out although it stored modified anonymous memory, for then nobody
 * had written there (fs/coredump.c, vma_dump_size); where a core is cut, its file shows stale values, so they are
 * not used. Whether anonymous memory was stored is seen from the threads' stacks. */
#include <elf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "core/core_internal.h"

static int load_order(const void *left, const void *right)
{
	const struct load *a = left, *b = right;
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return a->index < b->index ? -1 : a->index > b->index;
}

/* Takes what lies below `start` off the load. False: nothing is left. */
static bool load_trim(struct load *load, uint64_t start)
{
	if (load->start >= start)
		return true;
	uint64_t skip = start - load->start;
	if (skip >= load->memory_size)
		return false;
	load->start = start;
	load->memory_size -= skip;
	load->file_offset = skip > UINT64_MAX - load->file_offset ? UINT64_MAX : load->file_offset + skip;
	load->file_size = skip < load->file_size ? load->file_size - skip : 0;
	return true;
}

void segments_build(struct core *core, struct load *loads, size_t count)
{
	qsort(loads, count, sizeof *loads, load_order);
	core->segments = arena_array(&core->arena, count, sizeof *core->segments);
	core->promised = arena_array(&core->arena, count, sizeof *core->promised);
	uint64_t end = 0, size = core->map.size;
	size_t overlaps = 0;
	for (size_t i = 0; i < count; i++) {
		struct load load = loads[i];
		overlaps += load.start < end;
		if (!load_trim(&load, end))
			continue;
		uint64_t room = load.file_offset < size ? size - load.file_offset : 0;
		end = load.start + load.memory_size; /* checked by core.c */
		core->promised[core->segment_count] = load.file_size;
		core->segments[core->segment_count++] = (struct core_segment){
			.start = load.start,
			.end = end,
			.file_offset = load.file_offset,
			.file_size = load.file_size < room ? load.file_size : room,
			.flags = load.flags,
		};
	}
	if (overlaps != 0)
		core_warn(core, "%zu segments overlap a lower one, whose bytes are kept", overlaps);
}

size_t segment_after(const struct core *core, uint64_t address)
{
	size_t low = 0, high = core->segment_count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (core->segments[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* A part of the executable's file as it was mapped. */
struct piece {
	uint64_t start, end, file_offset;
	bool writable;
};

struct piece_list {
	struct piece *items;
	size_t count, capacity;
};

struct region_list {
	struct region *items;
	size_t count, capacity;
};

static void piece_add(struct piece_list *list, struct piece piece)
{
	list->items = array_reserve(list->items, &list->capacity, list->count, 1, sizeof *list->items);
	list->items[list->count++] = piece;
}

static void region_add(struct region_list *list, struct region region)
{
	struct region *last = list->count != 0 ? &list->items[list->count - 1] : NULL;
	if (last != NULL && last->end == region.start && last->from_file == region.from_file &&
	    last->bytes + (last->end - last->start) == region.bytes) {
		last->end = region.end;
		return;
	}
	list->items = array_reserve(list->items, &list->capacity, list->count, 1, sizeof *list->items);
	list->items[list->count++] = region;
}

static int piece_order(const void *left, const void *right)
{
	const struct piece *a = left, *b = right;
	return a->start < b->start ? -1 : a->start > b->start;
}

/* The executable's loads at their biased addresses, sorted, without overlaps. */
static void pieces_of_file(struct piece_list *out, const struct elf_file *elf, uint64_t bias)
{
	size_t segment_count;
	uint64_t size, end = 0;
	const struct elf_segment *segments = elf_segments(elf, &segment_count);
	elf_bytes(elf, &size);
	for (size_t i = 0; i < segment_count && !elf_is_debug_only(elf); i++) {
		const struct elf_segment *s = &segments[i];
		if (s->type != PT_LOAD || s->offset >= size)
			continue;
		uint64_t length = s->file_size < s->memory_size ? s->file_size : s->memory_size;
		if (length > size - s->offset)
			length = size - s->offset;
		uint64_t start = s->vaddr + bias; /* may wrap: a bias may be negative */
		if (length != 0 && length <= UINT64_MAX - start)
			piece_add(out, (struct piece){ start, start + length, s->offset, (s->flags & PF_W) != 0 });
	}
	if (out->count > 1)
		qsort(out->items, out->count, sizeof *out->items, piece_order);
	size_t kept = 0;
	for (size_t i = 0; i < out->count; i++) {
		struct piece piece = out->items[i];
		if (piece.end <= end)
			continue;
		if (piece.start < end) {
			piece.file_offset += end - piece.start;
			piece.start = end;
		}
		end = piece.end;
		out->items[kept++] = piece;
	}
	out->count = kept;
}

static size_t piece_after(const struct piece_list *list, uint64_t address)
{
	size_t low = 0, high = list->count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (list->items[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Keeps of the pieces what NT_FILE says was still mapped from that place of that file: a process may unmap parts
 * or put other memory there (text moved to huge pages). Without NT_FILE (qemu-user) all is taken as mapped. */
static void pieces_mapped(struct piece_list *out, const struct core *core, const struct piece_list *in)
{
	uint64_t done = 0;
	for (size_t i = 0; i < core->mapping_count; i++) {
		const struct core_mapping *m = &core->mappings[i];
		uint64_t from = m->start > done ? m->start : done;
		if (from >= m->end || strcmp(m->path, core->executable.path) != 0)
			continue;
		done = m->end;
		for (size_t j = piece_after(in, from); j < in->count && in->items[j].start < m->end; j++) {
			struct piece piece = in->items[j];
			if (piece.start - piece.file_offset != m->start - m->file_offset)
				continue;
			if (piece.start < from) {
				piece.file_offset += from - piece.start;
				piece.start = from;
			}
			if (piece.end > m->end)
				piece.end = m->end;
			piece_add(out, piece);
		}
	}
}

/* Adds the parts of a piece that the core neither has nor (for writable ones) promised to have. */
static void piece_fill(struct region_list *out, const struct core *core, const struct piece *piece,
                       const unsigned char *file)
{
	uint64_t at = piece->start;
	for (size_t i = segment_after(core, at); at < piece->end; i++) {
		const struct core_segment *s = i < core->segment_count ? &core->segments[i] : NULL;
		uint64_t taken = s == NULL ? piece->end : s->start;
		uint64_t gap_end = taken < piece->end ? taken : piece->end;
		if (gap_end > at)
			region_add(out, (struct region){ at, gap_end, file + piece->file_offset + (at - piece->start), true });
		if (s == NULL || s->start >= piece->end)
			return;
		uint64_t resume = s->start + (piece->writable ? core->promised[i] : s->file_size);
		if (resume > at)
			at = resume;
	}
}

static bool anonymous_memory_dumped(const struct core *core)
{
	for (size_t i = 0; i < core->thread_count; i++) {
		uint64_t sp = core->threads[i].sp;
		size_t s = segment_after(core, sp);
		if (s < core->segment_count && core->segments[s].start <= sp && core->promised[s] != 0)
			return true;
	}
	return false;
}

static void regions_of_file(struct region_list *out, const struct core *core, const struct elf_file *elf)
{
	struct piece_list all = { NULL, 0, 0 }, mapped = { NULL, 0, 0 };
	uint64_t size;
	const unsigned char *file = elf_bytes(elf, &size);
	pieces_of_file(&all, elf, core->executable.bias);
	if (core->executable_mapped)
		pieces_mapped(&mapped, core, &all);
	const struct piece_list *used = core->executable_mapped ? &mapped : &all;
	bool writable = anonymous_memory_dumped(core);
	for (size_t i = 0; i < used->count; i++)
		if (writable || !used->items[i].writable)
			piece_fill(out, core, &used->items[i], file);
	free(all.items);
	free(mapped.items);
}

void regions_build(struct core *core, const struct elf_file *elf)
{
	struct region_list file = { NULL, 0, 0 }, merged = { NULL, 0, 0 };
	if (elf != NULL)
		regions_of_file(&file, core, elf);
	size_t next = 0;
	for (size_t i = 0; i < core->segment_count; i++) {
		const struct core_segment *s = &core->segments[i];
		if (s->file_size == 0)
			continue;
		for (; next < file.count && file.items[next].start < s->start; next++)
			region_add(&merged, file.items[next]);
		region_add(&merged, (struct region){ s->start, s->start + s->file_size, core->map.bytes + s->file_offset, false });
	}
	for (; next < file.count; next++)
		region_add(&merged, file.items[next]);
	free(file.items);
	free(core->regions);
	core->regions = merged.items;
	core->region_count = merged.count;
}

static const struct region *region_find(const struct core *core, uint64_t address)
{
	size_t low = 0, high = core->region_count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (core->regions[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low < core->region_count && core->regions[low].start <= address ? &core->regions[low] : NULL;
}

static struct error *unreadable(const struct core *core, uint64_t address)
{
	size_t index = segment_after(core, address);
	const struct core_segment *s = index < core->segment_count ? &core->segments[index] : NULL;
	const struct core_mapping *m = mapping_find(core, address);
	if (s != NULL && s->start <= address && address - s->start < core->promised[index])
		return error_new(ERROR_TRUNCATED, "0x%" PRIx64 " is in the part of the core that was cut off", address);
	if (m != NULL)
		return error_new(ERROR_UNMAPPED, "0x%" PRIx64 " was left out of the core; it is mapped from %s", address, m->path);
	if (s != NULL && s->start <= address)
		return error_new(ERROR_UNMAPPED, "0x%" PRIx64 " is mapped, but was left out of the core", address);
	return error_new(ERROR_UNMAPPED, "0x%" PRIx64 " is not mapped", address);
}

struct error *core_read(const struct core *core, uint64_t address, void *buffer, size_t length, size_t *done)
{
	unsigned char *out = buffer;
	size_t copied = 0;
	const struct region *r = region_find(core, address);
	uint64_t at = address;
	while (r != NULL && copied < length) {
		uint64_t here = r->end - at;
		size_t piece = here < length - copied ? (size_t)here : length - copied;
		memcpy(out + copied, r->bytes + (at - r->start), piece);
		copied += piece;
		at += piece;
		bool more = at == r->end && r != &core->regions[core->region_count - 1] && r[1].start == at;
		r = more ? r + 1 : NULL;
	}
	if (done != NULL)
		*done = copied;
	return copied == length ? NULL : unreadable(core, at);
}

const unsigned char *core_peek(const struct core *core, uint64_t address, size_t length)
{
	const struct region *r = region_find(core, address);
	return r != NULL && length <= r->end - address ? r->bytes + (address - r->start) : NULL;
}

bool core_is_mapped(const struct core *core, uint64_t address)
{
	return region_find(core, address) != NULL;
}

bool core_read_uint(const struct core *core, uint64_t address, size_t width, uint64_t *value)
{
	unsigned char bytes[8];
	if (width == 0 || width > sizeof bytes)
		return false;
	const unsigned char *at = core_peek(core, address, width);
	if (at == NULL) { /* across a seam, or not at all */
		struct error *err = core_read(core, address, bytes, width, NULL);
		if (err != NULL) {
			error_free(err);
			return false;
		}
		at = bytes;
	}
	*value = load_uint(at, width);
	return true;
}

/* Thread-local storage of the main executable: the linker fixed its place relative to the thread pointer ("ELF
 * Handling For Thread-Local Storage", sections 3.4.1 and 3.4.6), so glibc and musl agree.
 * Variant II (x86-64): the block ends at or below the thread pointer; variant I (aarch64): it begins behind the
 * two words of the thread control block. In both its start is congruent to p_vaddr modulo p_align. */
bool core_tls_address(const struct core *core, const struct core_thread *thread, uint64_t tls_vaddr,
                      uint64_t tls_memory_size, uint64_t tls_alignment, uint64_t offset, uint64_t *address)
{
	uint64_t pointer = thread->tls_base, mask = tls_alignment == 0 ? 0 : tls_alignment - 1, start;
	if (pointer == 0 || (tls_alignment & mask) != 0 || offset > tls_memory_size)
		return false;
	if (core->machine == EM_X86_64) {
		if (tls_memory_size > pointer)
			return false;
		start = pointer - tls_memory_size;
		uint64_t down = (start - tls_vaddr) & mask;
		if (down > start)
			return false;
		start -= down;
	} else {
		start = pointer + 16;
		start += (tls_vaddr - start) & mask;
		if (start < pointer)
			return false;
	}
	if (offset > UINT64_MAX - start)
		return false;
	*address = start + offset;
	return true;
}
