/* hansei-tasks - lists the tasks in a core, or prints the block of each task that is named. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/strbuf.h"
#include "cli/common.h"
#include "cli/listing.h"
#include "cli/options.h"
#include "cli/refs.h"
#include "cli/status.h"
#include "cli/tool.h"
#include "out/block.h"
#include "out/lines.h"
#include "records/children.h"
#include "records/session.h"
#include "records/task_cells.h"
#include "tinfo/tinfo.h"
#include "tokio/held.h"

static const struct listing_kind TASKS = { "task", "tasks", "id", { TASK_COLUMNS, TASK_COLUMN_COUNT } };
static const struct option OWN[] = {
	{ "children", 0, NULL, NULL, "below each block, the futures and sets the task holds" },
};
static const struct option_set OPTIONS_OWN = OPTION_SET("Blocks", OWN);
static const struct option_set *const SETS[] = { &OPTIONS_COMMON, &OPTIONS_LISTING, &OPTIONS_OWN, NULL };
static const struct program PROGRAM = {
	"hansei-tasks", "[REFERENCE]…",
	"Lists the tasks of the tokio runtimes in a core dump. With references (7, task/7, task/0x55d0c8), prints the "
	"block of each task.",
	SETS, &TASKS,
};

struct run {
	struct out *out;
	struct arena *arena;
	const struct options *options; /* these three of the tool */
	struct common common;
	struct session session;
};

static int list_tasks(struct run *run, struct listing *listing)
{
	struct tokio *tokio = run->session.tokio;
	size_t count, runtimes, local_sets;
	const struct task *tasks = tokio_tasks(tokio, &count);
	bool with_json = run->common.format == FORMAT_JSON;
	tokio_runtimes(tokio, &runtimes);
	tokio_local_sets(tokio, &local_sets);
	if (runtimes + local_sets > 1)
		listing_show(listing, "runtime");
	for (size_t i = 0; i < count; i++) {
		struct task_record record;
		struct cell cells[TASK_COLUMN_COUNT];
		struct arena row = ARENA_INIT;
		bool wanted = listing_wants(listing);
		if (wanted) {
			task_record_fill(tokio, &tasks[i], &record, NULL);
			task_cells(&row, &record, with_json, cells);
		}
		bool more = listing_row(listing, wanted ? cells : NULL);
		arena_release(&row);
		if (!more)
			break;
	}
	listing_close(listing);
	return STATUS_ANSWERED;
}

/* These two lines stand even where there is nothing: that is an answer as well. */
static void print_held(struct run *run, struct block *block, const struct task_record *record)
{
	if (options_given(run->options, "children")) {
		struct children children = { run->out, run->session.tokio, run->session.attachment->tinfo, UINT64_MAX };
		struct held_counts counts;
		held_of_task(run->session.tokio, record->task, &counts);
		children_print(&children, &counts, HELD_NONE, 4);
		return;
	}
	block_fieldf(block, 1, "held futures", "%" PRIu32, record->holds);
	block_field(block, 1, "join sets", join_sets_text(run->arena, record->sets, record->set_tasks, record->set_futures));
}

static void print_block(struct run *run, struct block *block, const struct task_record *record)
{
	const struct task *task = record->task;
	char lwp[16];
	snprintf(lwp, sizeof lwp, "%" PRIu32, task->lwp);
	if (task->id != 0)
		block_heading(block, "task %" PRIu64, task->id);
	else
		block_heading(block, "task 0x%" PRIx64, task->address);
	block_field(block, 1, "state", record->state);
	block_field(block, 1, "thread", task->lwp != 0 ? lwp : "<none>");
	size_t runtimes;
	tokio_runtimes(run->session.tokio, &runtimes);
	if (record->local_set != 0)
		block_fieldf(block, 1, "owner", "local set at 0x%" PRIx64, record->local_set);
	else if (runtimes > 1 && task->runtime != TINFO_NONE)
		block_fieldf(block, 1, "owner", "runtime %" PRIu32, task->runtime);
	block_styled(block, 1, "type", STYLE_NAME, record->future);
	block_styled(block, 1, "awaiting at", STYLE_SITE, record->awaiting);
	if (record->wait.kind != WAIT_NONE && record->wait.kind != WAIT_COMPLETE)
		block_field(block, 1, "waiting on", record->wait.text);
	block_styled(block, 1, "spawned at", STYLE_SITE, record->spawned);
	block_styled(block, 1, "defined at", STYLE_SITE, record->defined);
	print_held(run, block, record);
}

