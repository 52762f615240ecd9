/* variant.h - which variant of an enum is live. A plan is made once per type and used for many values: no
 * allocation and no look-up of layouts then. Rules: explicit discriminants win, the default (dataful niche)
 * variant takes the rest, a single variant without discriminant is always live, discriminants have 1, 2, 4, 8 or
 * 16 bytes (DWARF 5 section 5.7.10 and what rustc makes of it). A value that fits no variant is a failure. */
#ifndef HANSEI_VALUE_VARIANT_H
#define HANSEI_VALUE_VARIANT_H

#include <stdbool.h>
#include <stdint.h>

struct arena;
struct target;

/* What became of an evaluation. VARIANT and NULL are ordinary states of a running program, ABSENT means that
 * this build has no such thing; only FAILURE is an error. */
enum outcome {
	OUTCOME_VALUE,
	OUTCOME_VARIANT, /* a variant on the way is not the live one */
	OUTCOME_NULL,    /* a pointer on the way is null */
	OUTCOME_FAILURE, /* memory unreadable, or a discriminant that fits no variant */
	OUTCOME_ABSENT,  /* the path is not bound in this build */
};

struct enum_plan {
	uint32_t type;
	uint32_t first, count;      /* variants, as in struct type */
	uint64_t offset;            /* of the discriminant */
	uint32_t width;             /* of the discriminant in bytes; 0: nothing to read */
	bool dense;                 /* variant i has the value i: no search */
	uint32_t fallback;          /* position of the default variant, or TINFO_NONE */
	const uint64_t (*values)[2]; /* per position, low and high word; NULL when dense */
	const bool *explicit_value; /* per position: is values[i] meaningful */
};

/* Makes the plan of an enum or coroutine; false when the type is none or its discriminant has an odd size. The
 * plan's arrays live in the arena. */
bool enum_plan_make(struct enum_plan *plan, struct target *t, struct arena *arena, uint32_t type);

/* Position (0 .. count - 1) of the variant that is live in the value at address. OUTCOME_VALUE or
 * OUTCOME_FAILURE. */
enum outcome enum_plan_live(const struct enum_plan *plan, struct target *t, uint64_t address, uint32_t *position);

#endif
