/* Binding: the text is read once, step by step, with the type reached so far; offsets are summed up until a step
 * needs the target. `<*>` binds the rest of the text once per variant, so binding is recursive in it (depth
 * bounded by the text). Knowledge: how rustc describes structs, enums and pointers (DWARF 5 sections 5.3, 5.7). */
#include "value/path.h"

#include <string.h>

#include "base/arena.h"
#include "base/strbuf.h"
#include "tinfo/tinfo.h"
#include "value/path_op.h"
#include "value/target.h"

enum { OPS_MAX = 24, NAME_MAX_LENGTH = 128, SWITCH_DEPTH = 4 };

struct binder {
	struct target *t;
	struct arena *arena;
	const char *whole; /* the alternative's text, for messages */
	uint32_t root;
	const char *at;
	uint32_t type;
	uint64_t pending; /* offset summed up since the last op */
	struct path_op ops[OPS_MAX];
	uint32_t op_count;
	int depth; /* of <*> */
	enum path_state state;
	const char *message;
	const struct path *branch; /* set by <*>: gives end type and width */
};

static void bind_text(struct path *out, struct target *t, struct arena *arena, uint32_t root, const char *text,
                      int depth);

/* Stops the binding: what is wrong here and what the type offers instead. */
static bool bind_stop(struct binder *b, enum path_state state, const char *what, const char *name)
{
	struct type type = tinfo_type(b->t->tinfo, b->type);
	struct strbuf sb = STRBUF_INIT;
	bool variants = type.kind == TYPE_ENUM || type.kind == TYPE_CENUM;
	strbuf_addf(&sb, "`%s` on %s: ", b->whole, tinfo_type(b->t->tinfo, b->root).name);
	strbuf_addf(&sb, what, name);
	strbuf_addf(&sb, " in `%s`", type.name);
	if (type.kind == TYPE_STRUCT || type.kind == TYPE_UNION || variants) {
		strbuf_adds(&sb, type.count == 0 ? " (it has nothing" : " (it has ");
		for (uint32_t i = 0; i < type.count && i < 24; i++)
			strbuf_addf(&sb, "%s%s", i > 0 ? ", " : "",
			            variants ? tinfo_variant(b->t->tinfo, type.first + i).name
			                     : tinfo_member(b->t->tinfo, type.first + i).name);
		strbuf_adds(&sb, type.count > 24 ? ", …)" : ")");
	}
	b->state = state;
	b->message = arena_strdup(b->arena, sb.text);
	strbuf_release(&sb);
	return false;
}

static bool op_add(struct binder *b, enum path_code code, const struct enum_plan *plan, uint32_t wanted)
{
	if (b->op_count == OPS_MAX)
		return bind_stop(b, PATH_BROKEN, "path too long%s", "");
	b->ops[b->op_count++] = (struct path_op){ code, wanted, b->pending, plan, NULL };
	b->pending = 0;
	return true;
}

/* Copies a name up to a delimiter; false when it is empty or too long. */
static bool name_take(struct binder *b, const char *stop, char name[NAME_MAX_LENGTH])
{
	size_t length = strcspn(b->at, stop);
	if (length == 0 || length >= NAME_MAX_LENGTH)
		return bind_stop(b, PATH_BROKEN, "bad path syntax at `%s`", b->at);
	memcpy(name, b->at, length);
	name[length] = '\0';
	b->at += length;
	return true;
}

static bool step_member(struct binder *b)
{
	char name[NAME_MAX_LENGTH];
	struct member m;
	b->at++;
	if (!name_take(b, ".-<~? ", name))
		return false;
	struct type type = tinfo_type(b->t->tinfo, b->type);
	if (type.kind == TYPE_OPAQUE)
		return bind_stop(b, PATH_ABSENT, "no layout for member `%s`", name);
	if ((type.kind != TYPE_STRUCT && type.kind != TYPE_UNION) ||
	    tinfo_find_member(b->t->tinfo, &type, name, &m) == TINFO_NONE)
		return bind_stop(b, PATH_BROKEN, "no member `%s`", name);
	b->pending += m.offset;
	b->type = m.type;
	return true;
}

