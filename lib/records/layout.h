/* layout.h - one type of a tinfo as text, TSV or JSON: what `hansei-tinfo type` prints. With a depth, the types of members
 * are shown below them, down to that many levels; pointers are not followed. Offsets are those in the outermost type. */
#ifndef HANSEI_RECORDS_LAYOUT_H
#define HANSEI_RECORDS_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

struct out;
struct strbuf;
struct tinfo;

enum { LAYOUT_DEPTH_MAX = 64 };

/* A heading and a line a member. False: there was no end to it, and it was cut after some 100000 lines. */
bool layout_text(struct out *out, struct tinfo *ti, uint32_t id, unsigned depth);
/* A line a member, variant or variable; only this type itself. */
void layout_tsv_header(struct strbuf *to);
void layout_tsv(struct strbuf *to, struct tinfo *ti, uint32_t id);
/* One line. False: as above. */
bool layout_json(struct strbuf *to, struct tinfo *ti, uint32_t id, unsigned depth);

#endif
