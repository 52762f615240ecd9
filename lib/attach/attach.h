/* attach.h - what a program calls first: opens the core, finds the executable and the layouts, checks that they
 * belong together, and gives a target to work on. Files are trusted by build id, never by name: two different ids
 * are refused (or, under `force`, warned of); an id that is missing on one side is a warning. */
#ifndef HANSEI_ATTACH_ATTACH_H
#define HANSEI_ATTACH_ATTACH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "value/target.h"

struct core;
struct elf_file;
struct error;
struct roots;
struct tinfo;

struct attach_request {
	const char *core;       /* required */
	const char *tokio_info; /* at most one of these two; neither: the executable's own debug information */
	const char *debug_info;
	const char *binary;     /* NULL: found, see find.h */
	bool force;             /* refusals for build ids and symbols become warnings */
	bool no_cache;          /* neither read nor write the cache of extractions */
	unsigned threads;       /* of an extraction; 0: all processors */
	void (*progress)(void *context, const char *phase, uint64_t done, uint64_t total); /* may be NULL */
	void *context;
};

struct attachment {
	struct core *core;
	struct tinfo *tinfo;
	struct elf_file *binary; /* the executable that ran, or NULL: not found */
	struct elf_file *debug;  /* where the layouts came from when they were extracted or cached for it; or NULL */
	bool extracted;          /* the layouts were made in this attach (false: a file, given or cached) */
	struct target target;
	struct message_list {
		char **items;    /* one line each */
		size_t count, capacity;
	} warnings, notes;       /* notes: what was done, no doubt about the answer */
};

/* Errors are those of core_open, elf_open, tinfo_open and extract_layouts, and ERROR_MISMATCH with both build ids. */
struct error *attach_open(struct attachment **out, const struct attach_request *request);
void attach_close(struct attachment *attachment); /* NULL is fine */

#endif