static bool step_deref(struct binder *b)
{
	struct type type = tinfo_type(b->t->tinfo, b->type);
	b->at += 2;
	if (type.kind == TYPE_OPAQUE)
		return bind_stop(b, PATH_ABSENT, "no layout for `->`%s", "");
	if (type.kind != TYPE_POINTER || type.target == TINFO_NONE)
		return bind_stop(b, PATH_BROKEN, "no pointer to follow%s", "");
	if (!op_add(b, OP_DEREF, NULL, 0))
		return false;
	b->type = type.target;
	return true;
}

static const struct enum_plan *plan_here(struct binder *b)
{
	struct enum_plan *plan = arena_alloc(b->arena, sizeof *plan);
	return enum_plan_make(plan, b->t, b->arena, b->type) ? plan : NULL;
}

/* `<*>`: the rest of the text for every variant, all ending at one type. */
static bool step_any(struct binder *b, const struct type *type)
{
	const struct enum_plan *plan = plan_here(b);
	if (plan == NULL || type->count == 0 || b->depth == SWITCH_DEPTH)
		return bind_stop(b, PATH_BROKEN, "discriminant of no readable size%s", "");
	struct path *branches = arena_array(b->arena, type->count, sizeof *branches);
	for (uint32_t i = 0; i < type->count; i++) {
		struct variant v = tinfo_variant(b->t->tinfo, type->first + i);
		bind_text(&branches[i], b->t, b->arena, v.payload, b->at, b->depth + 1);
		struct path *p = &branches[i];
		if (p->state != PATH_BOUND) {
			b->state = p->state;
			b->message = p->message;
			return false;
		}
		if (p->type != branches[0].type)
			return bind_stop(b, PATH_BROKEN, "`<*>` ends at several types%s", "");
		if (p->op_count == 0) {
			p->tail += v.offset;
		} else {
			struct path_op *ops = arena_copy(b->arena, p->ops, p->op_count * sizeof *ops);
			ops[0].offset += v.offset;
			p->ops = ops;
		}
	}
	if (!op_add(b, OP_SWITCH, plan, 0))
		return false;
	b->ops[b->op_count - 1].branches = branches;
	b->branch = &branches[0];
	b->at += strlen(b->at);
	return true;
}

static bool step_variant(struct binder *b)
{
	char name[NAME_MAX_LENGTH];
	struct variant v;
	b->at++;
	if (!name_take(b, ">", name))
		return false;
	if (*b->at != '>')
		return bind_stop(b, PATH_BROKEN, "bad path syntax after `<%s`", name);
	b->at++;
	struct type type = tinfo_type(b->t->tinfo, b->type);
	if (type.kind == TYPE_OPAQUE)
		return bind_stop(b, PATH_ABSENT, "no layout for variant `%s`", name);
	if (type.kind != TYPE_ENUM && type.kind != TYPE_CENUM)
		return bind_stop(b, PATH_BROKEN, "no enum with a variant `%s`", name);
	if (strcmp(name, "*") == 0)
		return step_any(b, &type);
	uint32_t index = tinfo_find_variant(b->t->tinfo, &type, name, &v);
	if (index == TINFO_NONE)
		return bind_stop(b, PATH_ABSENT, "no variant `%s`", name);
	const struct enum_plan *plan = plan_here(b);
	if (plan == NULL)
		return bind_stop(b, PATH_BROKEN, "discriminant of no readable size before `%s`", name);
	if (plan->width != 0 && !op_add(b, OP_CHECK, plan, index - type.first))
		return false;
	b->pending += v.offset;
	b->type = v.payload;
	return true;
}

