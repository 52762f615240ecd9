/* path_op.h - the steps of a bound path, shared by binding (path.c) and evaluation (path_eval.c). */
#ifndef HANSEI_VALUE_PATH_OP_H
#define HANSEI_VALUE_PATH_OP_H

#include "value/path.h"

enum path_code {
	OP_DEREF,  /* the pointer here is where to go on */
	OP_CHECK,  /* variant `wanted` must be live; the address stays */
	OP_SWITCH, /* go on with the branch of the live variant; always the last op */
};

struct path_op {
	enum path_code code;
	uint32_t wanted;
	uint64_t offset;              /* added before the step */
	const struct enum_plan *plan; /* OP_CHECK, OP_SWITCH */
	const struct path *branches;  /* OP_SWITCH: one per variant, from the enum's address */
};

#endif
