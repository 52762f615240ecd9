/* Evaluation goes step by step from left to right, with the value reached so far; a range calls itself for each of
 * its elements. */
#include "value/expr.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/strbuf.h"
#include "value/target.h"

enum { HOPS = 32, NAME_SIZE = 256, RANGES = 8, LISTED = 24 };

struct evaluation {
	struct viewer *viewer;
	expr_visit *visit;
	void *context;
	struct expr_result result; /* where we are */
	unsigned ranges;
	bool stopped;
	uint64_t count;
};

static struct error *evaluate(struct evaluation *e, const char *at);

static const struct type *type_of(struct evaluation *e, struct value value)
{
	return &plan_of(e->viewer, value.type)->type;
}

static void go(struct evaluation *e, struct value value)
{
	e->result.value = value;
	e->result.is_entry = false;
}

static struct error *unknown_member(struct evaluation *e, struct value at, const char *name)
{
	struct strbuf names = STRBUF_INIT;
	const struct plan *plan = plan_of(e->viewer, at.type);
	struct variant variant;
	uint32_t position;
	const char *why;
	if (plan->type.kind == TYPE_ENUM && live_variant(e->viewer, at, &variant, &position, &why)) {
		if ((plan->type.flags & TYPE_COROUTINE) == 0)
			return error_new(ERROR_NOT_FOUND, "no variant '%s' is live in %s; the live one is %s", name,
			                 plan->type.name, variant.name);
		plan = plan_of(e->viewer, variant.payload);
	}
	for (uint32_t i = 0; i < plan->all_count && i < LISTED; i++) {
		const char *member = plan->all[i].name;
		strbuf_addf(&names, "%s%s", i != 0 ? ", " : "", plan->tuple && member[0] == '_' ? member + 2 : member);
	}
	struct error *err = error_new(ERROR_NOT_FOUND, "no member '%s' in %s; it has %s", name, plan->type.name,
	                              names.length != 0 ? names.text : "none");
	strbuf_release(&names);
	return err;
}

/* A member by its name, or `0` for `__0`. */
static bool member_step(struct evaluation *e, uint32_t owner, uint64_t address, const char *name)
{
	char tuple[NAME_SIZE + 2];
	struct type type = tinfo_type(e->viewer->target->tinfo, owner);
	struct member m;
	if (type.kind != TYPE_STRUCT && type.kind != TYPE_UNION)
		return false;
	if (tinfo_find_member(e->viewer->target->tinfo, &type, name, &m) == TINFO_NONE) {
		snprintf(tuple, sizeof tuple, "__%s", name);
		if (name[0] < '0' || name[0] > '9' ||
		    tinfo_find_member(e->viewer->target->tinfo, &type, tuple, &m) == TINFO_NONE)
			return false;
	}
	e->result.uncertain |= (m.flags & MEMBER_UNCERTAIN) != 0;
	e->result.shadowed |= (m.flags & MEMBER_SHADOWED) != 0;
	go(e, (struct value){ m.type, address + m.offset });
	return true;
}

/* In an enum: the live variant's name, or a member of a coroutine's live state. */
static bool variant_step(struct evaluation *e, struct value value, const char *name, const char **why)
{
	struct variant variant;
	uint32_t position;
	const struct type *type = type_of(e, value);
	if (type->kind != TYPE_ENUM || !live_variant(e->viewer, value, &variant, &position, why))
		return false;
	if (variant.payload == TINFO_NONE)
		return false;
	char number[16];
	snprintf(number, sizeof number, "%" PRIu32, position);
	bool coroutine = (type->flags & TYPE_COROUTINE) != 0;
	if (strcmp(variant.name, name) == 0 || (coroutine && strcmp(number, name) == 0)) {
		go(e, (struct value){ variant.payload, value.address + variant.offset });
		return true;
	}
	return coroutine && member_step(e, variant.payload, value.address + variant.offset, name);
}

/* One layer less: what a wrapper holds, a pointer leads to. NULL: done; else why not ("" : no wrapper). */
static const char *unwrap(struct evaluation *e, struct value *value)
{
	struct view view;
	const struct plan *plan = plan_of(e->viewer, value->type);
	view_of(e->viewer, *value, VIEW_FOR_PATH, &view);
	switch (view.kind) {
	case VIEW_SAME:
		*value = view.value;
		return NULL;
	case VIEW_POINTER:
		if (view.pointer == 0)
			return "a null pointer is on the way";
		if (view.value.type == TINFO_NONE)
			return "";
		*value = view.value;
		return NULL;
	case VIEW_ERROR:
		return "unreadable on the way";
	case VIEW_NOTHING:
		return "nothing is in there";
	case VIEW_STRUCTURE:
		if (plan->type.kind == TYPE_STRUCT && plan->member_count == 1) {
			*value = (struct value){ plan->members[0].type, value->address + plan->members[0].offset };
			return NULL;
		}
		return "";
	default:
		return "";
	}
}

