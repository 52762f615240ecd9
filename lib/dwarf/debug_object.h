/* debug_object.h - libdwarf over sections that are in memory already, through its object-access interface: opened
 * by path or descriptor it would read whole sections into memory of its own. This is the one place that knows how
 * libdwarf's versions differ (20210528 of Debian 12, and 0.3 to 2.x, which renamed everything).
 *
 * Ownership: the sections' names and bytes are borrowed and must outlive the object; the array of them is copied.
 * libdwarf itself is not thread-safe: an object belongs to one thread at a time. */
#ifndef HANSEI_DWARF_DEBUG_OBJECT_H
#define HANSEI_DWARF_DEBUG_OBJECT_H

#include <stddef.h>
#include <stdint.h>

#include <libdwarf.h>

struct debug_section {
	const char *name; /* ".debug_info" … */
	const unsigned char *data;
	uint64_t size;
	uint64_t address; /* sh_addr; of use for .eh_frame only */
};

enum { DEBUG_SECTIONS_MAX = 24 };

struct debug_object;

/* Little-endian; pointer_size 4 or 8; empty sections are left out. size_hint is told as the size of the file: the
 * bytes that will be decoded, not all that may be referred to, since libdwarf 0.11 makes and clears a table of that
 * order (1.4 ms for 10 MB, 90 ms for 100 MB). NULL: libdwarf refuses these sections, or there are more than
 * DEBUG_SECTIONS_MAX. */
struct debug_object *debug_object_open(const struct debug_section *sections, size_t count, uint8_t pointer_size,
                                       uint64_t size_hint);
Dwarf_Debug debug_object_dwarf(const struct debug_object *object);
void debug_object_close(struct debug_object *object); /* NULL is fine; frees all that libdwarf handed out */

#endif
