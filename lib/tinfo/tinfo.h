/* tinfo.h - the layout model: what debug information says about types, as far as a core needs it. It is the one
 * thing both sides share: lib/extract fills it (tinfo_build.h), everything that reads a target asks it. A model
 * built in memory and one opened from a .tinfo file behave the same; tinfo_write turns the first into the second.
 * The model has no knowledge of any crate and no display rules: names, sizes, offsets, sites and join keys only.
 *
 * Ownership: everything handed out is borrowed and lives as long as the tinfo. Ids are dense: types are 0 ..
 * tinfo_count(TABLE_TYPES) - 1, likewise for the other tables. A file is untrusted: every accessor checks its
 * index and every reference is checked when the record is read; out of range reads give an empty record and set
 * tinfo_fault. A tinfo is used by one thread at a time (frames are inflated on first touch). */
#ifndef HANSEI_TINFO_TINFO_H
#define HANSEI_TINFO_TINFO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct error;
struct tinfo;

#define TINFO_NONE UINT32_MAX /* "no type", "no function", "no index" (no int, so no enumerator) */

/* The tables; numbers are those of the file's directory (hansei-tinfo(5)): only ever append. */
enum tinfo_table {
	TABLE_META,       /* provenance: key/value texts */
	TABLE_STRINGS,    /* one blob of NUL-terminated texts, sorted: equal texts have equal offsets */
	TABLE_TYPES,      /* sorted by name */
	TABLE_MEMBERS,    /* of structs and unions, grouped by type, in declaration order */
	TABLE_VARIANTS,   /* of enums, C-like enums and coroutines, grouped by type */
	TABLE_FUNCTIONS,  /* sorted by key, then address */
	TABLE_ADDRESSES,  /* function ids sorted by address; only those that have one */
	TABLE_VTABLES,    /* trait object vtables, sorted by address */
	TABLE_INSTANCES,  /* constant tables of functions (a task's vtable), sorted by address */
	TABLE_CONSTANTS,  /* the words those tables carry */
	TABLE_STATICS,
	TABLE_IMPLS,      /* impl block -> implementing type, sorted by path */
	TABLE_LOCALS,     /* named variables of resume functions, grouped by coroutine type */
	TABLE_CRATES,     /* crates and releases seen in source paths */
	TABLE_SYMBOLS,    /* key of every name of the fingerprint, with an example's text */
	TABLE_COUNT
};

enum type_kind {
	TYPE_OPAQUE,    /* known by name (and size) only: foreign, declared but not defined, damaged */
	TYPE_BASE,      /* integers, floats, bool, char, () as base */
	TYPE_POINTER,   /* &T, *T, thin Box<T>, NonNull's inside: one machine word */
	TYPE_FUNCTION,  /* what a function pointer points to */
	TYPE_ARRAY,
	TYPE_STRUCT,    /* structs, tuples, closures, wide pointers */
	TYPE_UNION,
	TYPE_ENUM,      /* Rust enum with payloads; coroutines too */
	TYPE_CENUM,     /* fieldless enum */
};

enum base_encoding { BASE_UNSIGNED, BASE_SIGNED, BASE_BOOL, BASE_CHAR, BASE_FLOAT, BASE_OTHER };

enum type_flags {
	TYPE_COROUTINE = 1, /* an enum whose variants are Unresumed, Returned, Panicked, Suspend0 … */
	TYPE_SIZED = 2,     /* size is known (0 without this flag means "unknown") */
	TYPE_RAW_ARGS = 4,  /* coroutine storage could not be vouched for: members listed as the compiler gave them */
};

struct type {
	uint32_t id;
	enum type_kind kind;
	const char *name;       /* full DWARF path, "" for anonymous pointers and arrays */
	uint64_t size;          /* bytes */
	uint32_t flags;         /* enum type_flags */
	enum base_encoding encoding; /* TYPE_BASE */
	uint32_t first, count;  /* members (struct, union) or variants (enum, C-like enum) */
	uint32_t target;        /* pointee, array element, discriminant's or C-like enum's base type, T of a
	                           PhantomData<T>; or TINFO_NONE */
	uint64_t extra;         /* array: elements; enum: offset of the discriminant */
	const char *file;       /* where it is defined ("" unknown), folded for display */
	uint32_t line;
};

