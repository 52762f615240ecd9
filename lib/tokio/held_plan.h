/* held_plan.h - what a value of a type can hold that the census of held futures is after, worked out once per type:
 * production programs have millions of values of a few hundred types, most of which can hold nothing. */
#ifndef HANSEI_TOKIO_HELD_PLAN_H
#define HANSEI_TOKIO_HELD_PLAN_H

#include "base/map.h"
#include "tokio/tokio_internal.h"
#include "value/view.h"

enum hold {
	HOLD_NOTHING,
	HOLD_FUTURE,    /* a find: a coroutine, or polled by a function of its own, or known by name */
	HOLD_REFERENCE, /* the same, but what it polls is not its own: Pin<&mut F> */
	HOLD_MEMBERS,   /* parts of a struct or tuple */
	HOLD_VARIANTS,  /* an enum: what its live variant has */
	HOLD_POINTER,   /* a Box */
	HOLD_DYN,       /* a Box of a trait object that is a future or stream */
	HOLD_ELEMENTS,  /* a list or the values of a map */
	HOLD_UNORDERED, /* FuturesUnordered */
	HOLD_JOIN_SET,
	HOLD_STREAMS,   /* StreamMap: its streams are polled like futures */
	HOLD_HANDLE,    /* names a task, and is no future: AbortHandle */
	HOLD_LOCAL_SET, /* a LocalSet, or a reference to one */
};

struct hold_part {
	const char *name;
	uint32_t type;
	uint64_t offset;
};

struct hold_parts {
	const struct hold_part *items;
	uint32_t count;
};

struct hold_plan {
	enum hold kind;
	bool decided, holds;      /* can it hold anything? */
	uint32_t type;
	uint32_t target;          /* HOLD_POINTER */
	uint64_t data, vtable;    /* HOLD_DYN: offsets */
	bool dyn_future;
	bool dead_end;            /* HOLD_FUTURE: its own members are not looked at */
	struct enum_plan live;    /* HOLD_VARIANTS */
	struct path handle;       /* HOLD_HANDLE, HOLD_LOCAL_SET, HOLD_STREAMS */
};

/* The state shared by all questions. */
struct hold_types {
	struct tokio *tk;
	struct viewer viewer;
	struct map plans;  /* type -> struct hold_plan * */
	struct map parts;  /* struct type -> struct hold_parts * */
	struct map polled; /* types with a poll function */
	struct map streams;
};

void hold_types_init(struct hold_types *types, struct tokio *tk);
void hold_types_release(struct hold_types *types);

const struct hold_plan *hold_plan_of(struct hold_types *types, uint32_t type);
/* The members of a struct (or variant's payload) that can hold something. __awaitee and what is uncertain are none. */
const struct hold_parts *hold_parts_of(struct hold_types *types, uint32_t type);

#endif
