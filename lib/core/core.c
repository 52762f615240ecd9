/* core.c - opening a core dump: headers, notes, then the space and the executable.
 *
 * ELF and program headers are read here, not by libelf, since the cores people have are often cut: by
 * RLIMIT_CORE, a full disk, a crash handler's limit. They may end in the headers, in the notes or in any load.
 * Only a cut ELF header, or nothing of the program headers, stops us; everything else is a warning. */
#include "core/core.h"

#include <elf.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "core/core_internal.h"

void core_warn(struct core *core, const char *format, ...)
{
	char text[512];
	if (core->warning_count >= WARNINGS_MAX - 1) {
		core->warnings_dropped++;
		return;
	}
	va_list args;
	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	core->warnings[core->warning_count++] = arena_strdup(&core->arena, text);
}

static void warnings_close(struct core *core)
{
	if (core->warnings_dropped != 0)
		core->warnings[core->warning_count++] =
			arena_printf(&core->arena, "%zu further oddities of this sort", core->warnings_dropped);
}

bool note_owner_is(const struct note *note, const char *owner)
{
	return note->owner_length == strlen(owner) && memcmp(note->owner, owner, note->owner_length) == 0;
}

/* Core notes are aligned to 4 bytes in 64-bit files too (kernel, fs/binfmt_elf.c writenote; core(5)). */
bool note_next(struct cursor *c, struct note *out)
{
	if (cursor_left(c) < 12)
		return false;
	uint32_t owner_size = cursor_u32(c), size = cursor_u32(c);
	out->type = cursor_u32(c);
	size_t padded = ((size_t)owner_size + 3) & ~(size_t)3;
	const char *owner = cursor_bytes(c, padded);
	if (owner == NULL)
		return false;
	out->owner = owner;
	out->owner_length = owner_size;
	while (out->owner_length > 0 && owner[out->owner_length - 1] == '\0')
		out->owner_length--;
	out->cut = size > cursor_left(c);
	out->size = out->cut ? cursor_left(c) : size;
	out->bytes = cursor_bytes(c, out->size);
	size_t padding = -(size_t)size & 3;
	cursor_bytes(c, padding < cursor_left(c) ? padding : cursor_left(c));
	return true;
}

/* e_phnum is 16 bits; the kernel writes PN_XNUM and puts the number into sh_info of a section header 0 behind all
 * loads, where a cut core loses it. Its first program header is the PT_NOTE, whose bytes follow the program
 * headers: that tells the number as well. */
static struct error *phnum_extended(struct core *core, const struct elf_header *h, uint64_t *count)
{
	if (h->shoff == 0)
		return error_new(ERROR_DATA, "has 65,535 program headers or more, and no section header with their number");
	if (h->shoff <= core->map.size && core->map.size - h->shoff >= ELF_SECTION_HEADER_SIZE) {
		*count = load_uint(core->map.bytes + h->shoff + 44, 4);
		return NULL;
	}
	struct cursor c = cursor_over(core->map.bytes + h->phoff, (size_t)(core->map.size - h->phoff));
	uint32_t type = cursor_u32(&c);
	(void)cursor_u32(&c);
	uint64_t offset = cursor_u64(&c);
	if (c.bad || type != PT_NOTE || offset < h->phoff || (offset - h->phoff) / ELF_PROGRAM_HEADER_SIZE > UINT32_MAX)
		return error_new(ERROR_TRUNCATED, "cut: the number of its program headers is past the end of the file");
	*count = (offset - h->phoff) / ELF_PROGRAM_HEADER_SIZE;
	core_warn(core, "the number of program headers is in the part that was cut off; counted %" PRIu64, *count);
	return NULL;
}

/* The whole entries of the program header table that are in the file. */
static struct error *headers_locate(struct core *core, const struct elf_header *h, uint64_t *count)
{
	struct error *err;
	*count = h->phnum;
	if (h->phnum == 0)
		return error_new(ERROR_DATA, "a core dump without program headers");
	if (h->phentsize != ELF_PROGRAM_HEADER_SIZE)
		return error_new(ERROR_DATA, "program headers of %u bytes instead of %d", h->phentsize,
		                 ELF_PROGRAM_HEADER_SIZE);
	if (h->phoff >= core->map.size || core->map.size - h->phoff < ELF_PROGRAM_HEADER_SIZE)
		return error_new(ERROR_TRUNCATED, "cut: ends at %" PRIu64 ", before its program headers", core->map.size);
	if (h->phnum == PN_XNUM && (err = phnum_extended(core, h, count)) != NULL)
		return err;
	uint64_t present = (core->map.size - h->phoff) / ELF_PROGRAM_HEADER_SIZE;
	if (*count > present) {
		core_warn(core, "%" PRIu64 " of %" PRIu64 " program headers are past the end of the file", *count - present,
		          *count);
		*count = present;
	}
	return NULL;
}

