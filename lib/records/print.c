/* Values as records. Each is written as it is rendered: what is between its parts never gathers in memory. */
#include "records/print.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "attach/attach.h"
#include "base/error.h"
#include "base/utf8.h"
#include "cli/status.h"
#include "crates/formats.h"
#include "out/json.h"
#include "out/text.h"
#include "records/session.h"
#include "tokio/formats.h"
#include "tokio/tokio.h"
#include "value/expr.h"
#include "value/render.h"
#include "value/target.h"

static void write_out(void *context, const char *bytes, size_t length)
{
	struct printer *p = context;
	out_write(p->out, bytes, length);
}

/* JSON inside a TSV field: of what TSV escapes only the backslash occurs in it. */
static void write_field(void *context, const char *bytes, size_t length)
{
	struct printer *p = context;
	for (size_t at = 0; at < length;) {
		const char *slash = memchr(bytes + at, '\\', length - at);
		size_t plain = slash != NULL ? (size_t)(slash - bytes) - at + 1 : length - at;
		out_write(p->out, bytes + at, plain);
		at += plain;
		if (slash != NULL)
			out_write(p->out, "\\", 1);
	}
}

void printer_open(struct printer *p, struct session *session, enum format format, const struct render_options *options)
{
	*p = (struct printer){ .session = session, .out = session->out, .format = format, .options = *options };
	p->options.write = format == FORMAT_TSV ? write_field : write_out;
	p->options.context = p;
	p->labels = tokio_labels_new(session->tokio);
	p->tables[0] = tokio_formats();
	p->tables[3] = tokio_sync_formats();
	p->tables[1] = crate_formats();
	p->tables[2] = crate_web_formats();
	viewer_init(&p->viewer, &session->attachment->target, p->tables);
	p->viewer.context = p->labels;
	p->viewer.label = tokio_label;
	p->viewer.is_future = tokio_is_future;
}

void printer_close(struct printer *p)
{
	viewer_release(&p->viewer);
	tokio_labels_free(p->labels);
}

void printer_header(struct printer *p)
{
	out_text(p->out, "ref\tpath\ttype\taddress\tvalue\n");
}

static const char *type_name(struct printer *p, uint32_t type)
{
	return tinfo_type(p->viewer.target->tinfo, type).name;
}

/* One value as a line of TSV or JSON. */
struct record {
	const char *ref, *path;
	struct value value, key;
	bool is_entry, uncertain;
	const char *error;
};

static void put_value(struct printer *p, struct render *r, const struct record *record)
{
	if (record->error != NULL) {
		strbuf_adds(&r->out, "{\"$error\":");
		render_string_json(r, record->error);
		strbuf_addc(&r->out, '}');
	} else if (record->is_entry) {
		render_pair_json(r, record->key, record->value, p->options.depth);
	} else {
		render_json(r, record->value, p->options.depth);
	}
}

static void put_record(struct printer *p, const struct record *record)
{
	struct strbuf head = STRBUF_INIT;
	struct render r;
	render_init(&r, &p->viewer, &p->options);
	bool typed = record->error == NULL && !record->is_entry;
	struct value named = typed ? render_peeled(&r, record->value) : record->value;
	if (p->format == FORMAT_JSON) {
		struct json j = json_into(&head);
		json_object(&j);
		json_key(&j, "ref");
		json_string(&j, record->ref);
		json_key(&j, "path");
		json_string(&j, record->path);
		json_key(&j, "type");
		json_string(&j, typed ? type_name(p, named.type) : NULL);
		json_key(&j, "address");
		if (typed)
			json_address(&j, named.address);
		else
			json_null(&j);
		json_key(&j, "value");
		out_write(p->out, head.text, head.length);
		put_value(p, &r, record);
		render_release(&r);
		out_printf(p->out, ",\"uncertain\":%s}\n", record->uncertain ? "true" : "false");
	} else {
		text_add_tsv(&head, record->ref != NULL ? record->ref : "");
		strbuf_addc(&head, '\t');
		text_add_tsv(&head, record->path);
		strbuf_addc(&head, '\t');
		text_add_tsv(&head, typed ? type_name(p, named.type) : "");
		if (typed)
			strbuf_addf(&head, "\t0x%" PRIx64 "\t", named.address);
		else
			strbuf_adds(&head, "\t\t");
		out_write(p->out, head.text, head.length);
		put_value(p, &r, record);
		render_release(&r);
		out_text(p->out, "\n");
	}
	p->incomplete |= r.incomplete || record->error != NULL;
	strbuf_release(&head);
}