static bool step_argument(struct binder *b)
{
	uint32_t length, found;
	uint64_t offset;
	struct type type = tinfo_type(b->t->tinfo, b->type);
	b->at += 2;
	const char *at = type_sole_argument(type.name, &length);
	if (length == 0)
		return bind_stop(b, type.kind == TYPE_OPAQUE ? PATH_ABSENT : PATH_BROKEN,
		                 "no sole generic argument%s", "");
	const char *name = arena_strndup(b->arena, at, length);
	if (!type_find_inside(b->t, b->type, TINFO_NONE, name, &offset, &found))
		return bind_stop(b, PATH_BROKEN, "no member of type `%s`", name);
	b->pending += offset;
	b->type = found;
	return true;
}

static bool step_peel(struct binder *b)
{
	char how = b->at[1];
	b->at += 2;
	b->type = type_peel(b->t, b->type);
	struct type type = tinfo_type(b->t->tinfo, b->type);
	if (type.kind == TYPE_OPAQUE)
		return bind_stop(b, PATH_ABSENT, "no layout to peel%s", "");
	bool number = type.kind == TYPE_BASE || type.kind == TYPE_CENUM;
	bool pointer = type.kind == TYPE_POINTER;
	bool fits = (how == 'w' && (number || pointer) && type.size == 8) || (how == 'p' && pointer) ||
	            (number && how >= '1' && how <= '8' && type.size == (uint64_t)(how - '0'));
	if (!fits)
		return bind_stop(b, PATH_BROKEN, "peeling does not end as `~%s` asks", (char[]){ how, '\0' });
	return true;
}

static bool bind_step(struct binder *b)
{
	if (b->type == TINFO_NONE)
		return bind_stop(b, PATH_ABSENT, "no type before `%s`", b->at);
	if (*b->at == '.')
		return step_member(b);
	if (*b->at == '-' && b->at[1] == '>')
		return step_deref(b);
	if (*b->at == '<')
		return step_variant(b);
	if (*b->at == '?' && b->at[1] == 'T')
		return step_argument(b);
	if (*b->at == '~' && b->at[1] != '\0')
		return step_peel(b);
	return bind_stop(b, PATH_BROKEN, "bad path syntax at `%s`", b->at);
}

static uint32_t load_width(struct target *t, uint32_t id)
{
	struct type type = tinfo_type(t->tinfo, id);
	if (type.kind == TYPE_POINTER)
		return 8;
	if (type.kind != TYPE_BASE && type.kind != TYPE_CENUM)
		return 0;
	return type.size <= 8 ? (uint32_t)type.size : 0;
}

static void bind_text(struct path *out, struct target *t, struct arena *arena, uint32_t root, const char *text,
                      int depth)
{
	struct binder b = { .t = t, .arena = arena, .whole = text, .root = root, .at = text, .type = root,
		            .depth = depth, .state = PATH_BOUND };
	*out = (struct path){ .state = PATH_ABSENT, .type = TINFO_NONE };
	if (root == TINFO_NONE) {
		out->message = arena_printf(arena, "`%s`: its root type is not in this build", text);
		return;
	}
	while (*b.at != '\0' && bind_step(&b))
		;
	out->state = b.state;
	out->message = b.message;
	if (b.state != PATH_BOUND)
		return;
	out->ops = arena_copy(arena, b.ops, b.op_count * sizeof b.ops[0]);
	out->op_count = b.op_count;
	out->tail = b.pending;
	out->type = b.branch != NULL ? b.branch->type : b.type;
	out->width = b.branch != NULL ? b.branch->width : out->type == TINFO_NONE ? 0 : load_width(t, out->type);
}

void path_bind(struct path *out, struct target *t, struct arena *arena, uint32_t root, const char *text)
{
	struct path first = { .state = PATH_ABSENT, .type = TINFO_NONE };
	for (bool again = true, any = false; again; any = true) {
		const char *bar = strstr(text, " | ");
		size_t length = bar != NULL ? (size_t)(bar - text) : strlen(text);
		bind_text(out, t, arena, root, arena_strndup(arena, text, length), 0);
		if (out->state == PATH_BOUND)
			return;
		if (!any || out->state > first.state)
			first = *out; /* broken says more than absent */
		again = bar != NULL;
		text += again ? length + 3 : 0;
	}
	*out = first;
}
