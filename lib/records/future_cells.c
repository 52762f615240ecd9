#include "records/future_cells.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/number.h"
#include "records/task_cells.h"
#include "tinfo/tinfo.h"

const struct column FUTURE_COLUMNS[FUTURE_COLUMN_COUNT] = {
	[FUTURE_REF] = { .name = "ref", .type = COL_REF, .flags = COL_TSV | COL_LONE,
	                 .help = "reference, as in future/0x55d0c8" },
	[FUTURE_ADDRESS] = { .name = "address", .type = COL_ADDRESS, .flags = COL_SHOWN, .heading = "ADDR",
	                     .aliases = "addr", .help = "where the future is" },
	[FUTURE_TASK] = { .name = "task", .type = COL_REF, .flags = COL_SHOWN, .help = "the task that owns it" },
	[FUTURE_RUNTIME] = { .name = "runtime", .type = COL_REF, .heading = "RT", .aliases = "rt",
	                     .help = "the runtime that owns the task" },
	[FUTURE_KIND] = { .name = "kind", .type = COL_WORD, .filter = FILTER_EXACT,
	                  .help = "local: held in a local; set: child of a set of futures" },
	[FUTURE_FRAME] = { .name = "frame", .type = COL_ID,
	                   .help = "frame that holds it or its set; 0 is the most recently polled" },
	[FUTURE_LOCAL] = { .name = "local", .type = COL_WORD, .help = "the local of that frame" },
	[FUTURE_HELD_IN] = { .name = "held_in", .type = COL_TEXT, .flags = COL_SHOWN, .help = "frame and local, or set" },
	[FUTURE_STATE] = { .name = "state", .type = COL_WORD, .flags = COL_SHOWN,
	                   .help = "suspend point of a coroutine and where that is" },
	[FUTURE_AWAITING] = { .name = "awaiting", .type = COL_SITE, .heading = "AWAITING AT",
	                      .help = "file:line of the await at which it stands" },
	[FUTURE_WAITING_ON] = { .name = "waiting_on", .type = COL_TEXT, .flags = COL_SHOWN | COL_CUT,
	                        .aliases = "waker slots", .help = "what it would wait for if it were polled" },
	[FUTURE_ARMED] = { .name = "armed", .type = COL_WORD, .filter = FILTER_EXACT,
	                   .help = "yes: polled beside the chain (select!, join!, a timeout's timer); no: only held" },
	[FUTURE_FUTURE] = { .name = "future", .type = COL_NAME, .flags = COL_SHOWN | COL_CUT,
	                    .help = "kind and folded name" },
	[FUTURE_TYPE] = { .name = "type", .type = COL_NAME, .flags = COL_CUT, .also = "future",
	                  .help = "full type name; --with type tries the folded name too" },
	[FUTURE_VIA] = { .name = "via", .type = COL_REF, .help = "the held future whose frame that is" },
	[FUTURE_DEPTH] = { .name = "depth", .type = COL_COUNT, .flags = COL_RIGHT, .help = "frames of its own await chain" },
	[FUTURE_HOLDS] = { .name = "holds", .type = COL_COUNT, .flags = COL_RIGHT,
	                   .help = "futures held in its own frames" },
	[FUTURE_SETS] = { .name = "sets", .type = COL_COUNT, .flags = COL_RIGHT,
	                  .help = "sets of futures or tasks in its own frames" },
	[FUTURE_SIZE] = { .name = "size", .type = COL_COUNT, .flags = COL_RIGHT, .help = "bytes of the future" },
};

static const char *held_in_text(struct arena *arena, struct tokio *tokio, const struct held *held)
{
	const struct held_census *census = tokio_held(tokio);
	const char *place;
	if (held->set != HELD_NONE)
		place = arena_address(arena, "set ", census->sets[held->set].address);
	else
		place = arena_printf(arena, "frame %" PRIu32 ", `%s`", held->frame, held->local != NULL ? held->local : "?");
	if (held->via == HELD_NONE)
		return place;
	const struct held *via = &census->items[held->via];
	return arena_printf(arena, "%s, via %s at 0x%" PRIx64, place, via->set != HELD_NONE ? "set child" : "held future",
	                    via->address);
}