enum member_flags {
	MEMBER_UNCERTAIN = 1, /* coroutine: listed in this state, but maybe moved out (a block's capture) */
	MEMBER_SHADOWED = 2,  /* coroutine: several variables share the name; which one this is, is unknown */
	MEMBER_ARTIFICIAL = 4,
};

struct member {
	const char *name;
	uint32_t type;
	uint64_t offset; /* bytes from the start of the owner; for a coroutine state: of the coroutine */
	uint32_t flags;
};

enum variant_flags {
	VARIANT_VALUE = 1, /* value is meaningful; without it this is the default (dataful niche) variant */
};

struct variant {
	const char *name;      /* "Some"; for coroutines the state's name "Suspend0" */
	uint32_t payload;      /* struct type, or TINFO_NONE (C-like) */
	uint64_t offset;       /* of the payload in the enum */
	uint64_t value[2];     /* discriminant, low and high word, truncated to its size */
	uint32_t flags;
	const char *file;      /* await site of a Suspend state (folded), "" otherwise */
	uint32_t line;
};

/* What a function is to us. The names are given by the caller of the extraction (roots), not known here. */
enum function_kind {
	FUNCTION_ROLE,   /* one the roots asked for by path: `role` says which */
	FUNCTION_POLL,   /* <T as Future>::poll */
	FUNCTION_STREAM, /* <T as Stream>::poll_next */
	FUNCTION_RESUME, /* body of a coroutine */
	FUNCTION_DROP,   /* drop glue of a future */
};

struct function {
	uint32_t id;
	enum function_kind kind;
	const char *role;   /* FUNCTION_ROLE: the root's name; else "" */
	const char *name;   /* DWARF path, without generic arguments for roles */
	uint64_t key;       /* v0_key of its symbol, 0 when it has none or a legacy name */
	uint64_t address;   /* unbiased, 0 when there is no code of its own */
	uint64_t size;      /* bytes of code, 0 unknown */
	uint32_t type;      /* T of the role's template parameters; self type of poll; coroutine; dropped type */
	uint32_t type2;     /* second template parameter of a role, or TINFO_NONE */
	const char *file;   /* declared at, folded */
	uint32_t line;
};

struct vtable {
	uint64_t address;  /* unbiased */
	uint32_t type;     /* the concrete type */
	const char *trait; /* "core::future::future::Future<Output=()>" */
	uint32_t slots;    /* words, drop, size and align included */
};

/* A constant of the roots' table type whose function members point at role functions. */
struct instance {
	uint64_t address;       /* unbiased */
	uint32_t function;      /* the first role function in it (its type, type2 name the instance) */
	uint32_t first, count;  /* constants */
};

struct constant {
	const char *member;
	uint64_t value;
};

enum static_flags { STATIC_TLS = 1 };

struct static_variable {
	const char *role;    /* the root's name */
	const char *name;    /* DWARF path */
	const char *symbol;  /* linkage name, without .llvm.N */
	uint64_t address;    /* unbiased; for TLS the offset in the block */
	uint32_t type;
	uint32_t flags;
};

struct impl {
	const char *path; /* "tokio::sync::mutex::{impl#10}" */
	const char *self; /* "tokio::sync::mutex::Mutex" */
};

struct local {
	uint32_t coroutine; /* type id */
	const char *name;
	uint32_t type;
	uint64_t offset;    /* in the coroutine; UINT64_MAX unknown */
	const char *file;
	uint32_t line;
};

struct crate {
	const char *name, *version;
};

struct symbol_key {
	uint64_t key;
	const char *name; /* demangled, for messages */
};

uint32_t tinfo_count(const struct tinfo *ti, enum tinfo_table table); /* records; 0 when the section is absent */
bool tinfo_has(const struct tinfo *ti, enum tinfo_table table);

struct type tinfo_type(struct tinfo *ti, uint32_t id);
struct member tinfo_member(struct tinfo *ti, uint32_t index);
struct variant tinfo_variant(struct tinfo *ti, uint32_t index);
struct function tinfo_function(struct tinfo *ti, uint32_t id);
struct vtable tinfo_vtable(struct tinfo *ti, uint32_t index);
struct instance tinfo_instance(struct tinfo *ti, uint32_t index);
struct constant tinfo_constant(struct tinfo *ti, uint32_t index);
struct static_variable tinfo_static(struct tinfo *ti, uint32_t index);
struct impl tinfo_impl(struct tinfo *ti, uint32_t index);
struct local tinfo_local(struct tinfo *ti, uint32_t index);
struct crate tinfo_crate(struct tinfo *ti, uint32_t index);
struct symbol_key tinfo_symbol(struct tinfo *ti, uint32_t index);

