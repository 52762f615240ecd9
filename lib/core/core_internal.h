/* core_internal.h - what the files of lib/core share: core.c opens, linux.c decodes one system's notes, space.c
 * answers reads, object.c looks at ELF headers in target memory. Nobody else includes it. */
#ifndef HANSEI_CORE_CORE_INTERNAL_H
#define HANSEI_CORE_CORE_INTERNAL_H

#include "base/arena.h"
#include "base/cursor.h"
#include "core/core.h"
#include "elf/elf_header.h"

enum { WARNINGS_MAX = 40, PAGE_DEFAULT = 4096 };

/* Readable target memory: sorted by address, not overlapping, neighbours in address and file joined. */
struct region {
	uint64_t start, end;
	const unsigned char *bytes;
	bool from_file; /* the executable's file, not the core */
};

struct auxv_entry {
	uint64_t type, value;
};

struct load { /* a PT_LOAD as its header has it */
	uint64_t start, memory_size, file_offset, file_size;
	uint32_t flags;
	size_t index; /* place in the file */
};

struct note {
	const char *owner; /* owner_length bytes without the NUL */
	size_t owner_length;
	uint32_t type;
	const unsigned char *bytes;
	size_t size; /* bytes that are there */
	bool cut;    /* the descriptor passes the end of its segment or of the file */
};

struct core {
	char *path;
	struct file_map map;
	struct arena arena;
	uint16_t machine;
	enum core_system system;
	uint64_t missing;

	const char *warnings[WARNINGS_MAX];
	size_t warning_count, warnings_dropped;

	struct cursor *notes; /* the bytes of each PT_NOTE, cut at the end of the file */
	size_t note_count;

	struct core_segment *segments;
	uint64_t *promised; /* beside segments: the bytes its header promises; more than file_size when cut */
	size_t segment_count;
	struct region *regions; /* malloc'ed */
	size_t region_count;

	struct core_process process;
	struct core_thread *threads;
	uint32_t *by_lwp; /* indices of threads, sorted by lwp */
	size_t thread_count;
	const char *const *register_names;
	size_t register_count;
	uint64_t code_mask;
	struct auxv_entry *auxv;
	size_t auxv_count;
	struct core_mapping *mappings;
	size_t mapping_count;

	struct core_executable executable;
	bool executable_mapped; /* its path is one of NT_FILE */
};

/* Adds one line; after WARNINGS_MAX - 1 of them they are only counted. */
void core_warn(struct core *core, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The next note, or false at the end. A cut note comes out with what is there and ends the walk. */
bool note_next(struct cursor *c, struct note *out);
bool note_owner_is(const struct note *note, const char *owner);

/* linux.c: fills process, threads, auxv, mappings, registers. */
void linux_notes_read(struct core *core);

/* space.c. segments_build takes the loads in file order and reorders them. */
void segments_build(struct core *core, struct load *loads, size_t count);
void regions_build(struct core *core, const struct elf_file *elf); /* elf NULL: the core's bytes only */
size_t segment_after(const struct core *core, uint64_t address); /* the first segment that ends after address */

/* object.c */
void executable_find(struct core *core);
const struct core_mapping *mapping_find(const struct core *core, uint64_t address);
uint64_t core_page_size(const struct core *core);

#endif
