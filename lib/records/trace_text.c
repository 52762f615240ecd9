#include "records/trace_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "base/utf8.h"
#include "out/out.h"
#include "out/table.h"
#include "out/text.h"
#include "records/frame_cells.h"
#include "records/trace.h"
#include "tinfo/tinfo.h"
#include "tokio/branch.h"

enum { KIND_WIDTH = 13, DETAIL = 6, ENTRY = 8, FORK_DEPTH = 8, NAME_LEAST = 11 };

struct printer {
	struct out *out;
	struct traces *traces;
	const struct trace_options *options;
	unsigned indent; /* columns before everything */
	int depth;       /* of forks */
};

static void print_chain(struct printer *p, const struct trace *trace);

static void line_begin(struct printer *p, unsigned columns)
{
	out_printf(p->out, "%*s", (int)(p->indent + columns), "");
}

/* A name cut so that the line with `used` other columns fits the terminal. */
static void print_name(struct printer *p, const char *name, size_t used)
{
	struct strbuf plain = STRBUF_INIT;
	size_t width = p->out->width;
	text_add_plain(&plain, name);
	if (width != 0 && utf8_width(plain.text) + used > width) {
		size_t room = width > used + NAME_LEAST ? width - used : NAME_LEAST;
		strbuf_cut(&plain, utf8_prefix(plain.text, room - 1));
		strbuf_adds(&plain, "…");
	}
	out_styled(p->out, STYLE_NAME, plain.text);
	strbuf_release(&plain);
}

static void print_heading(struct printer *p, const struct trace *trace, uint32_t index, int number_width)
{
	const struct frame *f = &trace->chain.frames[index];
	char number[16];
	snprintf(number, sizeof number, "#%" PRIu32, trace_number(&trace->chain, index));
	line_begin(p, 0);
	out_printf(p->out, "%-*s  %-*s ", number_width, number, KIND_WIDTH, frame_kind_text(f));
	size_t used = p->indent + (size_t)number_width + 2 + KIND_WIDTH + 1;
	used += (f->dyn ? strlen(" [dyn]") : 0) + (f->inferred ? strlen(" [inferred]") : 0);
	print_name(p, f->name, used);
	out_printf(p->out, "%s%s\n", f->dyn ? " [dyn]" : "", f->inferred ? " [inferred]" : "");
}

static void print_state(struct printer *p, const struct frame *f)
{
	struct arena arena = ARENA_INIT;
	const char *site = frame_site_text(&arena, f);
	bool suspended = f->state != NULL && strncmp(f->state, "Suspend", 7) == 0;
	if (f->coroutine && f->state != NULL && !suspended) {
		struct type type = tinfo_type(p->traces->tinfo, f->type);
		out_printf(p->out, "state %s", f->state);
		if (type.file != NULL && type.file[0] != '\0') {
			out_text(p->out, " — ");
			out_styled(p->out, STYLE_SITE, arena_printf(&arena, "%s:%" PRIu32, type.file, type.line));
		}
	} else {
		if (site != NULL) {
			out_text(p->out, "awaiting at ");
			out_styled(p->out, STYLE_SITE, site);
			out_text(p->out, " ");
		}
		out_printf(p->out, "(%s, %" PRIu32 " local%s)", f->state != NULL ? f->state : "<no_state>", f->locals,
		           f->locals == 1 ? "" : "s");
	}
	arena_release(&arena);
}

static void print_detail(struct printer *p, const struct trace *trace, uint32_t index)
{
	const struct chain *chain = &trace->chain;
	const struct frame *f = &chain->frames[index];
	struct wait wait;
	line_begin(p, DETAIL);
	if (index + 1 == chain->count && !f->coroutine && trace_wait(p->traces->tokio, &trace->task, chain, &wait)) {
		if (wait.kind != WAIT_NEVER)
			out_text(p->out, trace->task.state == TASK_QUEUED ? "was waiting on " : "waiting on ");
		out_styled(p->out, STYLE_BOLD, wait.text);
	} else {
		print_state(p, f);
	}
	out_text(p->out, "\n");
}