/* How many of size bytes at offset are in the file; what is not is added to the missing ones. */
static uint64_t file_part(struct core *core, uint64_t offset, uint64_t size)
{
	uint64_t room = offset < core->map.size ? core->map.size - offset : 0;
	if (size <= room)
		return size;
	uint64_t missing = size - room;
	core->missing = missing > UINT64_MAX - core->missing ? UINT64_MAX : core->missing + missing;
	return room;
}

static void notes_add(struct core *core, uint64_t offset, uint64_t size)
{
	uint64_t present = file_part(core, offset, size);
	if (present < size)
		core_warn(core, "notes at %" PRIu64 ": %" PRIu64 " of %" PRIu64 " bytes are past the end of the file", offset,
		          size - present, size);
	if (present != 0)
		core->notes[core->note_count++] = cursor_over(core->map.bytes + offset, (size_t)present);
}

static bool load_accept(struct core *core, struct load *load)
{
	uint64_t *memory = &load->memory_size;
	if (*memory == 0)
		*memory = load->file_size; /* some dumpers leave it out */
	if (*memory == 0)
		return false;
	if (*memory > UINT64_MAX - load->start) {
		core_warn(core, "segment %zu at 0x%" PRIx64 " of 0x%" PRIx64 " bytes passes the end of the address space",
		          load->index, load->start, *memory);
		return false;
	}
	if (load->file_size > *memory) {
		core_warn(core, "segment %zu has more bytes in the file than in memory", load->index);
		load->file_size = *memory;
	}
	return true;
}

static struct error *headers_read(struct core *core, const struct elf_header *h)
{
	uint64_t count;
	struct error *err = headers_locate(core, h, &count);
	if (err != NULL)
		return err;
	struct load *loads = malloc((size_t)count * sizeof *loads);
	if (loads == NULL)
		return error_memory();
	size_t load_count = 0, note_segments = 0;
	const unsigned char *table = core->map.bytes + h->phoff;
	for (size_t i = 0; i < count; i++)
		note_segments += load_uint(table + i * ELF_PROGRAM_HEADER_SIZE, 4) == PT_NOTE;
	core->notes = arena_array(&core->arena, note_segments, sizeof *core->notes);
	for (size_t i = 0; i < count; i++) {
		struct cursor c = cursor_over(table + i * ELF_PROGRAM_HEADER_SIZE, ELF_PROGRAM_HEADER_SIZE);
		struct load load = { .index = i };
		uint32_t type = cursor_u32(&c);
		load.flags = cursor_u32(&c);
		load.file_offset = cursor_u64(&c);
		load.start = cursor_u64(&c);
		(void)cursor_u64(&c); /* p_paddr */
		load.file_size = cursor_u64(&c);
		load.memory_size = cursor_u64(&c);
		if (type == PT_NOTE)
			notes_add(core, load.file_offset, load.file_size);
		else if (type == PT_LOAD && load_accept(core, &load))
			loads[load_count++] = load;
	}
	uint64_t missing_in_notes = core->missing;
	for (size_t i = 0; i < load_count; i++)
		(void)file_part(core, loads[i].file_offset, loads[i].file_size);
	segments_build(core, loads, load_count);
	free(loads);
	if (core->missing != missing_in_notes)
		core_warn(core, "the file is cut: it ends at %" PRIu64 ", %" PRIu64 " bytes of memory are missing",
		          core->map.size, core->missing - missing_in_notes);
	return NULL;
}

/* Owners of the notes that other systems write into their cores. */
static const struct system_row {
	const char *owner, *name;
} OTHER_SYSTEMS[] = {
	{ "FreeBSD", "FreeBSD" },
	{ "NetBSD-CORE", "NetBSD" },
	{ "OpenBSD", "OpenBSD" },
	{ "QNX", "QNX" },
	{ "VMCOREINFO", "Linux kernel (vmcore)" },
};

static const char *other_system(const struct note *note)
{
	for (size_t i = 0; i < sizeof OTHER_SYSTEMS / sizeof OTHER_SYSTEMS[0]; i++)
		if (note_owner_is(note, OTHER_SYSTEMS[i].owner))
			return OTHER_SYSTEMS[i].name;
	return NULL;
}

/* EI_OSABI does not tell Linux from illumos, the notes do. Types alone would not do either: sizes are those of
 * pstatus_t, psinfo_t and lwpstatus_t (illumos, sys/procfs.h), 824 that of its old prstatus_t. */
