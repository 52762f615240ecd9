#include "records/task_cells.h"

#include <inttypes.h>
#include <string.h>

#include "base/arena.h"
#include "base/number.h"
#include "base/strbuf.h"
#include "out/json.h"
#include "tinfo/tinfo.h"
#include "tokio/tokio.h"

/* The unit of this table is the contract of hansei-records(5): fields are added, never renamed. */
const struct column TASK_COLUMNS[TASK_COLUMN_COUNT] = {
	[TASK_REF] = { .name = "ref", .type = COL_REF, .flags = COL_TSV | COL_LONE, .help = "reference, as in task/5" },
	[TASK_ID] = { .name = "id", .type = COL_ID, .flags = COL_SHOWN, .help = "tokio's task id" },
	[TASK_STATE] = { .name = "state", .type = COL_WORD, .flags = COL_SHOWN,
	                 .help = "idle, queued, running, complete, blocking; (cancelled) when it is being aborted" },
	[TASK_RUNTIME] = { .name = "runtime", .type = COL_REF, .filter = FILTER_EXACT, .heading = "RT", .aliases = "rt",
	                   .help = "owner: runtime/0 or localset/0x55d0c8" },
	[TASK_AWAITING] = { .name = "awaiting", .type = COL_SITE, .flags = COL_SHOWN, .heading = "AWAITING AT",
	                    .help = "file:line of the await in the program's own code" },
	[TASK_WAITING_ON] = { .name = "waiting_on", .type = COL_TEXT, .flags = COL_SHOWN | COL_CUT, .aliases = "waker slots",
	                      .help = "what it waits for" },
	[TASK_FUTURE] = { .name = "future", .type = COL_NAME, .flags = COL_SHOWN | COL_CUT,
	                  .help = "the task's future: kind and folded name" },
	[TASK_TYPE] = { .name = "type", .type = COL_NAME, .flags = COL_CUT, .also = "future",
	                .help = "full type name; --with type tries the folded name too" },
	[TASK_ADDRESS] = { .name = "address", .type = COL_ADDRESS, .heading = "ADDR", .aliases = "addr",
	                   .help = "address of the task's header" },
	[TASK_LWP] = { .name = "lwp", .type = COL_ID, .help = "thread polling it" },
	[TASK_NAME] = { .name = "name", .type = COL_TEXT, .help = "name given to it (tokio_unstable)" },
	[TASK_SPAWNED] = { .name = "spawned", .type = COL_SITE, .heading = "SPAWNED AT",
	                   .help = "file:line:column of the spawn (tokio_unstable)" },
	[TASK_DEFINED] = { .name = "defined", .type = COL_SITE, .heading = "DEFINED AT",
	                   .help = "file:line of the future's definition" },
	[TASK_HOLDS] = { .name = "holds", .type = COL_COUNT, .flags = COL_RIGHT, .help = "futures held beside the chain" },
	[TASK_SETS] = { .name = "sets", .type = COL_COUNT, .flags = COL_RIGHT, .help = "sets of futures or tasks held" },
	[TASK_SIZE] = { .name = "size", .type = COL_COUNT, .flags = COL_RIGHT, .help = "bytes of the future" },
};

const char *task_reference(struct arena *arena, const struct task *task)
{
	return task->id != 0 ? arena_number(arena, "task/", task->id) : arena_address(arena, "task/", task->address);
}

static const char *resource_word(enum wait_kind kind)
{
	switch (kind) {
	case WAIT_MUTEX:
	case WAIT_RWLOCK:
	case WAIT_SEMAPHORE:
	case WAIT_MPSC:
	case WAIT_ONESHOT:
	case WAIT_WATCH:
	case WAIT_BROADCAST:
	case WAIT_NOTIFY:
	case WAIT_BARRIER:
		return wait_kind_text(kind);
	default:
		return NULL;
	}
}

static void key_text(struct json *j, const char *key, const char *value)
{
	json_key(j, key);
	json_string(j, value);
}

