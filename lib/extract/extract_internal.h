/* extract_internal.h - shared between the files of lib/extract. One extraction is one struct extractor; the order
 * of its phases is in extract.c. */
#ifndef HANSEI_EXTRACT_EXTRACT_INTERNAL_H
#define HANSEI_EXTRACT_EXTRACT_INTERNAL_H

#include "base/arena.h"
#include "base/cursor.h"
#include "base/map.h"
#include "base/strbuf.h"
#include "dwarf/dwarf.h"
#include "dwarf/line_files.h"
#include "dwarf/sweep.h"
#include "elf/elf_file.h"
#include "extract/extract.h"
#include "tinfo/tinfo_build.h"

/* A coroutine's definition waits for its definition site until all look-ups are made at once. */
struct pending_coroutine {
	uint32_t id;
	uint64_t die;
	struct type type;
	struct variant *variants;
	size_t variant_count;
	uint64_t function_key; /* hash of the plain function's path: async fn only, else 0 */
	uint64_t resume;       /* DIE of the body, or DWARF_NO_OFFSET */
};

struct queued_type {
	uint64_t die;
	uint32_t id;
};

struct code_range {
	uint64_t low, high; /* unbiased */
};

struct impl_request {
	const char *path;
	uint64_t hash;
	const char *self; /* NULL until found */
};

/* A role function found, kept for the instances of tables. */
struct role_function {
	const struct root *root;
	uint64_t address;
	uint32_t function; /* builder's id */
	uint32_t type, type2;
};

struct extractor {
	struct dwarf *dw;
	struct elf_file *debug, *image; /* image may be NULL */
	const struct roots *roots;
	const struct extract_options *options;
	struct sweep *sweep;
	uint16_t *root_scopes; /* by root: index of its scope among the wanted paths of the sweep */
	uint16_t drop_scope;   /* the same for core::ptr, where drop glue stands */
	struct map dropped;    /* reference hashes of types whose drop glue tells them behind a trait object */
	struct line_files *lines;
	struct tinfo_build *build;
	struct arena arena;

	/* types.c */
	struct map type_ids;     /* DIE -> type id */
	struct map canonical;    /* identity hash -> type id */
	struct map references;   /* DIE -> hash of its name and size */
	struct map definitions;  /* declaration DIE -> definition DIE */
	struct queued_type *queue;
	size_t queue_count, queue_capacity, queue_next;
	struct pending_coroutine *coroutines;
	size_t coroutine_count, coroutine_capacity;

	/* functions.c */
	struct map resumes;      /* path hash of a coroutine type -> index into finds (several: copies) */
	struct map concretes;    /* origin DIE -> index into ranges */
	struct code_range *ranges;
	size_t range_count, range_capacity;
	struct role_function *roles;
	size_t role_count, role_capacity;
	uint32_t table_type;     /* type id of the ROOT_TABLE, or TINFO_NONE */
	const char *subject_version;

	/* impls.c */
	struct impl_request *impls;
	size_t impl_count, impl_capacity;
	struct map impl_index;   /* path hash -> index into impls */

	struct map crates;       /* hash of name and version: seen */
	struct map site_texts;   /* path (pointer, from line_files) -> display text */
};

/* Appends the full DWARF path of a type or function DIE. */
void die_path(struct extractor *x, const struct die *die, const char *name, struct strbuf *out);
uint64_t die_path_hash(struct extractor *x, const struct die *die, const char *name);
/* A declaration site: a display path in the arena ("" when unknown); notes the crate it belongs to. */
const char *site_file(struct extractor *x, const struct die *die, const struct die_values *values);

/* types.c: the id of the type at a DIE, queueing it when it is new; TINFO_NONE for no DIE. */
uint32_t type_intern(struct extractor *x, uint64_t die);
void types_drain(struct extractor *x); /* defines everything queued, and what that reaches */
/* Hash of name and size: "is this the same type as far as a referrer can tell". */
uint64_t type_reference_hash(struct extractor *x, uint64_t die);
void declarations_resolve(struct extractor *x);
void types_release(struct extractor *x);

/* coroutine.c */
bool coroutine_name(const char *name); /* last path component of a type's own name */
void coroutine_prune(struct member *members[], size_t counts[], const struct variant *variants, size_t variant_count,
                     bool is_block);
void coroutine_sites(struct extractor *x, uint64_t die, uint64_t path_hash, struct variant *variants,
                     const uint64_t *awaitees, size_t variant_count, uint64_t *resume, uint32_t type_id);

/* functions.c */
void resumes_index(struct extractor *x);
void concretes_index(struct extractor *x);
void functions_extract(struct extractor *x);
void drops_extract(struct extractor *x); /* after functions and vtables: it is their types' glue that is wanted */
void definition_sites(struct extractor *x); /* sites of coroutines, self types of impls; defines the coroutines */
uint64_t self_type(struct extractor *x, const struct die *function); /* T of self: Pin<&mut T>, or no offset */

/* data.c */
void roots_extract(struct extractor *x); /* ROOT_TYPE and ROOT_TABLE */
void vtables_extract(struct extractor *x);
void statics_extract(struct extractor *x);
struct error *instances_extract(struct extractor *x);

/* impls.c */
void impls_note(struct extractor *x, const char *type_name);
void impls_found(struct extractor *x, uint64_t path_hash, const struct die *function);
/* The same from the body of a coroutine, which stands deeper: a::{impl#1}::method::{async_fn#0}. */
void impls_found_around(struct extractor *x, const struct die *body);

#endif