/* `name: TYPE = value`, the type left out where the value opens with it. */
static void put_local(struct printer *p, const struct member *m, struct value value)
{
	struct render r;
	uint64_t depth = p->options.depth != 0 && p->options.depth != UINT64_MAX ? p->options.depth - 1 : p->options.depth;
	render_init(&r, &p->viewer, &p->options);
	r.indent = 2;
	utf8_escape(&r.out, m->name, strlen(m->name));
	if ((m->flags & MEMBER_UNCERTAIN) != 0)
		strbuf_adds(&r.out, " (maybe moved)");
	if ((m->flags & MEMBER_SHADOWED) != 0)
		strbuf_adds(&r.out, " (one of several of this name)");
	strbuf_adds(&r.out, ": ");
	const char *name = type_name(p, m->type);
	if (!render_opens_with_type(&r, value, depth) && name[0] != '\0') {
		utf8_escape(&r.out, name, strlen(name));
		strbuf_adds(&r.out, " = ");
	}
	render_text(&r, value, depth);
	strbuf_addc(&r.out, '\n');
	render_release(&r);
	p->incomplete |= r.incomplete;
}

/* Compiler's own slots, and the second entry of a variable that is listed twice. */
static bool is_local(const struct plan *plan, const struct member *members, uint32_t index)
{
	const struct member *m = &members[index];
	if (strncmp(m->name, "__", 2) == 0 && !plan->tuple)
		return false;
	for (uint32_t i = 0; i < index; i++)
		if (members[i].offset == m->offset && strcmp(members[i].name, m->name) == 0)
			return false;
	return true;
}

/* What the members of a frame are: those of the live state, of the live variant, of the struct. */
static const struct plan *frame_members(struct printer *p, const struct frame *frame, uint64_t *address)
{
	struct variant variant;
	uint32_t position;
	const char *why;
	struct value value = { frame->type, frame->address };
	const struct plan *plan = plan_of(&p->viewer, frame->type);
	*address = frame->address;
	if (plan->type.kind != TYPE_ENUM)
		return plan;
	if (!live_variant(&p->viewer, value, &variant, &position, &why)) {
		status_warn(p->out, "0x%" PRIx64 ": %s", frame->address, why);
		p->incomplete = true;
		return NULL;
	}
	*address += variant.offset;
	return variant.payload != TINFO_NONE ? plan_of(&p->viewer, variant.payload) : NULL;
}

void printer_locals(struct printer *p, const char *ref, const struct frame *frame)
{
	uint64_t address;
	uint32_t count = 0;
	const struct plan *plan = frame_members(p, frame, &address);
	/* Text leaves out what has no size: there is nothing to see. */
	const struct member *members = plan == NULL ? NULL : p->format == FORMAT_TABLE ? plan->members : plan->all;
	uint32_t members_count = plan == NULL ? 0 : p->format == FORMAT_TABLE ? plan->member_count : plan->all_count;
	for (uint32_t i = 0; i < members_count && !out_failed(p->out); i++) {
		const struct member *m = &members[i];
		if (!is_local(plan, members, i))
			continue;
		struct value value = { m->type, address + m->offset };
		struct record record = { .ref = ref, .path = plan->tuple ? m->name + 2 : m->name, .value = value,
			                 .uncertain = (m->flags & (MEMBER_UNCERTAIN | MEMBER_SHADOWED)) != 0 };
		if (p->format == FORMAT_TABLE)
			put_local(p, m, value);
		else
			put_record(p, &record);
		count++;
	}
	if (count == 0 && p->format == FORMAT_TABLE)
		out_text(p->out, "no locals\n");
	p->shown += count;
}

struct visit {
	struct printer *p;
	const char *ref, *path;
};