static void key_reference(struct json *j, const char *key, const char *kind, bool by_address, uint64_t value)
{
	struct strbuf text = STRBUF_INIT;
	strbuf_adds(&text, kind);
	strbuf_addc(&text, '/');
	if (by_address)
		strbuf_add_address(&text, value);
	else
		strbuf_add_number(&text, value);
	if (key != NULL)
		json_key(j, key);
	json_string(j, text.text);
	strbuf_release(&text);
}

void wait_json(struct json *j, const struct wait *wait)
{
	json_object(j);
	key_text(j, "kind", wait_kind_text(wait->kind));
	key_text(j, "text", wait->text);
	if (wait->resource != 0 && resource_word(wait->kind) != NULL)
		key_reference(j, "resource", resource_word(wait->kind), true, wait->resource);
	if (wait->has_permits) {
		json_key(j, "requested");
		json_u64(j, wait->requested);
		json_key(j, "available");
		json_u64(j, wait->available);
		json_key(j, "queue");
		json_array(j);
		for (uint32_t i = 0; i < wait->queue_count; i++)
			key_reference(j, NULL, "task", false, wait->queue[i]);
		json_array_end(j);
	}
	if (wait->task_id != 0)
		key_reference(j, "task", "task", false, wait->task_id);
	else if (wait->task != 0)
		key_reference(j, "task", "task", true, wait->task);
	if (wait->has_deadline) {
		json_key(j, "deadline_ns");
		json_u64(j, wait->deadline_ns);
	}
	if (wait->has_fd) {
		json_key(j, "fd");
		json_i64(j, wait->fd);
	}
	if (wait->interest != NULL)
		key_text(j, "interest", wait->interest);
	if (wait->inferred) {
		json_key(j, "inferred");
		json_bool(j, true);
	}
	json_object_end(j);
}

struct cell wait_cell(struct arena *arena, const struct wait *wait, bool with_json)
{
	struct cell cell = CELL_TEXT(wait->text);
	if (wait->kind == WAIT_NONE) {
		cell.text = NULL;
		return cell;
	}
	/* Groups go by kind; what is not decoded goes by its type, which the text is. */
	cell.group = wait->kind == WAIT_UNKNOWN ? NULL : wait_kind_text(wait->kind);
	if (with_json) {
		struct strbuf text = STRBUF_INIT;
		struct json j = json_into(&text);
		wait_json(&j, wait);
		cell.json = arena_strndup(arena, text.text, text.length);
		strbuf_release(&text);
	}
	return cell;
}

void task_cells(struct arena *arena, const struct task_record *record, bool with_json, struct cell *cells)
{
	const struct task *task = record->task;
	memset(cells, 0, TASK_COLUMN_COUNT * sizeof *cells);
	cells[TASK_REF].text = task_reference(arena, task);
	if (task->id != 0)
		cells[TASK_ID].text = arena_number(arena, "", task->id);
	cells[TASK_STATE].text = record->state;
	if (record->local_set != 0)
		cells[TASK_RUNTIME].text = arena_address(arena, "localset/", record->local_set);
	else if (task->runtime != TINFO_NONE)
		cells[TASK_RUNTIME].text = arena_number(arena, "runtime/", task->runtime);
	cells[TASK_AWAITING].text = record->awaiting;
	cells[TASK_WAITING_ON] = wait_cell(arena, &record->wait, with_json);
	cells[TASK_FUTURE].text = record->future;
	cells[TASK_TYPE].text = record->type;
	cells[TASK_ADDRESS].text = arena_address(arena, "", task->address);
	if (task->lwp != 0)
		cells[TASK_LWP].text = arena_number(arena, "", task->lwp);
	cells[TASK_SPAWNED].text = record->spawned;
	cells[TASK_DEFINED].text = record->defined;
	cells[TASK_HOLDS].text = arena_number(arena, "", record->holds);
	cells[TASK_SETS].text = arena_number(arena, "", record->sets);
	if (record->has_size)
		cells[TASK_SIZE].text = arena_number(arena, "", record->size);
}
