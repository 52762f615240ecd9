/* sweep_internal.h - what sweep.c writes and sweep_scope.c reads. */
#ifndef HANSEI_DWARF_SWEEP_INTERNAL_H
#define HANSEI_DWARF_SWEEP_INTERNAL_H

#include <stdatomic.h>
#include <string.h>

#include "dwarf/dwarf_internal.h"
#include "dwarf/sweep.h"

enum { DEPTH_MAX = 256, THREADS_MAX = 64 };

/* Longer names of namespaces count as cut: DIEs of a hostile file may all share one of a gigabyte. */
enum { SCOPE_NAME_MAX = 4096 };

static inline size_t scope_name_length(const char *name)
{
	return strnlen(name, SCOPE_NAME_MAX);
}

struct scope { /* offsets relative to the unit's */
	uint32_t start, end;
	uint32_t parent; /* index in the unit's slice; the unit itself is entry 0 and its own parent */
	uint32_t hash;   /* low half of the path hash */
};

struct slice {
	uint32_t worker;
	uint32_t damaged;
	size_t first_scope, scope_count, first_find, find_count;
};

struct worker {
	struct scope *scopes;
	size_t scope_count, scope_capacity;
	struct sweep_find *finds;
	size_t find_count, find_capacity;
};

struct sweep {
	struct dwarf *dw;
	const struct dwarf_unit *units;
	size_t unit_count;
	struct slice *slices; /* by unit */
	struct worker workers[THREADS_MAX];
	unsigned worker_count;
	struct sweep_find *finds; /* all, in DIE order */
	size_t find_count;
	uint64_t *wanted;  /* path hashes */
	uint64_t *parents; /* path hashes of the wanted paths less their last component */
	const bool *wanted_below;
	size_t wanted_count;
	uint64_t *done;
	atomic_size_t next;
};

#endif