static struct error *name_step(struct evaluation *e, const char *name)
{
	struct value value = e->result.value, first = value;
	const char *why = NULL;
	if (e->result.is_entry) {
		if (strcmp(name, "0") == 0)
			go(e, e->result.key);
		else if (strcmp(name, "1") == 0)
			go(e, value);
		else
			return error_new(ERROR_NOT_FOUND, "no member '%s' in an entry; it has 0 (the key), 1 (the value)", name);
		return NULL;
	}
	for (int hop = 0; hop < HOPS; hop++) {
		if (member_step(e, value.type, value.address, name) || variant_step(e, value, name, &why))
			return NULL;
		if (why != NULL)
			return error_new(ERROR_UNMAPPED, "before '%s': %s", name, why);
		const char *stop = unwrap(e, &value);
		if (stop != NULL && stop[0] != '\0')
			return error_new(ERROR_NOT_FOUND, "before '%s': %s", name, stop);
		if (stop != NULL)
			break;
		/* Members are listed of the last thing that has a choice of them. */
		const struct type *type = type_of(e, value);
		if (type->kind == TYPE_STRUCT || type->kind == TYPE_ENUM)
			first = value;
	}
	return unknown_member(e, first, name);
}

static struct error *deref_step(struct evaluation *e)
{
	struct value value = e->result.value;
	struct view view;
	for (int hop = 0; hop < HOPS; hop++) {
		view_of(e->viewer, value, VIEW_FOR_PATH, &view);
		if (view.kind == VIEW_POINTER && view.value.type != TINFO_NONE && view.pointer != 0) {
			go(e, view.value);
			return NULL;
		}
		if (unwrap(e, &value) != NULL)
			break;
	}
	if (view.kind == VIEW_POINTER && view.pointer == 0)
		return error_new(ERROR_NOT_FOUND, "'*': the pointer is null");
	return error_new(ERROR_NOT_FOUND, "'*': %s is no pointer", type_of(e, e->result.value)->name);
}

struct range {
	uint64_t first, end; /* end UINT64_MAX: all that there are */
	bool single;
};

static bool number_at(const char **at, uint64_t *value)
{
	char *end;
	if (**at < '0' || **at > '9')
		return false;
	*value = strtoull(*at, &end, 10);
	*at = end;
	return true;
}

/* Behind the opening bracket. */
static struct error *range_parse(const char **at, struct range *range)
{
	uint64_t end;
	bool begins = number_at(at, &range->first);
	range->single = false;
	range->end = UINT64_MAX;
	if (!begins)
		range->first = 0;
	if (strncmp(*at, "..", 2) == 0) {
		*at += 2;
		bool inclusive = **at == '=';
		*at += inclusive;
		if (number_at(at, &end))
			range->end = end + (inclusive && end != UINT64_MAX);
		else if (inclusive)
			return error_new(ERROR_USAGE, "an end is missing after '..='");
		if (range->first > range->end)
			return error_new(ERROR_USAGE, "the range starts past its end");
	} else if (begins) {
		range->single = true;
		range->end = range->first == UINT64_MAX ? UINT64_MAX : range->first + 1;
	} else {
		return error_new(ERROR_USAGE, "a number or range is missing after '['");
	}
	if (**at != ']')
		return error_new(ERROR_USAGE, "']' is missing at '%s'", *at);
	(*at)++;
	return NULL;
}

/* The list or map that is meant by [n]. */
static struct error *sequence_here(struct evaluation *e, struct view *view)
{
	struct value value = e->result.value;
	for (int hop = 0; hop < HOPS; hop++) {
		view_of(e->viewer, value, VIEW_FOR_PATH, view);
		if (view->kind == VIEW_LIST || view->kind == VIEW_MAP)
			return NULL;
		if (view->kind == VIEW_ERROR)
			return error_new(ERROR_UNMAPPED, "before '[': %s", view->word);
		if (unwrap(e, &value) != NULL)
			break;
	}
	return error_new(ERROR_NOT_FOUND, "'[': %s has no elements", type_of(e, e->result.value)->name);
}