static void put_text(struct printer *p, const struct expr_result *result)
{
	struct render r;
	render_init(&r, &p->viewer, &p->options);
	strbuf_adds(&r.out, result->label);
	if (result->uncertain)
		strbuf_adds(&r.out, "(maybe moved) ");
	if (result->error != NULL) {
		strbuf_addf(&r.out, "<%s>", result->error);
		r.incomplete = true;
	} else if (result->is_entry) {
		render_pair_text(&r, result->key, result->value, p->options.depth);
	} else {
		struct value value = render_peeled(&r, result->value);
		const char *name = type_name(p, value.type);
		if (!render_opens_with_type(&r, value, p->options.depth) && name[0] != '\0') {
			utf8_escape(&r.out, name, strlen(name));
			strbuf_adds(&r.out, " = ");
		}
		render_text(&r, value, p->options.depth);
	}
	strbuf_addc(&r.out, '\n');
	render_release(&r);
	p->incomplete |= r.incomplete;
}

static bool visit_result(void *context, const struct expr_result *result)
{
	struct visit *v = context;
	if (v->p->format == FORMAT_TABLE) {
		put_text(v->p, result);
		return !out_failed(v->p->out);
	}
	/* Of several values each says which it is: `jobs[1..3].id` is, for the second of them, `jobs[1..3].id` [2]. */
	struct strbuf path = STRBUF_INIT;
	strbuf_addf(&path, "%s%s%s", v->path, result->label[0] != '\0' ? " " : "", result->label);
	while (path.length != 0 && path.text[path.length - 1] == ' ')
		strbuf_cut(&path, path.length - 1);
	struct record record = { v->ref, path.text, result->value, result->key, result->is_entry,
		                 result->uncertain || result->shadowed, result->error };
	put_record(v->p, &record);
	strbuf_release(&path);
	return !out_failed(v->p->out);
}

struct error *printer_path(struct printer *p, const char *ref, struct value root, const char *path)
{
	struct visit v = { p, ref, path };
	uint64_t count;
	struct error *err = expr_evaluate(&p->viewer, root, path, visit_result, &v, &count);
	if (err == NULL && count == 0 && p->format == FORMAT_TABLE)
		out_text(p->out, "0 values\n");
	p->shown += count;
	return err;
}

static bool visit_first(void *context, const struct expr_result *result)
{
	*(struct expr_result *)context = *result;
	return false;
}

struct error *printer_extent(struct printer *p, struct value root, const char *path, uint64_t *address, uint64_t *length)
{
	struct expr_result result = { .value = root };
	struct view view;
	uint64_t count;
	struct error *err = expr_evaluate(&p->viewer, root, path, visit_first, &result, &count);
	if (err != NULL)
		return err;
	struct value value = result.value;
	*address = value.address;
	*length = tinfo_type(p->viewer.target->tinfo, value.type).size;
	for (int hop = 0; hop < 8; hop++) {
		view_of(&p->viewer, value, VIEW_FOR_PATH, &view);
		if (view.kind != VIEW_SAME)
			break;
		value = view.value;
	}
	if (view.kind == VIEW_TEXT) {
		*address = view.address;
		*length = view.length;
	} else if (view.kind == VIEW_LIST && view.walk.next == walk_array) {
		*address = view.walk.base;
		*length = view.walk.count * view.walk.stride;
	}
	return NULL;
}

struct error *printer_type(struct printer *p, const char *name, uint32_t *type)
{
	struct tinfo *ti = p->viewer.target->tinfo;
	uint32_t first, count = tinfo_types_named(ti, name, &first);
	if (name[0] != '\0' && name[strspn(name, "0123456789")] == '\0') {
		unsigned long id = strtoul(name, NULL, 10);
		if (id >= tinfo_count(ti, TABLE_TYPES))
			return error_new(ERROR_NOT_FOUND, "no type number %s", name);
		*type = (uint32_t)id;
		return NULL;
	}
	if (count == 0)
		return error_new(ERROR_NOT_FOUND, "no type '%s' in the layouts", name);
	*type = tinfo_nth_named(ti, first);
	struct type one = tinfo_type(ti, *type);
	struct strbuf ids = STRBUF_INIT;
	bool same = true;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t id = tinfo_nth_named(ti, first + i);
		same &= tinfo_type(ti, id).size == one.size && tinfo_type(ti, id).kind == one.kind;
		strbuf_addf(&ids, "%s%" PRIu32, i != 0 ? ", " : "", id);
	}
	struct error *err = NULL;
	if (count > 1 && !same)
		err = error_new(ERROR_NOT_FOUND, "several types are called '%s': give the number, one of %s", name, ids.text);
	strbuf_release(&ids);
	return err;
}
