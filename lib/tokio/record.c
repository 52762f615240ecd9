/* The record of one task: its fields as texts, ready for a listing or a block. */
#include <inttypes.h>
#include <string.h>

#include "base/strbuf.h"
#include "rust/names.h"
#include "tokio/held.h"
#include "tokio/tokio_internal.h"

enum { PATH_LENGTH_MAX = 1024 };

/* core::panic::Location: a path in the program's read-only data, line, column. */
static const char *location_text(struct tokio *tk, uint64_t at)
{
	char path[PATH_LENGTH_MAX];
	uint64_t text, length, line, column;
	struct target *t = tk->target;
	if (path_load(&tk->paths[LOCATION_FILE], t, at, &text) != OUTCOME_VALUE ||
	    path_load(&tk->paths[LOCATION_FILE_LENGTH], t, at, &length) != OUTCOME_VALUE ||
	    path_load(&tk->paths[LOCATION_LINE], t, at, &line) != OUTCOME_VALUE ||
	    path_load(&tk->paths[LOCATION_COLUMN], t, at, &column) != OUTCOME_VALUE)
		return NULL;
	if (length == 0 || length >= sizeof path || !target_read(t, text, path, (size_t)length))
		return NULL;
	path[length] = '\0';
	for (size_t i = 0; i < length; i++)
		if ((unsigned char)path[i] < 0x20)
			return NULL; /* no path: wrong layout or torn memory */
	struct strbuf sb = STRBUF_INIT;
	path_fold(&sb, path);
	const char *out = arena_printf(&tk->arena, "%s:%" PRIu64 ":%" PRIu64, sb.text, line, column);
	strbuf_release(&sb);
	return out;
}

static const char *state_text(struct tokio *tk, const struct task *task)
{
	const char *text = task_state_text(task->state);
	if (task->class->blocking && task->state != TASK_COMPLETE)
		text = task->state == TASK_RUNNING ? (task->lwp != 0 ? "blocking" : "blocking (running)")
		                                   : "blocking (queued)";
	if (!task->cancelled || task->state == TASK_COMPLETE)
		return text;
	return arena_printf(&tk->arena, "%s (cancelled)", text);
}

void task_record_fill(struct tokio *tk, const struct task *task, struct task_record *out, struct chain *chain)
{
	struct chain own;
	uint64_t future, location;
	const struct task_class *class = task->class;
	memset(out, 0, sizeof *out);
	if (chain == NULL)
		chain = &own;
	out->task = task;
	out->state = state_text(tk, task);
	chain->count = 0;
	chain->end = CHAIN_EMPTY;
	chain->note = NULL;
	chain->fault = 0;
	if (task_stage(tk, task, &future) == STAGE_RUNNING)
		chain_follow(tk, future, class->future, chain);
	const struct frame *site = chain_site(chain, task->state == TASK_RUNNING);
	if (site != NULL)
		out->awaiting = tokio_site_text(tk, site->file, site->line);
	out->future = class->name;
	out->type = class->type;
	out->defined = class->defined;
	out->size = class->size;
	out->has_size = class->has_size;
	if (class->boxed && chain->count > 0 && chain->frames[0].type != class->root) { /* behind a boxed dyn */
		struct type type = tinfo_type(tk->target->tinfo, chain->frames[0].type);
		out->future = tokio_type_name(tk, type.id, true);
		out->type = type.name;
		out->defined = tokio_site_text(tk, type.file, type.line);
	}
	if (task_spawned_at(tk, task, &location))
		out->spawned = location_text(tk, location);
	struct held_counts held;
	held_of_task(tk, task, &held);
	out->local_set = task->local_set != TINFO_NONE ? tk->local_sets[task->local_set].address : 0;
	out->holds = held.holds;
	out->sets = held.sets;
	out->set_tasks = held.set_tasks;
	out->set_futures = held.set_futures;
	wait_decide(tk, task, chain, &out->wait);
}
