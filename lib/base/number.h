/* number.h - numbers as text where printf would be the hot spot: listings of 100,000 rows. */
#ifndef HANSEI_BASE_NUMBER_H
#define HANSEI_BASE_NUMBER_H

#include <stdint.h>

struct arena;
struct strbuf;

enum { NUMBER_LENGTH = 20 }; /* digits of UINT64_MAX */

/* Appends the number in decimal, or as 0x and lower-case hex. */
void strbuf_add_number(struct strbuf *sb, uint64_t value);
void strbuf_add_address(struct strbuf *sb, uint64_t value);

/* prefix and the number, in the arena: "task/5". */
char *arena_number(struct arena *arena, const char *prefix, uint64_t value);
char *arena_address(struct arena *arena, const char *prefix, uint64_t value);

#endif
