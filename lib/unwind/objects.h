/* objects.h - the images of a process: executable, shared libraries and vDSO, found in the core's own tables, with
 * their files where those are at hand. From an address to object, symbol, bytes and call-frame information.
 *
 * Found by the mapped files (NT_FILE) that begin with an ELF header, the loader's link map (DT_DEBUG, struct
 * r_debug; <link.h>), AT_SYSINFO_EHDR, and, in a core without mapped files, ELF headers at the starts of segments.
 * A file is opened when it is first needed, and used only if its build id is the one in the core's memory. What an
 * object without a file has in the core (gcore saves read-only data) is used from there.
 *
 * Ownership: borrows core and executable, which outlive it. One thread at a time. */
#ifndef HANSEI_UNWIND_OBJECTS_H
#define HANSEI_UNWIND_OBJECTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "elf/elf_file.h"
#include "unwind/cfi.h"

struct core;
struct error;
struct objects;

enum object_kind { OBJECT_EXECUTABLE, OBJECT_LIBRARY, OBJECT_VDSO };

struct object {
	enum object_kind kind;
	const char *name;    /* path recorded in the core, "[vdso]", or "" when nothing tells */
	uint64_t start, end; /* in the target: page of the first load to the end of the last */
	uint64_t bias;       /* target address = address in the file + bias */
	struct build_id build_id; /* as in the core's memory; length 0: not there */
	/* the rest is objects*.c's */
	const struct elf_segment *segments;
	size_t segment_count;
	struct elf_file *file; /* see object_file */
	bool file_tried, file_owned, cfi_tried, symbols_tried;
	struct cfi_table cfi;
	struct elf_symbol *symbols; /* of DT_SYMTAB in the core, for an object without a file; by value; owned */
	size_t symbol_count;
};

/* executable: the file of the program, checked by the caller, or NULL: then it is looked for as the libraries are.
 * sysroot: folder in which recorded paths (or their last components) are tried first; NULL: none. Never fails: a
 * core in which nothing is found has no objects. */
struct objects *objects_open(const struct core *core, struct elf_file *executable, const char *sysroot);
void objects_close(struct objects *objects); /* NULL is fine */

struct object *const *objects_all(const struct objects *objects, size_t *count); /* by address */
struct object *objects_at(const struct objects *objects, uint64_t address); /* NULL: in none */
/* The recorded path of what is mapped at an address, also where it is no object we can use; NULL: none. */
const char *objects_path_at(const struct objects *objects, uint64_t address);

/* Its file, opened now if need be; NULL: none that fits (and a warning is noted). */
struct elf_file *object_file(struct objects *objects, struct object *object);
/* Its call-frame information, opened now if need be; NULL: none to be had. */
const struct cfi_table *object_cfi(struct objects *objects, struct object *object);
/* Mangled name of what covers a target address in it and the distance; NULL: nothing. Borrowed from the file or
 * the core. */
const char *object_symbol(struct objects *objects, struct object *object, uint64_t address, uint64_t *offset);

/* Target memory, from the core or the object's file; opens files. */
bool objects_read_uint(struct objects *objects, uint64_t address, size_t width, uint64_t *value);
const unsigned char *objects_peek(struct objects *objects, uint64_t address, size_t length); /* NULL: not there */
/* May code run at this address? By the core's segments, else the object's program headers, else (gcore leaves code
 * out) because it is a mapped file's and in no segment. */
bool objects_is_code(struct objects *objects, uint64_t address);

/* What was needed and is missing so far: one line each ("library /lib/x.so: …"). Grows as stacks are walked. */
const char *const *objects_warnings(const struct objects *objects, size_t *count);

#endif
