/* layout_internal.h - what the writers of layouts share. */
#ifndef HANSEI_RECORDS_LAYOUT_INTERNAL_H
#define HANSEI_RECORDS_LAYOUT_INTERNAL_H

#include "base/arena.h"
#include "tinfo/tinfo.h"

struct strbuf;

enum { LAYOUT_LINES_MAX = 100000 };

/* The members of a struct or union in the order of their offsets, as indices into TABLE_MEMBERS, in the arena; at most
 * LAYOUT_LINES_MAX. */
const uint32_t *layout_members(struct arena *arena, struct tinfo *ti, const struct type *type, uint32_t *count);
/* The struct or union whose members stand in a variant; false when it has none. */
bool layout_payload(struct tinfo *ti, const struct variant *variant, struct type *payload);
/* "maybe moved out", "one of several of this name", or NULL. */
const char *layout_note(const struct member *member);
/* Is a coroutine's state one that stands at an await? The others have sites, too: where it begins and ends. */
bool layout_awaits(const struct variant *variant);
/* Does it make sense to show this type below a member of it? */
bool layout_nests(const struct type *type);
void layout_site(struct strbuf *to, const char *file, uint32_t line); /* appends "src/main.rs:12" */

#endif
