/* objects_find.c - which images a process has, and where. Everything read here is target memory: addresses,
 * counts and chains are bounded and checked. */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cursor.h"
#include "base/error.h"
#include "core/core.h"
#include "elf/elf_header.h"
#include "unwind/objects_internal.h"

enum {
	PAGE = 4096, /* the smallest; loads are at least so aligned */
	SEGMENTS_MAX = 128,
	LINK_MAP_MAX = 1 << 16,
	OBJECTS_MAX = 1 << 13,
	DYNAMIC_MAX = 1024,
	NAME_MAX_BYTES = 4096,
};

/* struct r_debug, struct link_map: <link.h>, the same on Linux and illumos. */
enum { R_MAP = 8, R_LDSOMAP = 40, L_ADDR = 0, L_NAME = 8, L_NEXT = 24 };

static const struct core_mapping *mapping_at(const struct core *core, uint64_t address)
{
	size_t count, low = 0;
	const struct core_mapping *m = core_mappings(core, &count);
	for (size_t high = count; low < high;) {
		size_t middle = low + (high - low) / 2;
		if (m[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low > 0 && m[low - 1].end > address ? &m[low - 1] : NULL;
}

static const struct core_segment *segment_at(const struct core *core, uint64_t address)
{
	size_t count, low = 0;
	const struct core_segment *s = core_segments(core, &count);
	for (size_t high = count; low < high;) {
		size_t middle = low + (high - low) / 2;
		if (s[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low > 0 && s[low - 1].end > address ? &s[low - 1] : NULL;
}

const char *objects_path_at(const struct objects *objects, uint64_t address)
{
	const struct core_mapping *m = mapping_at(objects->core, address);
	return m != NULL ? m->path : NULL;
}

bool objects_is_code(struct objects *objects, uint64_t address)
{
	const struct core_segment *s = segment_at(objects->core, address);
	if (s != NULL)
		return (s->flags & PF_X) != 0;
	const struct object *object = objects_at(objects, address);
	for (size_t i = 0; object != NULL && i < object->segment_count; i++) {
		const struct elf_segment *p = &object->segments[i];
		if (p->type == PT_LOAD && (p->flags & PF_X) != 0 && address - object->bias >= p->vaddr &&
		    address - object->bias - p->vaddr < p->memory_size)
			return true;
	}
	return object == NULL && mapping_at(objects->core, address) != NULL;
}

/* Program headers from target memory at the object's first byte; NULL when that is no ELF header of ours. */
static const struct elf_segment *segments_read(struct objects *objects, uint64_t start, size_t *count)
{
	unsigned char bytes[ELF_HEADER_SIZE];
	struct elf_header header;
	size_t done;
	const unsigned char *magic = core_peek(objects->core, start, SELFMAG);
	if (magic == NULL || memcmp(magic, ELFMAG, SELFMAG) != 0)
		return NULL;
	struct error *err = core_read(objects->core, start, bytes, sizeof bytes, &done);
	if (err == NULL)
		err = elf_header_read(&header, bytes, sizeof bytes, ELF_WANT_PROGRAM);
	if (err != NULL) {
		error_free(err);
		return NULL;
	}
	if (header.machine != core_machine(objects->core) || header.phentsize != ELF_PROGRAM_HEADER_SIZE ||
	    header.phnum == 0 || header.phnum > SEGMENTS_MAX)
		return NULL;
	size_t size = (size_t)header.phnum * ELF_PROGRAM_HEADER_SIZE;
	unsigned char table[SEGMENTS_MAX * ELF_PROGRAM_HEADER_SIZE];
	if ((err = core_read(objects->core, start + header.phoff, table, size, &done)) != NULL) {
		error_free(err);
		return NULL;
	}
	struct elf_segment *segments = arena_array(&objects->arena, header.phnum, sizeof *segments);
	struct cursor c = cursor_over(table, size);
	for (size_t i = 0; i < header.phnum; i++) {
		struct elf_segment *s = &segments[i];
		s->type = cursor_u32(&c);
		s->flags = cursor_u32(&c);
		s->offset = cursor_u64(&c);
		s->vaddr = cursor_u64(&c);
		(void)cursor_u64(&c); /* p_paddr */
		s->file_size = cursor_u64(&c);
		s->memory_size = cursor_u64(&c);
		s->alignment = cursor_u64(&c);
	}
	*count = header.phnum;
	return segments;
}

/* Lowest address of the loads, rounded to a page, and the end of the highest; false without usable loads. */
static bool segments_extent(const struct elf_segment *segments, size_t count, uint64_t *low, uint64_t *high)
{
	*low = UINT64_MAX;
	*high = 0;
	for (size_t i = 0; i < count; i++) {
		const struct elf_segment *s = &segments[i];
		if (s->type != PT_LOAD || s->memory_size > UINT64_MAX / 2 || s->vaddr > UINT64_MAX / 2)
			continue;
		if (s->vaddr < *low)
			*low = s->vaddr & ~(uint64_t)(PAGE - 1);
		if (s->vaddr + s->memory_size > *high)
			*high = s->vaddr + s->memory_size;
	}
	return *low < *high;
}

/* A file that is mapped to be read (as backtrace libraries do with the program itself) begins with an ELF header
 * as well, but its code is not where the program headers want it. */
static bool loads_are_mapped(const struct core *core, const struct core_mapping *first,
                             const struct elf_segment *segments, size_t count, uint64_t bias)
{
	for (size_t i = 0; i < count; i++) {
		const struct elf_segment *s = &segments[i];
		if (s->type != PT_LOAD || (s->flags & PF_X) == 0 || s->memory_size == 0)
			continue;
		uint64_t address = bias + s->vaddr;
		const struct core_mapping *m = mapping_at(core, address);
		const struct core_segment *segment = segment_at(core, address);
		if (segment != NULL && (segment->flags & PF_X) == 0)
			return false;
		if (m == NULL && segment == NULL)
			return false;
		if (m != NULL && (strcmp(m->path, first->path) != 0 || m->file_offset + (address - m->start) != s->offset))
			return false;
	}
	return true;
}

static struct object *object_add(struct objects *objects, enum object_kind kind, const char *name, uint64_t bias,
                                 const struct elf_segment *segments, size_t count)
{
	uint64_t low, high;
	if (objects->count == OBJECTS_MAX || !segments_extent(segments, count, &low, &high) || high + bias < low + bias)
		return NULL;
	for (size_t i = objects->count; i > 0; i--) /* neighbours in the tables are neighbours here */
		if (objects->items[i - 1]->start == low + bias)
			return NULL;
	struct object *object = arena_alloc(&objects->arena, sizeof *object);
	object->kind = kind;
	object->name = name;
	object->bias = bias;
	object->start = low + bias;
	object->end = high + bias;
	object->segments = segments;
	object->segment_count = count;
	core_build_id_at(objects->core, object->start, &object->build_id);
	objects->items = array_reserve(objects->items, &objects->capacity, objects->count, 1, sizeof *objects->items);
	objects->items[objects->count++] = object;
	return object;
}

/* An object whose first page is at start, if there is one. */
static struct object *object_add_at(struct objects *objects, enum object_kind kind, const char *name, uint64_t start,
                                    const struct core_mapping *mapping)
{
	size_t count;
	uint64_t low, high;
	const struct elf_segment *segments = segments_read(objects, start, &count);
	if (segments == NULL || !segments_extent(segments, count, &low, &high))
		return NULL;
	if (mapping != NULL && !loads_are_mapped(objects->core, mapping, segments, count, start - low))
		return NULL;
	return object_add(objects, kind, name, start - low, segments, count);
}

static struct object *executable_add(struct objects *objects)
{
	const struct core_executable *e = core_executable(objects->core);
	const char *name = e->path;
	size_t count;
	if (name == NULL)
		name = objects->executable != NULL ? elf_path(objects->executable) : "";
	if (objects->executable != NULL && e->bias_known) {
		const struct elf_segment *segments = elf_segments(objects->executable, &count);
		struct object *object = object_add(objects, OBJECT_EXECUTABLE, name, e->bias, segments, count);
		if (object != NULL) {
			object->file = objects->executable;
			object->file_tried = true;
		}
		return object;
	}
	/* The program headers are in the first page nearly always; without its file that is all there is. */
	uint64_t headers;
	if (!core_auxv(objects->core, AT_PHDR, &headers))
		return NULL;
	return object_add_at(objects, OBJECT_EXECUTABLE, name, headers & ~(uint64_t)(PAGE - 1), NULL);
}

bool object_dynamic_next(const struct objects *objects, const struct object *object, size_t *cursor,
                         struct dynamic_entry *entry)
{
	for (size_t i = 0; i < object->segment_count; i++) {
		const struct elf_segment *s = &object->segments[i];
		if (s->type != PT_DYNAMIC)
			continue;
		uint64_t at = object->bias + s->vaddr + 16 * *cursor;
		if (*cursor >= DYNAMIC_MAX || *cursor >= s->memory_size / 16 ||
		    !core_read_uint(objects->core, at, 8, &entry->tag) ||
		    !core_read_uint(objects->core, at + 8, 8, &entry->value))
			return false;
		++*cursor;
		return entry->tag != DT_NULL;
	}
	return false;
}

bool object_dynamic(const struct objects *objects, const struct object *object, uint64_t tag, uint64_t *value)
{
	struct dynamic_entry entry;
	for (size_t cursor = 0; object_dynamic_next(objects, object, &cursor, &entry);)
		if (entry.tag == tag) {
			*value = entry.value;
			return true;
		}
	return false;
}

uint64_t object_pointer(const struct object *object, uint64_t value)
{
	return value >= object->start && value < object->end ? value : value + object->bias;
}

static const char *name_read(struct objects *objects, uint64_t address)
{
	char name[NAME_MAX_BYTES];
	size_t done = 0;
	error_free(core_read(objects->core, address, name, sizeof name, &done));
	const char *nul = memchr(name, 0, done);
	return nul != NULL ? arena_strndup(&objects->arena, name, (size_t)(nul - name)) : "";
}

static int address_order(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
	return a < b ? -1 : a > b;
}

/* Libraries of the link map that the mapped files did not give: the names in it are the loader's, so those of the
 * mapped files come first. l_addr is the bias, and where the first page is for all that linkers make. */
static void link_map_walk(struct objects *objects, uint64_t node)
{
	size_t known = objects->count;
	uint64_t *starts = malloc((known + 1) * sizeof *starts);
	if (starts == NULL)
		return;
	for (size_t i = 0; i < known; i++)
		starts[i] = objects->items[i]->start;
	if (known != 0)
		qsort(starts, known, sizeof *starts, address_order);
	for (size_t i = 0; node != 0 && i < LINK_MAP_MAX; i++) {
		uint64_t base, name, next;
		if (!core_read_uint(objects->core, node + L_ADDR, 8, &base) ||
		    !core_read_uint(objects->core, node + L_NAME, 8, &name) ||
		    !core_read_uint(objects->core, node + L_NEXT, 8, &next))
			break;
		struct object *object = NULL;
		if (base != 0 && bsearch(&base, starts, known, sizeof base, address_order) == NULL)
			object = object_add_at(objects, OBJECT_LIBRARY, "", base, NULL);
		if (object != NULL)
			object->name = name_read(objects, name);
		node = next;
	}
	free(starts);
}

static void link_map_find(struct objects *objects, const struct object *executable)
{
	uint64_t debug, node;
	if (!object_dynamic(objects, executable, DT_DEBUG, &debug) || debug == 0)
		return;
	if (core_read_uint(objects->core, debug + R_MAP, 8, &node))
		link_map_walk(objects, node);
	if (core_system(objects->core) == CORE_ILLUMOS && core_read_uint(objects->core, debug + R_LDSOMAP, 8, &node))
		link_map_walk(objects, node);
}

static int object_order(const void *left, const void *right)
{
	const struct object *a = *(struct object *const *)left, *b = *(struct object *const *)right;
	return a->start < b->start ? -1 : a->start > b->start;
}

void objects_find(struct objects *objects)
{
	size_t count;
	uint64_t vdso;
	struct object *executable = executable_add(objects);
	const struct core_mapping *m = core_mappings(objects->core, &count);
	for (size_t i = 0; i < count; i++)
		if (m[i].file_offset == 0)
			object_add_at(objects, OBJECT_LIBRARY, m[i].path, m[i].start, &m[i]);
	if (core_auxv(objects->core, AT_SYSINFO_EHDR, &vdso))
		object_add_at(objects, OBJECT_VDSO, "[vdso]", vdso, NULL);
	if (executable != NULL)
		link_map_find(objects, executable);
	if (count == 0) {
		const struct core_segment *s = core_segments(objects->core, &count);
		for (size_t i = 0; i < count; i++)
			object_add_at(objects, OBJECT_LIBRARY, "", s[i].start, NULL);
	}
	if (objects->count != 0)
		qsort(objects->items, objects->count, sizeof *objects->items, object_order);
}