static bool is_illumos_note(const struct note *note)
{
	enum { ILLUMOS_PSTATUS = 10, ILLUMOS_PSINFO = 13, ILLUMOS_LWPSTATUS = 16, LWPSTATUS_SIZE = 1296, PSINFO_SIZE = 416,
	       OLD_PRSTATUS_SIZE = 824 };
	if (!note_owner_is(note, "CORE"))
		return false;
	return (note->type == ILLUMOS_PSTATUS && note->size >= LWPSTATUS_SIZE) ||
	       (note->type == ILLUMOS_PSINFO && note->size >= PSINFO_SIZE) ||
	       (note->type == ILLUMOS_LWPSTATUS && note->size >= LWPSTATUS_SIZE) ||
	       (note->type == NT_PRSTATUS && note->size == OLD_PRSTATUS_SIZE);
}

static struct error *system_find(struct core *core)
{
	bool illumos = false, linux_seen = false;
	core->system = CORE_LINUX;
	for (size_t i = 0; i < core->note_count; i++) {
		struct cursor c = core->notes[i];
		struct note note;
		while (note_next(&c, &note)) {
			const char *other = other_system(&note);
			if (other != NULL)
				return error_new(ERROR_UNSUPPORTED, "a %s core; Linux ones are read", other);
			linux_seen |= note_owner_is(&note, "LINUX") || (note_owner_is(&note, "CORE") && note.type == NT_FILE);
			illumos |= is_illumos_note(&note);
		}
	}
	if (illumos && !linux_seen)
		return error_new(ERROR_UNSUPPORTED, "illumos cores are not read yet");
	return NULL;
}

static struct error *core_read_file(struct core *core)
{
	struct elf_header header;
	struct error *err;
	if ((err = elf_header_read(&header, core->map.bytes, core->map.size, ELF_WANT_CORE)) != NULL)
		return err;
	core->machine = header.machine;
	core->process.command = core->process.arguments = "";
	if ((err = headers_read(core, &header)) != NULL || (err = system_find(core)) != NULL)
		return err;
	regions_build(core, NULL); /* executable_find reads memory */
	linux_notes_read(core);
	executable_find(core);
	warnings_close(core);
	return NULL;
}

struct error *core_open(struct core **out, const char *path)
{
	*out = NULL;
	struct core *core = calloc(1, sizeof *core);
	if (core == NULL || (core->path = strdup(path)) == NULL) {
		free(core);
		return error_memory();
	}
	struct error *err = file_map_open(&core->map, path);
	if (err == NULL)
		err = error_wrap(core_read_file(core), "%s", path);
	if (err != NULL) {
		core_close(core);
		return err;
	}
	*out = core;
	return NULL;
}

void core_close(struct core *core)
{
	if (core == NULL)
		return;
	file_map_close(&core->map);
	arena_release(&core->arena);
	free(core->regions);
	free(core->path);
	free(core);
}

const char *core_path(const struct core *core)
{
	return core->path;
}

enum core_system core_system(const struct core *core)
{
	return core->system;
}

uint16_t core_machine(const struct core *core)
{
	return core->machine;
}

uint64_t core_size(const struct core *core)
{
	return core->map.size;
}

uint64_t core_missing_bytes(const struct core *core)
{
	return core->missing;
}

const struct core_process *core_process(const struct core *core)
{
	return &core->process;
}

const char *const *core_warnings(const struct core *core, size_t *count)
{
	*count = core->warning_count;
	return core->warnings;
}

const struct core_thread *core_threads(const struct core *core, size_t *count)
{
	*count = core->thread_count;
	return core->threads;
}

const struct core_thread *core_thread_by_lwp(const struct core *core, uint32_t lwp)
{
	size_t low = 0, high = core->thread_count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (core->threads[core->by_lwp[middle]].lwp < lwp)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == core->thread_count || core->threads[core->by_lwp[low]].lwp != lwp)
		return NULL;
	return &core->threads[core->by_lwp[low]];
}

const char *const *core_register_names(const struct core *core, size_t *count)
{
	*count = core->register_count;
	return core->register_names;
}

uint64_t core_code_mask(const struct core *core)
{
	return core->code_mask;
}

const struct core_segment *core_segments(const struct core *core, size_t *count)
{
	*count = core->segment_count;
	return core->segments;
}

const struct core_mapping *core_mappings(const struct core *core, size_t *count)
{
	*count = core->mapping_count;
	return core->mappings;
}

bool core_auxv(const struct core *core, uint64_t type, uint64_t *value)
{
	for (size_t i = 0; i < core->auxv_count; i++)
		if (core->auxv[i].type == type) {
			*value = core->auxv[i].value;
			return true;
		}
	return false;
}

const struct core_executable *core_executable(const struct core *core)
{
	return &core->executable;
}
