/* What the text of a value will look like. */
#include "value/render_leaf.h"

#include <string.h>

bool text_is_tuple(const struct plan *plan)
{
	return plan->type.name[0] == '(';
}

bool text_is_bare_enum(const struct type *type)
{
	return strncmp(type->name, "core::option::Option<", 21) == 0 ||
	       strncmp(type->name, "core::result::Result<", 21) == 0;
}

/* The only member of a struct that fills it: one more name for a number. Closures keep their looks. */
static bool newtype(const struct plan *plan, struct value value, struct value *inner)
{
	if (plan->type.kind != TYPE_STRUCT || plan->member_count != 1 || plan->members[0].offset != 0 ||
	    strstr(plan->type.name, "closure_env#") != NULL)
		return false;
	*inner = (struct value){ plan->members[0].type, value.address };
	return true;
}

bool text_scalar_inside(struct render *r, struct value value, struct value *inner)
{
	for (int hop = 0; hop < LEAF_HOPS; hop++) {
		const struct plan *plan = plan_of(r->viewer, value.type);
		struct view view;
		if (plan->formatter == NULL && type_is_scalar(&plan->type)) {
			*inner = value;
			return true;
		}
		if (plan->formatter != NULL) {
			render_view(r, value, VIEW_FOR_TEXT, &view);
			if (view.kind != VIEW_SAME)
				return false;
			value = view.value;
		} else if (!newtype(plan, value, &value)) {
			return false;
		}
	}
	return false;
}

bool text_is_leaf(struct render *r, struct value value)
{
	struct view view;
	struct value inner;
	for (int hop = 0; hop < LEAF_HOPS; hop++) {
		const struct plan *plan = plan_of(r->viewer, value.type);
		if (text_scalar_inside(r, value, &inner))
			return true;
		render_view(r, value, VIEW_FOR_TEXT, &view);
		if (view.kind == VIEW_SAME) {
			value = view.value;
			continue;
		}
		if (view.kind != VIEW_STRUCTURE)
			return view.kind != VIEW_LIST && view.kind != VIEW_MAP && view.kind != VIEW_RECORD &&
			       view.kind != VIEW_OPAQUE;
		return plan->type.kind == TYPE_CENUM || (plan->type.kind == TYPE_STRUCT && plan->all_count == 0);
	}
	return false;
}

bool render_opens_with_type(struct render *r, struct value value, uint64_t depth)
{
	struct view view;
	struct value inner;
	for (int hop = 0; hop < LEAF_HOPS; hop++) {
		render_view(r, value, VIEW_FOR_TEXT, &view);
		if (view.kind != VIEW_SAME)
			break;
		value = view.value;
	}
	const struct plan *plan = plan_of(r->viewer, value.type);
	if (view.kind == VIEW_MAP || view.kind == VIEW_RECORD || view.kind == VIEW_OPAQUE)
		return true;
	if (view.kind == VIEW_LIST)
		return view.braces;
	if (view.kind != VIEW_STRUCTURE)
		return false;
	switch (plan->type.kind) {
	case TYPE_STRUCT:
	case TYPE_UNION:
		if (text_is_tuple(plan))
			return depth == 0;
		return r->options.ugly || !text_scalar_inside(r, value, &inner);
	case TYPE_ENUM:
		return (plan->type.flags & TYPE_COROUTINE) == 0 && !text_is_bare_enum(&plan->type) && depth != 0;
	case TYPE_CENUM:
		return true;
	default:
		return false;
	}
}
