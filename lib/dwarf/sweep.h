/* sweep.h - one parallel pass over every DIE of every Rust unit. It keeps a few dozen bytes per interesting DIE:
 * the namespaces (so that a DIE's full path can be told later without a parent pointer), functions and variables
 * of the kinds below, and everything that stands directly in a wanted namespace. All else is decided by the walk,
 * which decodes on demand. rustc emits no DW_AT_sibling, so every subtree must be stepped over: see abbrev.h. */
#ifndef HANSEI_DWARF_SWEEP_H
#define HANSEI_DWARF_SWEEP_H

#include "dwarf/dwarf.h"

enum find_kind {
	FIND_WANTED,      /* type, function or variable directly in a wanted namespace (`wanted` says which), or a
	                     method of a wanted type: the DIE inside the type's, which has the names */
	FIND_RESUME,      /* {async_fn#N}, {async_block#N}, {async_closure#N}: bodies of coroutines */
	FIND_POLL,        /* poll… or poll_next… in an {impl#N} */
	FIND_VTABLE,      /* variable "<C as Tr>::{vtable}" */
	FIND_DECLARATION, /* a type that is declared only */
	FIND_CONCRETE,    /* a nameless function with code: its names are at abstract_origin or specification */
};

struct sweep_find {
	uint64_t die;
	uint32_t scope;  /* enclosing namespace, see sweep_scope_hash */
	uint16_t kind;
	uint16_t wanted; /* index of the wanted path */
};

struct sweep;

struct sweep_options {
	const char *const *wanted; /* namespace paths "a::b::c"; the last component may be a type's name without its
	                              generic arguments: then its methods are found */
	const bool *wanted_below;  /* per path: variables of all namespaces below it too; may be NULL */
	size_t wanted_count;       /* at most 65534 */
	unsigned threads;          /* 0: number of processors */
	uint64_t *done;            /* bytes swept, updated now and then (relaxed); may be NULL */
};

/* Never fails as a whole: units that cannot be decoded are counted. The sweep borrows dw. */
struct sweep *sweep_run(struct dwarf *dw, const struct sweep_options *options);
void sweep_free(struct sweep *sweep); /* NULL is fine */

size_t sweep_damaged_units(const struct sweep *sweep);
size_t sweep_swept_units(const struct sweep *sweep);
uint64_t sweep_scope_count(const struct sweep *sweep);

/* Finds in DIE order. */
const struct sweep_find *sweep_finds(const struct sweep *sweep, size_t *count);

/* A path hash: equal for equal namespace paths. sweep_path_hash("") is that of the unit itself. */
uint64_t sweep_path_hash(const char *path);
uint64_t sweep_path_extend(uint64_t hash, const char *component, size_t length);

/* The path hash of the namespace that encloses a DIE (any DIE, whether found or not). */
uint64_t sweep_scope_hash(const struct sweep *sweep, uint64_t die);
/* The namespace's own name and the path hash of the one around it; false when the DIE stands in no namespace. */
bool sweep_scope_split(const struct sweep *sweep, uint64_t die, uint64_t *parent_hash, const char **name);
/* Appends the path of that namespace ("a::b", "" for the unit). */
struct strbuf;
void sweep_scope_path(const struct sweep *sweep, uint64_t die, struct strbuf *out);

/* Calls back for every type, function and variable that stands directly in a namespace whose path hash is one of
 * `hashes` (sorted), in DIE order. Costs what these namespaces hold, not a second pass. */
void sweep_lookup(struct sweep *sweep, const uint64_t *hashes, size_t count,
                  void (*found)(void *context, uint64_t path_hash, const struct die *die), void *context);

#endif
