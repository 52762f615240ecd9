/* frame_plan.h - what is known of a type as a link of an await chain, worked out once per type: which states it
 * has, where each is written, what it polls next. */
#ifndef HANSEI_TOKIO_FRAME_PLAN_H
#define HANSEI_TOKIO_FRAME_PLAN_H

#include "tokio/tokio_internal.h"

enum step {
	STEP_UNKNOWN,   /* no rule */
	STEP_LEAF,      /* polls no other future */
	STEP_NEVER,
	STEP_COROUTINE, /* states[live] */
	STEP_VARIANTS,  /* an enum by hand: states[live] */
	STEP_MEMBER,    /* a part of the value: next_offset, next_type */
	STEP_POINTER,   /* a thin pointer to next_type */
	STEP_DYN,       /* a wide pointer */
	STEP_PATHS,     /* the first of paths that leads somewhere */
};

struct frame_state {
	const char *name;
	const char *file;    /* await site; NULL none */
	uint32_t line;
	uint32_t variant;    /* index in the tinfo */
	uint32_t locals;
	uint32_t next_type;  /* TINFO_NONE: none, see end */
	uint64_t next_offset;
	enum chain_end end;
	bool foreign, inferred;
};

enum { PLAN_PATHS = 4 };

struct frame_plan {
	uint32_t type;
	enum step step;
	bool silent;      /* no frame of its own */
	bool projection;  /* an enum that is no future itself: no frame of its own when it is part of one */
	bool inferred;    /* what comes next is a guess */
	bool coroutine;
	bool sized;
	uint64_t size;
	enum future_kind kind;
	const char *name;
	uint32_t locals;
	struct enum_plan live;            /* STEP_COROUTINE, STEP_VARIANTS */
	const struct frame_state *states; /* per variant */
	uint32_t next_type;
	uint64_t next_offset;
	uint64_t data_offset, vtable_offset; /* STEP_DYN */
	bool dyn_future;                     /* the trait is Future itself: slot 3 is poll */
	struct path paths[PLAN_PATHS];
	uint32_t path_count;
	const struct branching *branching; /* NULL: it polls one future at a time */
	enum fork fork;
};

const struct frame_plan *frame_plan_of(struct tokio *tk, uint32_t type);

/* Futures we know by name (adapters.c). */
enum adapter_kind { ADAPTER_NEXT, ADAPTER_SILENT, ADAPTER_LEAF, ADAPTER_NEVER };
struct adapter {
	const char *type;  /* path without generic arguments */
	const char *next;  /* path to what it polls; NULL for leaves */
	enum adapter_kind kind;
};
/* The rows of a type name: the first, and how many follow it; NULL: none. */
const struct adapter *adapter_find(const char *type_name, size_t *count);

/* Is a value of this type a future, as far as names and the layouts' poll functions tell? */
bool type_is_future(struct tokio *tk, uint32_t type);

/* branch.c: completes the plan of a future that polls several others, or that is a poll_fn closure. */
void frame_plan_branch(struct tokio *tk, struct frame_plan *plan, const struct type *type);

/* The concrete type behind a trait object's vtable. */
struct dyn_type {
	uint32_t type;       /* TINFO_NONE: unknown or ambiguous */
	bool ambiguous;
	const char *note;    /* why there is none */
};
const struct dyn_type *dyn_type_of(struct tokio *tk, uint64_t vtable, bool trait_is_future);

#endif
