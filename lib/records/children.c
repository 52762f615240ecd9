#include "records/children.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/arena.h"
#include "out/out.h"
#include "records/future_cells.h"
#include "tokio/tokio.h"

enum { STEP = 4 };

static void print_finds(const struct children *c, const struct held_counts *counts, uint32_t via, unsigned indent,
                        const char *prefix);

static const char *some(struct arena *arena, uint64_t count, const char *noun)
{
	return arena_printf(arena, "%" PRIu64 " %s%s", count, noun, count == 1 ? "" : "s");
}

const char *join_sets_text(struct arena *arena, uint64_t sets, uint64_t tasks, uint64_t futures)
{
	if (tasks == 0 && futures == 0)
		return arena_printf(arena, "%" PRIu64, sets);
	return arena_printf(arena, "%" PRIu64 " (%s%s%s)", sets, tasks != 0 ? some(arena, tasks, "task") : "",
	                    tasks != 0 && futures != 0 ? " and " : "", futures != 0 ? some(arena, futures, "future") : "");
}

static void print_future(const struct children *c, uint32_t index, unsigned indent, const char *prefix, bool place)
{
	const struct held *held = &tokio_held(c->tokio)->items[index];
	struct future_record record;
	struct arena arena = ARENA_INIT;
	future_record_fill(&arena, c->tokio, c->tinfo, held, false, &record, NULL);
	out_printf(c->out, "%*s%s", (int)indent, "", prefix);
	if (place)
		out_printf(c->out, "(frame %" PRIu32 ", `%s`): ", held->frame, held->local != NULL ? held->local : "?");
	out_printf(c->out, "0x%" PRIx64 "  ", held->address);
	out_styled(c->out, STYLE_NAME, record.future);
	if (record.state_text != NULL)
		out_printf(c->out, "  %s", record.state_text);
	out_text(c->out, "\n");
	if (record.wait.kind != WAIT_NONE && record.wait.kind != WAIT_UNRESUMED)
		out_printf(c->out, "%*swaiting on %s\n", (int)indent + 2, "", record.wait.text);
	arena_release(&arena);
	if (held->holds > 0 || held->sets > 0) {
		struct held_counts inside;
		held_in_find(c->tokio, index, &inside);
		print_finds(c, &inside, index, indent + STEP, "held ");
	}
}

static void print_task(const struct children *c, uint64_t header, unsigned indent)
{
	const struct task *task = tokio_task_by_address(c->tokio, header);
	if (task == NULL) {
		out_printf(c->out, "%*stask at 0x%" PRIx64 "  <unreadable>\n", (int)indent, "", header);
		return;
	}
	out_printf(c->out, "%*stask %" PRIu64 "  ", (int)indent, "", task->id);
	if (task->state == TASK_COMPLETE) {
		out_text(c->out, "<complete, awaiting join>\n");
		return;
	}
	out_styled(c->out, STYLE_NAME, task->class->name);
	out_printf(c->out, "  %s\n", task_state_text(task->state));
}

static void print_set(const struct children *c, const struct held_set *set, unsigned indent)
{
	struct arena arena = ARENA_INIT;
	const struct held_member *members = tokio_held(c->tokio)->members;
	bool join = set->kind == SET_JOIN;
	out_printf(c->out, "%*s- ", (int)indent, "");
	out_styled(c->out, STYLE_NAME, tokio_type_name(c->tokio, set->type, false));
	out_printf(c->out, " at 0x%" PRIx64 " (frame %" PRIu32, set->address, set->frame);
	if (set->local != NULL)
		out_printf(c->out, ", `%s`", set->local);
	if (join)
		out_printf(c->out, "): %s", some(&arena, set->live, "task"));
	else
		out_printf(c->out, "): %" PRIu32 " %s in flight", set->live, set->live == 1 ? "child" : "children");
	if (!join && set->count > set->live)
		out_printf(c->out, ", %" PRIu32 " completed and not yet reaped", set->count - set->live);
	if (set->recorded != UINT64_MAX && set->recorded != set->count)
		out_printf(c->out, " (the set records %" PRIu64 ")", set->recorded);
	out_text(c->out, "\n");
	for (uint32_t i = 0; i < set->count; i++) {
		const struct held_member *m = &members[set->first + i];
		if (i == c->limit) {
			out_printf(c->out, "%*s… %" PRIu32 " more\n", (int)indent + STEP, "", set->count - i);
			break;
		}
		if (join)
			print_task(c, m->node, indent + STEP);
		else if (m->find != HELD_NONE)
			print_future(c, m->find, indent + STEP, "", false);
		else
			out_printf(c->out, "%*s0x%" PRIx64 "  <completed, not yet reaped>\n", (int)indent + STEP, "", m->node);
	}
	arena_release(&arena);
}

static void print_held(const struct children *c, const struct held_counts *counts, uint32_t via, unsigned indent,
                       const char *prefix)
{
	const struct held_census *census = tokio_held(c->tokio);
	/* what is inside a find follows it */
	for (uint32_t i = via == HELD_NONE ? counts->first : via + 1; i < counts->first + counts->count; i++) {
		const struct held *held = &census->items[i];
		if (via != HELD_NONE && (held->via == HELD_NONE || held->via < via))
			break;
		if (held->via == via && held->set == HELD_NONE)
			print_future(c, i, indent, prefix, true);
	}
}

static void print_sets(const struct children *c, const struct held_counts *counts, uint32_t via, unsigned indent)
{
	const struct held_census *census = tokio_held(c->tokio);
	for (uint32_t i = counts->set_first; i < counts->set_first + counts->set_count; i++)
		if (census->sets[i].via == via)
			print_set(c, &census->sets[i], indent);
}

static void print_finds(const struct children *c, const struct held_counts *counts, uint32_t via, unsigned indent,
                        const char *prefix)
{
	print_held(c, counts, via, indent, prefix);
	print_sets(c, counts, via, indent);
}

void children_print(const struct children *c, const struct held_counts *counts, uint32_t via, unsigned indent)
{
	struct arena arena = ARENA_INIT;
	out_printf(c->out, "%*sheld futures: %" PRIu32 "\n", (int)indent, "", counts->holds);
	print_held(c, counts, via, indent + STEP, "");
	out_printf(c->out, "%*sjoin sets: %s\n", (int)indent, "",
	           join_sets_text(&arena, counts->sets, counts->set_tasks, counts->set_futures));
	print_sets(c, counts, via, indent + STEP);
	arena_release(&arena);
}
