/* Headers, state words and stages. */
#include "tokio/task.h"

#include "tokio/constants.h"
#include "tokio/tokio_internal.h"

enum task_state task_word_state(uint64_t word)
{
	bool running = (word & WORD_RUNNING) != 0, complete = (word & WORD_COMPLETE) != 0;
	if (running && complete)
		return TASK_DAMAGED; /* completion flips both bits in one step (state.rs, transition_to_complete) */
	if (complete)
		return TASK_COMPLETE;
	if (running)
		return TASK_RUNNING;
	return (word & WORD_NOTIFIED) != 0 ? TASK_QUEUED : TASK_IDLE;
}

const char *task_state_text(enum task_state state)
{
	static const char *const TEXTS[] = { "damaged", "complete", "running", "queued", "idle" };
	return TEXTS[state];
}

bool task_decode(struct tokio *tk, uint64_t header, struct task *out, const char **why)
{
	struct target *t = tk->target;
	uint64_t vtable;
	*out = (struct task){ .address = header, .runtime = TINFO_NONE, .local_set = TINFO_NONE };
	*why = "not aligned";
	if (header % 8 != 0)
		return false;
	*why = "not mapped";
	if (path_load(&tk->paths[HEADER_STATE], t, header, &out->word) != OUTCOME_VALUE ||
	    path_load(&tk->paths[HEADER_VTABLE], t, header, &vtable) != OUTCOME_VALUE)
		return false;
	*why = "its vtable pointer is implausible";
	if (vtable == 0 || vtable % 8 != 0)
		return false;
	out->class = task_class_of(tk, vtable);
	if (out->class->state == CLASS_UNKNOWN && !out->class->has_trailer)
		return false;
	*why = NULL;
	out->state = task_word_state(out->word);
	out->cancelled = (out->word & WORD_CANCELLED) != 0;
	if (path_load(&tk->paths[HEADER_OWNER], t, header, &out->owner) != OUTCOME_VALUE)
		out->owner = 0;
	if (out->class->has_id && !target_word(t, header + out->class->id_offset, &out->id))
		out->id = 0;
	return true;
}

enum stage task_stage(struct tokio *tk, const struct task *task, uint64_t *future)
{
	const struct task_class *class = task->class;
	uint64_t at;
	uint32_t live;
	if (class->state != CLASS_KNOWN || class->running.state != PATH_BOUND ||
	    path_locate(&class->stage, tk->target, task->address, &at) != OUTCOME_VALUE ||
	    enum_plan_live(&class->stages, tk->target, at, &live) != OUTCOME_VALUE)
		return STAGE_UNREADABLE;
	enum outcome outcome = path_locate(&class->running, tk->target, task->address, future);
	if (outcome == OUTCOME_VALUE)
		return STAGE_RUNNING;
	const struct path *finished = tokio_generic_path(tk, CELL_FINISHED, class->cell);
	return path_locate(finished, tk->target, task->address, &at) == OUTCOME_VALUE ? STAGE_FINISHED
	                                                                             : STAGE_CONSUMED;
}

bool task_spawned_at(struct tokio *tk, const struct task *task, uint64_t *location)
{
	return task->class->has_spawn && target_word(tk->target, task->address + task->class->spawn_offset, location) &&
	       *location != 0;
}