/* PhantomData and the like are no fields to show. */
static bool member_is_shown(struct tinfo *ti, const struct member *m)
{
	struct type type = tinfo_type(ti, m->type);
	return (m->flags & MEMBER_ARTIFICIAL) == 0 && ((type.flags & TYPE_SIZED) == 0 || type.size != 0);
}

static void print_members(struct printer *p, const char *heading, uint32_t holder, bool coroutine)
{
	bool any = false;
	if (holder == TINFO_NONE)
		return;
	struct type type = tinfo_type(p->traces->tinfo, holder);
	if (type.kind != TYPE_STRUCT && type.kind != TYPE_UNION)
		return;
	for (uint32_t i = 0; i < type.count; i++) {
		struct member m = tinfo_member(p->traces->tinfo, type.first + i);
		if (coroutine ? strncmp(m.name, "__", 2) == 0 || (m.flags & MEMBER_ARTIFICIAL) != 0
		              : !member_is_shown(p->traces->tinfo, &m))
			continue;
		if (!any) {
			line_begin(p, DETAIL);
			out_printf(p->out, "%s:\n", heading);
			any = true;
		}
		line_begin(p, ENTRY);
		out_styled(p->out, STYLE_PLAIN, m.name);
		out_text(p->out, ": ");
		out_styled(p->out, STYLE_NAME, tinfo_type(p->traces->tinfo, m.type).name);
		if ((m.flags & MEMBER_UNCERTAIN) != 0)
			out_text(p->out, " (may have been moved out)");
		if ((m.flags & MEMBER_SHADOWED) != 0)
			out_text(p->out, " (one of several of this name)");
		out_text(p->out, "\n");
	}
}

static void print_suspend_point(struct printer *p, const struct variant *v)
{
	struct tinfo *ti = p->traces->tinfo;
	struct strbuf line = STRBUF_INIT;
	uint32_t locals = 0, awaited = TINFO_NONE;
	struct type payload = v->payload != TINFO_NONE ? tinfo_type(ti, v->payload) : (struct type){ .count = 0 };
	for (uint32_t i = 0; i < payload.count; i++) {
		struct member m = tinfo_member(ti, payload.first + i);
		if (strcmp(m.name, "__awaitee") == 0)
			awaited = m.type;
		else if (strncmp(m.name, "__", 2) != 0 && (m.flags & (MEMBER_ARTIFICIAL | MEMBER_UNCERTAIN)) == 0)
			locals++;
	}
	strbuf_adds(&line, v->name);
	if (v->file != NULL && v->file[0] != '\0')
		strbuf_addf(&line, " — %s:%" PRIu32, v->file, v->line);
	strbuf_addf(&line, " (%" PRIu32 " local%s)", locals, locals == 1 ? "" : "s");
	if (awaited != TINFO_NONE)
		strbuf_addf(&line, " → %s", tokio_type_name(p->traces->tokio, awaited, true));
	line_begin(p, ENTRY);
	out_styled(p->out, STYLE_DIM, line.text);
	out_text(p->out, "\n");
	strbuf_release(&line);
}

static void print_suspend_points(struct printer *p, const struct frame *f)
{
	struct type type = tinfo_type(p->traces->tinfo, f->type);
	bool any = false;
	for (uint32_t i = 0; i < type.count; i++) {
		struct variant v = tinfo_variant(p->traces->tinfo, type.first + i);
		if (type.first + i == f->variant || strncmp(v.name, "Suspend", 7) != 0)
			continue;
		if (!any) {
			line_begin(p, DETAIL);
			out_styled(p->out, STYLE_DIM, "other suspend points:");
			out_text(p->out, "\n");
			any = true;
		}
		print_suspend_point(p, &v);
	}
}

static void print_verbose(struct printer *p, const struct frame *f)
{
	uint32_t holder = f->type;
	if (f->variant != TINFO_NONE)
		holder = tinfo_variant(p->traces->tinfo, f->variant).payload;
	print_members(p, f->coroutine ? "locals" : "fields", holder, f->coroutine);
	if (f->coroutine)
		print_suspend_points(p, f);
}

