/* object.c - the executable: its path, its load bias, its build id.
 *
 * The kernel dumps the first page of every mapped ELF file (coredump_filter bit 4), and that page holds the ELF
 * header, nearly always the program headers and mostly the build id. So an object's own headers, read from target
 * memory, tell where it was linked to lie without its file. */
#include <elf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "core/core_internal.h"

enum { OBJECT_HEADERS_MAX = 1024, NOTES_MAX = 64 * 1024, NAME_MAX_BYTES = 4096 };

const struct core_mapping *mapping_find(const struct core *core, uint64_t address)
{
	size_t low = 0, high = core->mapping_count; /* ends at the first that starts after address */
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (core->mappings[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low != 0 && address < core->mappings[low - 1].end ? &core->mappings[low - 1] : NULL;
}

uint64_t core_page_size(const struct core *core)
{
	uint64_t size;
	bool sane = core_auxv(core, AT_PAGESZ, &size) && size >= PAGE_DEFAULT && size <= 1u << 20 && (size & (size - 1)) == 0;
	return sane ? size : PAGE_DEFAULT;
}

static bool memory_read(const struct core *core, uint64_t address, void *buffer, size_t length)
{
	struct error *err = core_read(core, address, buffer, length, NULL);
	error_free(err);
	return err == NULL;
}

struct object { /* program headers in target memory */
	struct elf_header header;
	unsigned char *table; /* owned */
};

/* The ELF header at start and its program headers. The first load maps the file from offset 0, so that e_phoff is
 * a distance in memory as well. */
static bool object_read(struct object *out, const struct core *core, uint64_t start)
{
	unsigned char bytes[ELF_HEADER_SIZE];
	if (!memory_read(core, start, bytes, sizeof bytes))
		return false;
	struct error *err = elf_header_read(&out->header, bytes, sizeof bytes, ELF_WANT_PROGRAM);
	error_free(err);
	const struct elf_header *h = &out->header;
	if (err != NULL || h->phentsize != ELF_PROGRAM_HEADER_SIZE || h->phnum == 0 || h->phnum > OBJECT_HEADERS_MAX ||
	    h->phoff > UINT64_MAX - start)
		return false;
	size_t size = (size_t)h->phnum * ELF_PROGRAM_HEADER_SIZE;
	out->table = malloc(size);
	if (out->table == NULL || !memory_read(core, start + h->phoff, out->table, size)) {
		free(out->table);
		return false;
	}
	return true;
}

static struct elf_segment object_segment(const struct object *object, size_t index)
{
	struct cursor c = cursor_over(object->table + index * ELF_PROGRAM_HEADER_SIZE, ELF_PROGRAM_HEADER_SIZE);
	struct elf_segment s;
	s.type = cursor_u32(&c);
	s.flags = cursor_u32(&c);
	s.offset = cursor_u64(&c);
	s.vaddr = cursor_u64(&c);
	(void)cursor_u64(&c); /* p_paddr */
	s.file_size = cursor_u64(&c);
	s.memory_size = cursor_u64(&c);
	s.alignment = cursor_u64(&c);
	return s;
}

/* Bias of an object that is mapped at start: start less the page of its lowest load. */
static bool object_bias(const struct core *core, const struct object *object, uint64_t start, uint64_t *bias)
{
	uint64_t lowest = UINT64_MAX;
	for (size_t i = 0; i < object->header.phnum; i++) {
		struct elf_segment s = object_segment(object, i);
		if (s.type == PT_LOAD && s.vaddr < lowest)
			lowest = s.vaddr;
	}
	if (lowest == UINT64_MAX)
		return false;
	*bias = object->header.type == ET_EXEC ? 0 : start - (lowest & ~(core_page_size(core) - 1));
	return true;
}

static bool notes_build_id(const struct core *core, uint64_t address, uint64_t size, struct build_id *out)
{
	size_t length = size < NOTES_MAX ? (size_t)size : NOTES_MAX, done = 0;
	unsigned char *bytes = length != 0 ? malloc(length) : NULL;
	if (bytes == NULL)
		return false;
	error_free(core_read(core, address, bytes, length, &done)); /* the readable part may do */
	bool found = build_id_from_notes(out, bytes, done);
	free(bytes);
	return found;
}

static bool object_build_id(const struct core *core, const struct object *object, uint64_t bias, struct build_id *out)
{
	for (size_t i = 0; i < object->header.phnum; i++) {
		struct elf_segment s = object_segment(object, i);
		if (s.type == PT_NOTE && notes_build_id(core, bias + s.vaddr, s.file_size, out))
			return true;
	}
	return false;
}

bool core_build_id_at(const struct core *core, uint64_t start, struct build_id *out)
{
	struct object object;
	uint64_t bias;
	*out = (struct build_id){ .length = 0 };
	if (!object_read(&object, core, start))
		return false;
	bool found = object_bias(core, &object, start, &bias) && object_build_id(core, &object, bias, out);
	free(object.table);
	return found;
}

/* The lowest start of the entries with this path: where the file's first load begins. */
static uint64_t path_base(const struct core *core, const char *path)
{
	for (size_t i = 0; i < core->mapping_count; i++)
		if (strcmp(core->mappings[i].path, path) == 0)
			return core->mappings[i].start;
	return 0;
}

/* The name given to execve, in the stack's upper end; for cores without NT_FILE. */
static const char *execfn(struct core *core)
{
	uint64_t address;
	size_t done = 0;
	char name[NAME_MAX_BYTES];
	if (!core_auxv(core, AT_EXECFN, &address))
		return NULL;
	error_free(core_read(core, address, name, sizeof name, &done));
	const char *nul = memchr(name, 0, done);
	return nul == NULL || nul == name ? NULL : arena_strndup(&core->arena, name, (size_t)(nul - name));
}

void executable_find(struct core *core)
{
	struct core_executable *exe = &core->executable;
	struct object object;
	uint64_t phdr = 0, entry = 0, base;
	bool has_phdr = core_auxv(core, AT_PHDR, &phdr), has_entry = core_auxv(core, AT_ENTRY, &entry);
	const struct core_mapping *m = has_phdr ? mapping_find(core, phdr) : NULL;
	if (m == NULL && has_entry)
		m = mapping_find(core, entry); /* AT_PHDR may point elsewhere */
	if (m != NULL) {
		exe->path = m->path;
		core->executable_mapped = true;
		base = path_base(core, m->path);
	} else {
		exe->path = execfn(core);
		base = phdr & ~(core_page_size(core) - 1); /* program headers mostly follow the ELF header */
	}
	if (base == 0 || !object_read(&object, core, base))
		return;
	exe->bias_known = object_bias(core, &object, base, &exe->bias);
	if (exe->bias_known)
		object_build_id(core, &object, exe->bias, &exe->build_id);
	free(object.table);
}

/* From the file's headers and the auxiliary vector, else from NT_FILE. */
static bool bias_from_file(const struct core *core, const struct elf_file *elf, uint64_t *bias)
{
	size_t count;
	const struct elf_segment *segments = elf_segments(elf, &count);
	uint64_t value, lowest = UINT64_MAX;
	*bias = 0;
	if (elf_type(elf) == ET_EXEC)
		return true;
	for (size_t i = 0; i < count; i++) {
		if (segments[i].type == PT_PHDR && core_auxv(core, AT_PHDR, &value)) {
			*bias = value - segments[i].vaddr;
			return true;
		}
		if (segments[i].type == PT_LOAD && segments[i].vaddr < lowest)
			lowest = segments[i].vaddr;
	}
	if (core_auxv(core, AT_ENTRY, &value) && elf_entry(elf) != 0) {
		*bias = value - elf_entry(elf);
		return true;
	}
	if (!core->executable_mapped || lowest == UINT64_MAX)
		return false;
	*bias = path_base(core, core->executable.path) - (lowest & ~(core_page_size(core) - 1));
	return true;
}

struct error *core_back_with_executable(struct core *core, const struct elf_file *elf)
{
	struct core_executable *exe = &core->executable;
	uint64_t bias;
	if (elf_machine(elf) != core->machine)
		return error_new(ERROR_MISMATCH, "%s: for another machine than %s", elf_path(elf), core->path);
	if (!exe->bias_known) {
		if (!bias_from_file(core, elf, &bias))
			return error_new(ERROR_NOT_FOUND, "%s: where %s was loaded is not recorded in it", core->path, elf_path(elf));
		/* Loads are moved by whole pages. */
		if ((bias & (PAGE_DEFAULT - 1)) != 0)
			return error_new(ERROR_MISMATCH, "%s: does not fit %s: its load bias would be 0x%" PRIx64, elf_path(elf),
			                 core->path, bias);
		exe->bias = bias;
		exe->bias_known = true;
	}
	regions_build(core, elf);
	return NULL;
}
