/* block.h - the block of one object as text:
 *
 *	task 7
 *	    state: running
 *	    thread: 4121
 *
 * An empty line separates blocks. Keys are ours and taken as they are; headings and values are escaped
 * (text_add_plain) and never cut. */
#ifndef HANSEI_OUT_BLOCK_H
#define HANSEI_OUT_BLOCK_H

#include <stddef.h>

#include "out/out.h"

struct block {
	struct out *out;
	size_t count; /* blocks so far */
};

static inline struct block block_into(struct out *out)
{
	return (struct block){ out, 0 };
}

void block_heading(struct block *block, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* `key: value` at 4 columns a level (the first is 1). value NULL: no line; "": `key:` alone, above a deeper level. */
void block_field(struct block *block, unsigned level, const char *key, const char *value);
void block_fieldf(struct block *block, unsigned level, const char *key, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
void block_styled(struct block *block, unsigned level, const char *key, enum style style, const char *value);
void block_line(struct block *block, unsigned level, const char *text); /* without a key; NULL: no line */

#endif