/* Look-ups. Each returns the number of hits and the first index of a run (in TABLE_TYPES, TABLE_FUNCTIONS,
 * TABLE_ADDRESSES order); tinfo_nth_* turns run positions into ids. */
uint32_t tinfo_types_named(struct tinfo *ti, const char *name, uint32_t *first);
uint32_t tinfo_types_prefixed(struct tinfo *ti, const char *prefix, uint32_t *first); /* names that start so */
uint32_t tinfo_nth_named(struct tinfo *ti, uint32_t position);
uint32_t tinfo_functions_keyed(struct tinfo *ti, uint64_t key, uint32_t *first);
uint32_t tinfo_functions_at(struct tinfo *ti, uint64_t address, uint32_t *first); /* exactly here */
uint32_t tinfo_function_covering(struct tinfo *ti, uint64_t address); /* a function id or TINFO_NONE */
uint32_t tinfo_nth_address(struct tinfo *ti, uint32_t position);
uint32_t tinfo_vtable_at(struct tinfo *ti, uint64_t address, uint32_t *first); /* number of hits */
uint32_t tinfo_instance_at(struct tinfo *ti, uint64_t address); /* index or TINFO_NONE */
const char *tinfo_impl_self(struct tinfo *ti, const char *path, size_t length); /* NULL: unknown */
uint32_t tinfo_locals_of(struct tinfo *ti, uint32_t coroutine, uint32_t *first);

/* Convenience on members: by exact name; TINFO_NONE when there is none. */
uint32_t tinfo_find_member(struct tinfo *ti, const struct type *type, const char *name, struct member *out);
uint32_t tinfo_find_variant(struct tinfo *ti, const struct type *type, const char *name, struct variant *out);
/* The variant whose value equals the discriminant (two words, truncated to its size), else the default one. */
uint32_t tinfo_match_variant(struct tinfo *ti, const struct type *type, const uint64_t value[2], struct variant *out);
/* Through zero-offset one-member wrappers to the innermost type (depth at most 8). */
uint32_t tinfo_peel(struct tinfo *ti, uint32_t id);

/* Provenance by key ("build_id", "rustc", "producer", "binary", "tls_size", "tls_align", "machine", "tool" …);
 * NULL when not recorded. */
const char *tinfo_meta(struct tinfo *ti, const char *key);
const char *tinfo_meta_nth(struct tinfo *ti, uint32_t index, const char **value); /* key, or NULL at the end */

/* The first fault met while reading (damaged frame, index out of range), or NULL: "section types: frame 3: …".
 * Tools check it once before they exit (status 3). */
const char *tinfo_fault(const struct tinfo *ti);

/* Opens a .tinfo: maps it, validates header, directory and index checksums; frames are checked and inflated when
 * touched. Errors name the file: not a .tinfo, of a newer format (says which and which we read), cut, a checksum
 * that does not fit (section and frame), a directory, empty. */
struct error *tinfo_open(struct tinfo **out, const char *path);
/* Writes beside the target and renames; nothing is left behind on failure. The same model gives the same bytes. */
struct error *tinfo_write(struct tinfo *ti, const char *path);
/* The name tinfo_write uses until it renames, malloc'd ("PATH.tmp.PID"; NULL when memory is short): what a program
 * that is interrupted has to unlink. */
char *tinfo_temporary(const char *path);
void tinfo_free(struct tinfo *ti); /* NULL is fine */

/* The format version of the file that the model is from; of the one we write, for a model built in memory. */
void tinfo_version(const struct tinfo *ti, unsigned *major, unsigned *minor);
struct table_size {
	const char *name; /* of the table: "types" */
	uint32_t records; /* of the strings: bytes */
	uint64_t content; /* bytes in memory */
	uint64_t stored;  /* bytes in the file, 0 for a model built in memory */
};
struct table_size tinfo_table_size(const struct tinfo *ti, enum tinfo_table table);

#endif
