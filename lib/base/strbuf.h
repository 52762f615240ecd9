/* strbuf.h - a growing, always NUL-terminated text. Usable from STRBUF_INIT on; strbuf_release frees what is
 * inside and leaves it as fresh. Running out of memory aborts (see arena.h). */
#ifndef HANSEI_BASE_STRBUF_H
#define HANSEI_BASE_STRBUF_H

#include <stddef.h>

struct strbuf {
	char *text; /* never NULL */
	size_t length, capacity;
};

extern char strbuf_empty[]; /* shared storage of empty buffers; never written */

#define STRBUF_INIT { strbuf_empty, 0, 0 }

void strbuf_add(struct strbuf *sb, const void *bytes, size_t length);
void strbuf_adds(struct strbuf *sb, const char *text);
void strbuf_addc(struct strbuf *sb, char c);
void strbuf_addf(struct strbuf *sb, const char *format, ...) __attribute__((format(printf, 2, 3)));
void strbuf_cut(struct strbuf *sb, size_t length); /* shortens; longer lengths are ignored */
void strbuf_reset(struct strbuf *sb);              /* empties, keeps the memory */
void strbuf_release(struct strbuf *sb);

#endif
