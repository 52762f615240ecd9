/* objects_internal.h - what objects.c (looking things up) and objects_find.c (finding the images) share. */
#ifndef HANSEI_UNWIND_OBJECTS_INTERNAL_H
#define HANSEI_UNWIND_OBJECTS_INTERNAL_H

#include "base/arena.h"
#include "unwind/objects.h"

struct objects {
	const struct core *core;
	struct elf_file *executable; /* the caller's, or NULL */
	const char *sysroot;
	struct arena arena;
	struct object **items; /* by start once found; owned array */
	size_t count, capacity;
	const char **warnings;
	size_t warning_count, warning_capacity;
};

void objects_find(struct objects *objects);

struct dynamic_entry {
	uint64_t tag, value;
};
/* Walks PT_DYNAMIC in target memory: start with *cursor 0; false at the end. */
bool object_dynamic_next(const struct objects *objects, const struct object *object, size_t *cursor,
                         struct dynamic_entry *entry);
bool object_dynamic(const struct objects *objects, const struct object *object, uint64_t tag, uint64_t *value);
/* d_ptr of an entry: the loader relocates some in place, and some not. */
uint64_t object_pointer(const struct object *object, uint64_t value);

/* Bytes at a target address up to the end of what is contiguous: the file's, else the core's. */
const unsigned char *object_bytes(const struct objects *objects, const struct object *object, uint64_t address,
                                  uint64_t *available, bool *from_file);
void object_symbols_build(struct objects *objects, struct object *object);

#endif