static void print_branches(struct printer *p, const struct trace *trace, uint32_t index)
{
	struct branch branches[BRANCHES_MAX];
	struct printer inner = *p;
	struct trace *branch = malloc(sizeof *branch);
	size_t all, count = frame_branches(p->traces->tokio, &trace->chain.frames[index], branches, &all);
	if (branch == NULL)
		abort();
	inner.indent += ENTRY;
	inner.depth++;
	for (size_t i = 0; i < count; i++) {
		const struct branch *b = &branches[i];
		trace_of_branch(p->traces, trace, index, i, b, branch);
		bool shown = b->state == BRANCH_ARMED && branch->chain.count > 0 && p->depth < FORK_DEPTH;
		line_begin(p, DETAIL);
		out_printf(p->out, "branch %zu", i);
		if (b->name != NULL)
			out_printf(p->out, " (%s)", b->name);
		out_printf(p->out, ": %s", branch_state_text(b->state));
		if (b->state == BRANCH_DONE && branch->chain.count > 0) {
			out_text(p->out, ", ");
			out_styled(p->out, STYLE_NAME, tokio_type_name(p->traces->tokio, branch->chain.frames[0].type, true));
		}
		out_text(p->out, "\n");
		if (shown)
			print_chain(&inner, branch);
	}
	if (all > count) {
		line_begin(p, DETAIL);
		out_printf(p->out, "%zu more branches\n", all - count);
	}
	free(branch);
}

static void print_note(struct printer *p, const struct trace *trace)
{
	const char *stopped = trace_stopped(&p->traces->arena, &trace->task, &trace->chain);
	if (stopped == NULL)
		return;
	line_begin(p, 0);
	out_text(p->out, "note: ");
	out_styled(p->out, STYLE_PLAIN, stopped);
	out_text(p->out, "\n");
}

static void print_chain(struct printer *p, const struct trace *trace)
{
	const struct chain *chain = &trace->chain;
	uint32_t count = chain->count - trace->first, shown = count;
	bool limited = p->options->limited && p->depth == 0;
	char number[16];
	if (limited && p->options->limit < count)
		shown = (uint32_t)p->options->limit;
	int width = snprintf(number, sizeof number, "#%" PRIu32, shown > 0 ? shown - 1 : 0);
	if (shown > 0)
		print_note(p, trace);
	for (uint32_t n = 0; n < shown && !out_failed(p->out); n++) {
		uint32_t i = chain->count - 1 - n;
		print_heading(p, trace, i, width);
		print_detail(p, trace, i);
		if (p->options->verbose)
			print_verbose(p, &chain->frames[i]);
		if (chain->frames[i].fork != FORK_NONE)
			print_branches(p, trace, i);
	}
	if (limited && shown < count)
		footer_print(p->out, count, shown, "frame", "frames");
}

/* There is no future to follow. */
static void print_absence(struct out *out, const struct trace *trace)
{
	const char *problem = trace->task.class->problem;
	if (trace->stage == STAGE_FINISHED)
		out_printf(out, "%s has finished; its output waits for whoever holds its handle\n", trace->title);
	else if (trace->stage == STAGE_CONSUMED)
		out_printf(out, "%s has finished; its output has been taken or dropped\n", trace->title);
	else if (trace->stage == STAGE_UNREADABLE)
		out_printf(out, "%s: its future cannot be read\n", trace->title);
	else
		out_printf(out, "%s: %s\n", trace->title, problem != NULL ? problem : "its future is not known");
}

void trace_print(struct out *out, struct traces *traces, const struct trace *trace, const struct trace_options *options)
{
	struct printer p = { .out = out, .traces = traces, .options = options };
	if (trace->chain.count > 0)
		print_chain(&p, trace);
	else if (trace->chain.end == CHAIN_EMPTY)
		print_absence(out, trace);
	else
		print_note(&p, trace);
}

void trace_print_frame(struct out *out, struct traces *traces, const struct trace *trace, uint32_t index)
{
	struct trace_options options = { .limited = false };
	struct printer p = { .out = out, .traces = traces, .options = &options };
	char number[16];
	print_heading(&p, trace, index, snprintf(number, sizeof number, "#%" PRIu32, trace_number(&trace->chain, index)));
	print_detail(&p, trace, index);
}
