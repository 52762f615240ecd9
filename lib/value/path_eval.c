/* Evaluation of bound paths: the hot side. Addresses wrap freely; only reads decide what is there. */
#include "base/cursor.h"
#include "value/path_op.h"
#include "value/target.h"

static enum outcome variant_check(const struct path_op *op, struct target *t, uint64_t at)
{
	uint32_t live;
	enum outcome outcome = enum_plan_live(op->plan, t, at, &live);
	if (outcome == OUTCOME_VALUE && live != op->wanted)
		return OUTCOME_VARIANT;
	return outcome;
}

static enum outcome pointer_follow(struct target *t, uint64_t *at)
{
	uint64_t to;
	if (!target_word(t, *at, &to))
		return OUTCOME_FAILURE;
	if (to == 0)
		return OUTCOME_NULL;
	*at = to;
	return OUTCOME_VALUE;
}

enum outcome path_locate(const struct path *path, struct target *t, uint64_t root, uint64_t *address)
{
	uint64_t at = root;
	*address = root;
	if (path->state != PATH_BOUND)
		return OUTCOME_ABSENT;
	for (uint32_t i = 0; i < path->op_count; i++) {
		const struct path_op *op = &path->ops[i];
		enum outcome outcome = OUTCOME_VALUE;
		uint32_t live;
		at += op->offset;
		switch (op->code) {
		case OP_DEREF:
			outcome = pointer_follow(t, &at);
			break;
		case OP_CHECK:
			outcome = variant_check(op, t, at);
			break;
		case OP_SWITCH:
			outcome = enum_plan_live(op->plan, t, at, &live);
			if (outcome == OUTCOME_VALUE)
				return path_locate(&op->branches[live], t, at, address);
			break;
		}
		*address = at;
		if (outcome != OUTCOME_VALUE)
			return outcome;
	}
	*address = at + path->tail;
	return OUTCOME_VALUE;
}

enum outcome path_load(const struct path *path, struct target *t, uint64_t root, uint64_t *value)
{
	uint64_t at;
	enum outcome outcome = path_locate(path, t, root, &at);
	*value = at;
	if (outcome != OUTCOME_VALUE)
		return outcome;
	if (path->width == 0 || !target_uint(t, at, path->width, value))
		return OUTCOME_FAILURE;
	return OUTCOME_VALUE;
}

bool path_is_offset(const struct path *path, uint64_t *offset)
{
	*offset = path->tail;
	return path->state == PATH_BOUND && path->op_count == 0;
}