static void print_record(struct run *run, enum format format, const struct task_record *record)
{
	struct cell cells[TASK_COLUMN_COUNT];
	struct strbuf line = STRBUF_INIT;
	task_cells(run->arena, record, format == FORMAT_JSON, cells);
	if (format == FORMAT_JSON) {
		json_row(&line, TASKS.columns, cells);
	} else {
		const struct column *chosen[TASK_COLUMN_COUNT];
		size_t count = 0;
		for (size_t i = 0; i < TASK_COLUMN_COUNT; i++)
			if ((TASK_COLUMNS[i].flags & (COL_SHOWN | COL_TSV)) != 0)
				chosen[count++] = &TASK_COLUMNS[i];
		tsv_row(&line, TASKS.columns, chosen, count, cells);
	}
	out_write(run->out, line.text, line.length);
	strbuf_release(&line);
}

/* NULL with *err: what is wrong with the reference. */
static const struct task *find_task(struct run *run, const struct ref *ref, struct error **err)
{
	struct tokio *tokio = run->session.tokio;
	size_t count;
	if (ref->kind != REF_TASK) {
		*err = error_new(ERROR_USAGE, "%s is not a task: 7, task/7 or task/0x55d0c8 is expected", ref->text);
		return NULL;
	}
	const struct task *task = ref->by_address ? tokio_task_by_address(tokio, ref->address)
	                                          : tokio_task_by_id(tokio, ref->id);
	tokio_tasks(tokio, &count);
	if (task == NULL)
		*err = error_new(ERROR_NOT_FOUND, "no %s %s (%zu tasks)", ref->by_address ? "task at" : "task",
		                 ref->text + (strncmp(ref->text, "task/", 5) == 0 ? 5 : 0), count);
	return task;
}

static int show_tasks(struct run *run, struct ref_source *source)
{
	size_t answered = 0, failed = 0;
	struct block block = block_into(run->out);
	struct ref ref;
	struct error *err = NULL;
	while (refs_next(source, &ref, &err)) {
		const struct task *task = err == NULL ? find_task(run, &ref, &err) : NULL;
		if (task == NULL) {
			failed++;
			status_complain(run->out, err);
			err = NULL;
			continue;
		}
		struct task_record record;
		enum format format = format_choose(run->common.format, run->out, false);
		task_record_fill(run->session.tokio, task, &record, NULL);
		if (format == FORMAT_TABLE || format == FORMAT_DEFAULT)
			print_block(run, &block, &record);
		else
			print_record(run, format, &record);
		answered++;
	}
	return status_tally(answered, failed);
}

static int run_tasks(struct tool *tool)
{
	struct run run = { .out = &tool->out, .arena = &tool->arena, .options = &tool->options };
	struct listing *listing = NULL;
	struct ref_source refs = refs_open(run.arena, run.options->operands, run.options->operand_count, stdin);
	struct error *err = common_read(run.options, &run.common);
	if (err == NULL)
		err = listing_open(&listing, &TASKS, run.options, run.out, run.common.format);
	if (err == NULL)
		err = session_open(&run.session, &run.common, run.out);
	if (err != NULL) {
		listing_free(listing);
		return status_error(run.out, err);
	}
	int status;
	if (refs_given(&refs)) {
		listing_free(listing);
		status = show_tasks(&run, &refs);
	} else {
		status = list_tasks(&run, listing);
	}
	return session_close(&run.session, status);
}

int main(int argc, char **argv)
{
	return tool_main(&PROGRAM, argc, argv, run_tasks, NULL);
}