void future_record_fill(struct arena *arena, struct tokio *tokio, struct tinfo *tinfo, const struct held *held,
                        bool with_armed, struct future_record *out, struct chain *chain)
{
	struct chain *own = chain == NULL ? malloc(sizeof *own) : NULL;
	if (chain == NULL && (chain = own) == NULL)
		abort();
	*out = (struct future_record){ .held = held, .task = tokio_task_by_address(tokio, held->task) };
	held_follow(tokio, held, chain, &out->wait);
	bool has_id = out->task != NULL && out->task->id != 0;
	out->task_ref = has_id ? arena_number(arena, "task/", out->task->id) : arena_address(arena, "task/", held->task);
	out->task_text = has_id ? arena_number(arena, "", out->task->id) : arena_address(arena, "", held->task);
	out->held_in = held_in_text(arena, tokio, held);
	out->local = held->local;
	out->via = held->via != HELD_NONE ? tokio_held(tokio)->items[held->via].address : 0;
	const struct frame *f = chain->count > 0 ? &chain->frames[0] : NULL;
	out->state = f != NULL ? f->state : NULL;
	if (f != NULL && f->file != NULL && f->line != 0)
		out->awaiting = arena_printf(arena, "%s:%" PRIu32, f->file, f->line);
	if (out->state != NULL && out->awaiting != NULL)
		out->state_text = arena_printf(arena, "%s — %s", out->state, out->awaiting);
	else
		out->state_text = out->state;
	struct type type = tinfo_type(tinfo, held->type);
	out->future = tokio_type_name(tokio, held->type, true);
	out->type = type.name;
	out->size = type.size;
	out->has_size = (type.flags & TYPE_SIZED) != 0;
	out->armed = with_armed ? held_armed(tokio, held) : HELD_ARMED_UNKNOWN;
	free(own);
}

static struct cell task_cell(struct arena *arena, const struct future_record *record)
{
	struct cell cell = CELL_TEXT(record->task_text);
	cell.json = arena_printf(arena, "\"%s\"", record->task_ref);
	return cell;
}

void future_cells(struct arena *arena, const struct future_record *record, bool with_json, struct cell *cells)
{
	const struct held *held = record->held;
	struct cell state = { record->state_text, NULL, record->state };
	memset(cells, 0, FUTURE_COLUMN_COUNT * sizeof *cells);
	if (with_json && record->state != NULL)
		state.json = arena_printf(arena, "\"%s\"", record->state);
	cells[FUTURE_REF].text = arena_address(arena, "future/", held->address);
	cells[FUTURE_ADDRESS].text = arena_address(arena, "", held->address);
	cells[FUTURE_TASK] = task_cell(arena, record);
	if (record->task != NULL && record->task->runtime != TINFO_NONE)
		cells[FUTURE_RUNTIME].text = arena_number(arena, "runtime/", record->task->runtime);
	cells[FUTURE_KIND].text = held->set != HELD_NONE ? "set" : "local";
	cells[FUTURE_FRAME].text = arena_number(arena, "", held->frame);
	cells[FUTURE_LOCAL].text = record->local;
	cells[FUTURE_HELD_IN].text = record->held_in;
	cells[FUTURE_STATE] = state;
	cells[FUTURE_AWAITING].text = record->awaiting;
	cells[FUTURE_WAITING_ON] = wait_cell(arena, &record->wait, with_json);
	if (record->armed != HELD_ARMED_UNKNOWN)
		cells[FUTURE_ARMED].text = record->armed == HELD_ARMED ? "yes" : "no";
	cells[FUTURE_FUTURE].text = record->future;
	cells[FUTURE_TYPE].text = record->type;
	if (held->via != HELD_NONE)
		cells[FUTURE_VIA].text = arena_address(arena, "future/", record->via);
	cells[FUTURE_DEPTH].text = arena_number(arena, "", held->frames);
	cells[FUTURE_HOLDS].text = arena_number(arena, "", held->holds);
	cells[FUTURE_SETS].text = arena_number(arena, "", held->sets);
	if (record->has_size)
		cells[FUTURE_SIZE].text = arena_number(arena, "", record->size);
}
