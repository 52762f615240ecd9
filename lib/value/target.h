/* target.h - what everything above lib/core and lib/tinfo works on: the memory of one stopped process and the
 * layouts that belong to it. Ownership: a target borrows its memory, tinfo and executable, which outlive it; it
 * owns nothing and needs no release. One thread at a time (the page cache below and the tinfo change on reads).
 *
 * Memory is reached through a function, so that tests can provide some; target_over_core (target_core.c) is the
 * ordinary case. Whatever is read is hostile: a pointer is only a number until a read of it succeeded. */
#ifndef HANSEI_VALUE_TARGET_H
#define HANSEI_VALUE_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cursor.h"

struct core;
struct elf_file;
struct tinfo;

/* How code and tables of the target are found in the layouts: by address when the debug information is of the
 * very binary that ran, else by symbol key (needs the executable). */
enum target_join { JOIN_ADDRESS, JOIN_KEY };

struct target_memory {
	/* `length` contiguous bytes at address, or NULL when they are not there (or not contiguous). */
	const unsigned char *(*peek)(const void *context, uint64_t address, size_t length);
	/* The same copied, also across borders; false when not all of it is readable. */
	bool (*read)(const void *context, uint64_t address, void *buffer, size_t length);
	const void *context;
};

enum { TARGET_PAGE = 4096, TARGET_PAGES = 256 };

struct target_page {
	uint64_t number; /* address / TARGET_PAGE + 1; 0: empty */
	const unsigned char *bytes;
};

struct target {
	struct target_memory memory;
	const struct core *core;     /* NULL in tests that provide memory themselves */
	struct tinfo *tinfo;
	struct elf_file *executable; /* NULL when none was found */
	uint64_t bias;               /* target address = address in the file + bias */
	bool has_bias;
	enum target_join join;
	struct target_page pages[TARGET_PAGES]; /* whole pages met lately, by page number */
};

/* A target on memory given by functions. */
void target_init(struct target *t, struct target_memory memory, struct tinfo *tinfo);
/* A target on a core; the bias is the core's, when known. executable may be NULL. */
void target_over_core(struct target *t, const struct core *core, struct tinfo *tinfo, struct elf_file *executable);

const unsigned char *target_peek_slow(struct target *t, uint64_t address, size_t length);

/* A pointer to length bytes (at least 1) at address, or NULL when they do not lie in one piece. */
static inline const unsigned char *target_peek(struct target *t, uint64_t address, size_t length)
{
	const struct target_page *page = &t->pages[address / TARGET_PAGE % TARGET_PAGES];
	uint64_t in = address % TARGET_PAGE;
	if (page->number == address / TARGET_PAGE + 1 && length <= TARGET_PAGE - in)
		return page->bytes + in;
	return target_peek_slow(t, address, length);
}

/* Copies length bytes; false when not all of them are readable. */
bool target_read(struct target *t, uint64_t address, void *buffer, size_t length);

/* Loads a little-endian number of width 1 .. 8 bytes; false when unreadable. */
static inline bool target_uint(struct target *t, uint64_t address, size_t width, uint64_t *value)
{
	unsigned char copy[8];
	const unsigned char *at = width <= sizeof copy ? target_peek(t, address, width) : NULL;
	if (at == NULL) {
		if (width > sizeof copy || !target_read(t, address, copy, width))
			return false;
		at = copy;
	}
	*value = load_uint(at, width);
	return true;
}

static inline bool target_word(struct target *t, uint64_t address, uint64_t *value)
{
	return target_uint(t, address, 8, value);
}

static inline bool target_is_mapped(struct target *t, uint64_t address, size_t length)
{
	return target_peek(t, address, length) != NULL;
}

#endif