static void element_take(struct evaluation *e, const struct view *view, struct value key, struct value value)
{
	e->result.value = value;
	e->result.key = key;
	e->result.is_entry = view->kind == VIEW_MAP;
}

static bool element_next(struct evaluation *e, struct view *view, struct value *key, struct value *value)
{
	*key = (struct value){ TINFO_NONE, 0 };
	return view->walk.next(e->viewer, &view->walk, key, value);
}

static bool visit_error(struct evaluation *e, struct error *err)
{
	e->result.error = error_message(err);
	e->stopped = !e->visit(e->context, &e->result);
	e->result.error = NULL;
	error_free(err);
	return !e->stopped;
}

static struct error *range_step(struct evaluation *e, const char *rest, const struct range *range, struct view *view)
{
	struct value key, value;
	struct expr_result here = e->result;
	uint64_t index = 0;
	if (e->ranges++ == RANGES)
		return error_new(ERROR_USAGE, "more than %d ranges", RANGES);
	if (walk_seek(&view->walk, range->first))
		index = view->walk.done;
	while (!e->stopped && index < range->end && element_next(e, view, &key, &value)) {
		if (index++ < range->first)
			continue;
		element_take(e, view, key, value);
		snprintf(e->result.label, sizeof e->result.label, "%.60s[%" PRIu64 "] ", here.label, index - 1);
		struct error *err = evaluate(e, rest);
		if (err != NULL && error_code(err) == ERROR_USAGE)
			return err;
		if (err != NULL)
			visit_error(e, err);
		e->result = here;
	}
	if (view->walk.error != NULL && !e->stopped)
		visit_error(e, error_new(ERROR_UNMAPPED, "%s after %" PRIu64 " elements", view->walk.error, index));
	e->result = here;
	e->ranges--;
	return NULL;
}

static struct error *index_step(struct evaluation *e, uint64_t index, struct view *view)
{
	struct value key, value;
	uint64_t at = walk_seek(&view->walk, index) ? view->walk.done : 0, length = view->walk.count;
	for (; at <= index; at++) {
		if (element_next(e, view, &key, &value))
			continue;
		if (view->walk.error != NULL)
			return error_new(ERROR_UNMAPPED, "[%" PRIu64 "]: %s", index, view->walk.error);
		return error_new(ERROR_NOT_FOUND, "[%" PRIu64 "]: there are %" PRIu64 " elements", index, length);
	}
	element_take(e, view, key, value);
	return NULL;
}

static struct error *name_take(const char **at, char name[NAME_SIZE])
{
	size_t length = strcspn(*at, ".[]* \t");
	if (length == 0)
		return error_new(ERROR_USAGE, "a name is missing at '%s'", *at);
	if (length >= NAME_SIZE)
		return error_new(ERROR_USAGE, "a name of %zu characters", length);
	memcpy(name, *at, length);
	name[length] = '\0';
	*at += length;
	return NULL;
}

static struct error *bracket_step(struct evaluation *e, const char **at, bool *done)
{
	struct range range;
	struct view view;
	(*at)++;
	struct error *err = range_parse(at, &range);
	if (err == NULL)
		err = sequence_here(e, &view);
	if (err != NULL)
		return err;
	if (range.single)
		return index_step(e, range.first, &view);
	*done = true;
	return range_step(e, *at, &range, &view);
}

static struct error *evaluate(struct evaluation *e, const char *at)
{
	bool first = e->ranges == 0;
	while (*at != '\0') {
		char name[NAME_SIZE];
		struct error *err;
		bool done = false;
		if (*at == ' ' || *at == '\t') {
			at++;
			continue;
		}
		if (*at == '[') {
			err = bracket_step(e, &at, &done);
		} else if (*at == '*') {
			at++;
			err = deref_step(e);
		} else if (*at == '.' || first) {
			at += *at == '.';
			err = name_take(&at, name);
			err = err != NULL ? err : name_step(e, name);
		} else {
			err = error_new(ERROR_USAGE, "'.', '[' or '*' is expected at '%s'", at);
		}
		if (err != NULL || done)
			return err;
		first = false;
	}
	e->count++;
	e->stopped = !e->visit(e->context, &e->result);
	return NULL;
}

struct error *expr_evaluate(struct viewer *viewer, struct value root, const char *text, expr_visit *visit, void *context,
                            uint64_t *count)
{
	struct evaluation e = { .viewer = viewer, .visit = visit, .context = context, .result = { .value = root } };
	struct error *err = evaluate(&e, text);
	*count = e.count;
	return err;
}
