/* elf_internal.h - what the files of lib/elf share. Nobody else includes it. */
#ifndef HANSEI_ELF_ELF_INTERNAL_H
#define HANSEI_ELF_ELF_INTERNAL_H

#include <pthread.h>

#include "elf/elf_file.h"
#include "elf/elf_header.h"

/* An inflated section: made at the first request, under its own lock, so that two threads may inflate different
 * sections at once and a third one waiting for the same section does not do the work again. */
struct elf_inflated {
	pthread_mutex_t lock;
	bool done;
	void *memory;                /* owned */
	char *name;                  /* owned: ".debug_info" for ".zdebug_info" */
	struct elf_section section;
};

/* What a section header says beyond struct elf_section; same index. */
struct elf_section_extra {
	uint32_t link;
	bool cut;                       /* the header promises bytes that lie outside of the file */
	uint64_t promised;              /* sh_size */
	struct elf_inflated *inflated;  /* only for compressed sections */
};

/* A PT_LOAD's bytes as they are in the file; sorted by address, not overlapping. */
struct elf_part {
	uint64_t start, end;
	const unsigned char *bytes;
};

struct elf_file {
	char *path;
	struct file_map map;
	struct elf_header header;
	bool debug_only;
	struct build_id build_id;

	struct elf_segment *segments;
	size_t segment_count;
	struct elf_part *parts;
	size_t part_count;
	struct elf_section *sections;
	struct elf_section_extra *extras;
	size_t section_count;

	bool symbols_built, tls_built;
	struct elf_symbol *symbols, *tls_symbols; /* by value */
	size_t symbol_count, tls_count;
	uint64_t *reach; /* reach[i]: the largest end of symbols 0..i */

	bool relatives_built;
	struct elf_relative *relatives;
	size_t relative_count;
};

/* A string table up to its last NUL: every offset below size begins a terminated text. Never empty. */
struct elf_names {
	const char *text;
	uint64_t size;
};

struct elf_names elf_names_over(const unsigned char *bytes, uint64_t size);

/* Prepares inflation of section `index` if its header says that it is compressed. False: out of memory. */
bool elf_inflated_prepare(struct elf_file *elf, size_t index);
void elf_inflated_free(struct elf_inflated *inflated);

#endif
