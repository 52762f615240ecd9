/* path.h - named paths into values of the target. A path is text, bound once to a root type and then evaluated
 * for many addresses without allocation or look-up. Bound paths live in the arena given at binding.
 *
 *   .m       member m of a struct or union           ->       follow a pointer
 *   <V>      V must be the live variant; enter it    <*>      whichever variant is live; the rest must bind in
 *                                                             every variant and end at one type
 *   ?T       to the member, at any depth and offset, whose type is the sole generic argument of the type here
 *   ~w ~p    end: peel one-member wrappers down to a word, to a pointer
 *   ~1 ~2 ~4 ~8  end: down to a number of that many bytes
 *   A | B    the first alternative that binds (at the top level only)
 *
 * The empty text is the root itself. Peeling skips members of size 0 and never enters an enum: a niche would be
 * read as its payload. */
#ifndef HANSEI_VALUE_PATH_H
#define HANSEI_VALUE_PATH_H

#include <stdbool.h>
#include <stdint.h>

#include "value/variant.h"

enum path_state {
	PATH_ABSENT, /* the root type, a type on the way or a variant is not in this build */
	PATH_BROKEN, /* the type is there, what the text names is not: `message` says what was found instead */
	PATH_BOUND,
};

struct path_op;

struct path {
	enum path_state state;
	uint32_t type;     /* reached; TINFO_NONE unless bound */
	uint32_t width;    /* bytes path_load reads: 1 .. 8 when the end is a number or pointer, else 0 */
	uint32_t op_count;
	const struct path_op *ops;
	uint64_t tail;     /* added last */
	const char *message; /* not bound: "`.a.b` on T: no member b (it has c, d)"; else NULL */
};

struct arena;
struct target;

/* Binds text to a root type (TINFO_NONE: absent). Never fails otherwise than by the state it leaves in *out. */
void path_bind(struct path *out, struct target *t, struct arena *arena, uint32_t root, const char *text);

/* The address of the value the path leads to from a root at `root`. OUTCOME_FAILURE leaves the address that
 * could not be read or decoded in *address. */
enum outcome path_locate(const struct path *path, struct target *t, uint64_t root, uint64_t *address);

/* The number or pointer there. A null pointer as the last value is a value (0). On OUTCOME_FAILURE *value is the
 * address at fault. */
enum outcome path_load(const struct path *path, struct target *t, uint64_t root, uint64_t *value);

/* Is the path nothing but an offset (then *offset is it)? */
bool path_is_offset(const struct path *path, uint64_t *offset);

/* Searches a type and its members by value, nearest first, at most 8 levels deep, for a type: by id, or (wanted
 * TINFO_NONE) by name. Enums are not entered. false: not in there. */
bool type_find_inside(struct target *t, uint32_t type, uint32_t wanted, const char *name, uint64_t *offset,
                      uint32_t *found);

/* Through wrappers: structs whose only member of nonzero size lies at offset 0. Depth at most 8. */
uint32_t type_peel(struct target *t, uint32_t type);
/* The only member of nonzero size of a struct (closures included), wherever it lies; false: none or several. */
struct member;
bool type_sole_member(struct target *t, uint32_t type, struct member *out);

/* The text between the outermost < > of a type name when it is a single argument; length 0 otherwise. */
const char *type_sole_argument(const char *name, uint32_t *length);

#endif
