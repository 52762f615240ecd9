/* extract.h - from DWARF to a layout model. What is of interest is an argument (the roots): nothing here knows a
 * crate. The work is a parallel sweep over every unit (dwarf/sweep.h), then a walk that decodes only what the
 * roots reach. Sources: DWARF 4 and 5, the notes on rustc's DWARF. */
#ifndef HANSEI_EXTRACT_EXTRACT_H
#define HANSEI_EXTRACT_EXTRACT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elf_file;
struct error;
struct tinfo;

/* Raise it when the same input gives other layouts than before: cached extractions of another revision are not used. */
enum { EXTRACT_REVISION = 3 };

enum root_kind {
	ROOT_TYPE,     /* a type and all it reaches */
	ROOT_FUNCTION, /* functions; their template parameters become type and type2 (and roots) */
	ROOT_STATIC,   /* a variable; its type becomes a root */
	ROOT_TABLE,    /* a struct type; constants of it in the file's data whose members are addresses of ROOT_FUNCTION
	                  functions become instances; a root itself */
};

enum root_flags {
	ROOT_GENERIC = 1,  /* name is followed by <…>: every instance */
	ROOT_REQUIRED = 2, /* without a single hit the extraction fails: "is this a … program?" */
	ROOT_BELOW = 4,    /* ROOT_STATIC: the variable sits in a namespace somewhere below scope */
};

struct root {
	const char *role;  /* recorded with functions and statics; for messages otherwise */
	enum root_kind kind;
	const char *scope; /* namespace path, "a::b::c" */
	const char *name;  /* without generic arguments */
	unsigned flags;
};

struct roots {
	const struct root *items;
	size_t count;
	const char *crate; /* the crate whose release is recorded as meta "subject_version", from paths of its files */
};

struct extract_options {
	unsigned threads; /* 0: as many as there are processors */
	void (*progress)(void *context, const char *phase, uint64_t done, uint64_t total); /* may be NULL; one thread */
	void *context;
};

/* Extracts from the debug information of `debug`; `image` (may be the same file, or NULL) provides the data for
 * tables and the symbols. *out is owned by the caller. Errors: no .debug_info (says which cargo profile lines
 * give it), only line tables, split units without their objects, a required root missing, damage that leaves
 * nothing. Damaged units are skipped and counted in meta "units_skipped". */
struct error *extract_layouts(struct tinfo **out, struct elf_file *debug, struct elf_file *image,
                              const struct roots *roots, const struct extract_options *options);

#endif
