/* Discriminants. A plan keeps the values of all variants truncated to the discriminant's width, the way they lie
 * in memory; signs were settled when the layouts were made. */
#include "value/variant.h"

#include "base/arena.h"
#include "base/cursor.h"
#include "tinfo/tinfo.h"
#include "value/target.h"

static bool discriminant_width(struct target *t, const struct type *type, uint32_t *width)
{
	*width = 0;
	if (type->target == TINFO_NONE)
		return type->count <= 1;
	struct type base = tinfo_type(t->tinfo, type->target);
	if (base.size != 1 && base.size != 2 && base.size != 4 && base.size != 8 && base.size != 16)
		return false;
	if (type->size != 0 && (type->extra > type->size || base.size > type->size - type->extra))
		return false; /* would read a neighbour */
	*width = (uint32_t)base.size;
	return true;
}

static void value_truncate(uint64_t value[2], uint32_t width)
{
	if (width <= 8)
		value[1] = 0;
	if (width < 8)
		value[0] &= (UINT64_C(1) << (8 * width)) - 1;
}

bool enum_plan_make(struct enum_plan *plan, struct target *t, struct arena *arena, uint32_t id)
{
	struct type type = tinfo_type(t->tinfo, id);
	*plan = (struct enum_plan){ .type = id, .first = type.first, .count = type.count, .fallback = TINFO_NONE };
	if ((type.kind != TYPE_ENUM && type.kind != TYPE_CENUM) || !discriminant_width(t, &type, &plan->width))
		return false;
	plan->offset = type.kind == TYPE_ENUM ? type.extra : 0;
	if (plan->width == 0)
		return true;
	uint64_t(*values)[2] = arena_array(arena, type.count, sizeof *values);
	bool *explicit_value = arena_array(arena, type.count, sizeof *explicit_value);
	plan->dense = true;
	for (uint32_t i = 0; i < type.count; i++) {
		struct variant v = tinfo_variant(t->tinfo, type.first + i);
		explicit_value[i] = type.kind == TYPE_CENUM || (v.flags & VARIANT_VALUE) != 0;
		values[i][0] = v.value[0];
		values[i][1] = v.value[1];
		value_truncate(values[i], plan->width);
		if (!explicit_value[i] && plan->fallback == TINFO_NONE)
			plan->fallback = i;
		if (!explicit_value[i] || values[i][0] != i || values[i][1] != 0)
			plan->dense = false;
	}
	plan->values = (const uint64_t(*)[2])values;
	plan->explicit_value = explicit_value;
	return true;
}

static bool discriminant_read(const struct enum_plan *plan, struct target *t, uint64_t address, uint64_t value[2])
{
	unsigned char copy[16];
	const unsigned char *at = target_peek(t, address + plan->offset, plan->width);
	if (at == NULL) {
		if (!target_read(t, address + plan->offset, copy, plan->width))
			return false;
		at = copy;
	}
	value[0] = load_uint(at, plan->width < 8 ? plan->width : 8);
	value[1] = plan->width > 8 ? load_uint(at + 8, 8) : 0;
	return true;
}

enum outcome enum_plan_live(const struct enum_plan *plan, struct target *t, uint64_t address, uint32_t *position)
{
	uint64_t value[2];
	*position = 0;
	if (plan->count == 0)
		return OUTCOME_FAILURE; /* uninhabited: there is no value of it */
	if (plan->width == 0)
		return OUTCOME_VALUE;
	if (!discriminant_read(plan, t, address, value))
		return OUTCOME_FAILURE;
	if (plan->dense) {
		*position = (uint32_t)value[0];
		return value[1] == 0 && value[0] < plan->count ? OUTCOME_VALUE : OUTCOME_FAILURE;
	}
	for (uint32_t i = 0; i < plan->count; i++) {
		if (plan->explicit_value[i] && plan->values[i][0] == value[0] && plan->values[i][1] == value[1]) {
			*position = i;
			return OUTCOME_VALUE;
		}
	}
	*position = plan->fallback;
	return plan->fallback != TINFO_NONE ? OUTCOME_VALUE : OUTCOME_FAILURE;
}
