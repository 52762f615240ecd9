#include "records/frame_cells.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "out/json.h"
#include "out/lines.h"
#include "records/task_cells.h"
#include "records/trace.h"
#include "tinfo/tinfo.h"
#include "tokio/branch.h"

enum { FORK_DEPTH = 8 }; /* of forks within forks: what a reference can say (REF_BRANCHES) */

/* The unit of this table is the contract of hansei-records(5): fields are added, never renamed. */
const struct column FRAME_COLUMNS[FRAME_COLUMN_COUNT] = {
	[FRAME_REF] = { .name = "ref", .type = COL_REF, .flags = COL_TSV, .help = "reference, as in frame/5.2" },
	[FRAME_TASK] = { .name = "task", .type = COL_REF, .flags = COL_SHOWN, .help = "task that polls it" },
	[FRAME_INDEX] = { .name = "index", .type = COL_ID, .flags = COL_SHOWN,
	                  .help = "number on its chain; 0 is the most recently polled" },
	[FRAME_KIND] = { .name = "kind", .type = COL_WORD, .flags = COL_SHOWN,
	                 .help = "async fn, async block, async closure, future, select, join" },
	[FRAME_NAME] = { .name = "name", .type = COL_NAME, .flags = COL_SHOWN, .help = "folded name" },
	[FRAME_AWAITING] = { .name = "awaiting", .type = COL_SITE, .flags = COL_SHOWN,
	                     .help = "file:line of the await it stands at" },
	[FRAME_STATE] = { .name = "state", .type = COL_WORD, .flags = COL_SHOWN,
	                  .help = "Suspend1, Unresumed, Returned, Panicked; the live variant of an enum" },
	[FRAME_LOCALS] = { .name = "locals", .type = COL_COUNT, .flags = COL_SHOWN, .help = "live locals, or members" },
	[FRAME_DYN] = { .name = "dyn", .type = COL_WORD, .help = "reached through a trait object" },
	[FRAME_INFERRED] = { .name = "inferred", .type = COL_WORD, .help = "reached by a rule of thumb" },
	[FRAME_HOLDS] = { .name = "holds", .type = COL_COUNT, .help = "futures held beside the chain" },
	[FRAME_TYPE] = { .name = "type", .type = COL_NAME, .help = "full type name" },
	[FRAME_ADDRESS] = { .name = "address", .type = COL_ADDRESS, .help = "where it is" },
	[FRAME_WAITING_ON] = { .name = "waiting_on", .type = COL_TEXT, .help = "what the last frame waits for" },
	[FRAME_BRANCHES] = { .name = "branches", .type = COL_TEXT, .help = "chains polled side by side" },
	[FRAME_BRANCH_STATES] = { .name = "branch_states", .type = COL_TEXT, .help = "armed or done, for each" },
};
const struct column_list FRAME_COLUMN_LIST = COLUMN_LIST(FRAME_COLUMNS);

const char *frame_kind_text(const struct frame *frame)
{
	if (frame->fork == FORK_SELECT)
		return "select";
	return frame->fork == FORK_JOIN ? "join" : future_kind_text(frame->kind);
}

const char *frame_site_text(struct arena *arena, const struct frame *frame)
{
	return frame->file == NULL ? NULL : arena_printf(arena, "%s:%" PRIu32, frame->file, frame->line);
}

void trace_of_branch(struct traces *traces, const struct trace *trace, uint32_t frame, size_t number,
                     const struct branch *branch, struct trace *out)
{
	memset(out, 0, offsetof(struct trace, chain));
	out->task = trace->task;
	out->stage = trace->stage;
	out->base = arena_printf(&traces->arena, "%s:%zu", trace_frame_ref(&traces->arena, trace->base, &trace->chain, frame),
	                         number);
	out->ref = out->title = out->base;
	chain_follow(traces->tokio, branch->has_future ? branch->address : 0,
	             branch->has_future ? branch->type : TINFO_NONE, &out->chain);
}

struct frames_job {
	struct traces *traces;
	struct strbuf *to;
	struct json *json; /* NULL: TSV */
	int depth;         /* of forks */
};

static void frames_write(struct frames_job *job, const struct trace *trace, uint64_t limit);

static const char *text_kept(struct arena *arena, struct strbuf *text)
{
	const char *kept = arena_strndup(arena, text->text, text->length);
	strbuf_release(text);
	return kept;
}

static void cells_branches(struct frames_job *job, const struct trace *trace, uint32_t index, struct arena *row,
                           struct cell *cells)
{
	struct branch branches[BRANCHES_MAX];
	struct strbuf chains = STRBUF_INIT, states = STRBUF_INIT;
	struct json chains_json = json_into(&chains), states_json = json_into(&states);
	struct frames_job inner = { job->traces, &chains, &chains_json, job->depth + 1 };
	struct trace *branch = malloc(sizeof *branch);
	size_t all, count = frame_branches(job->traces->tokio, &trace->chain.frames[index], branches, &all);
	if (branch == NULL)
		abort();
	json_array(&chains_json);
	json_array(&states_json);
	for (size_t i = 0; i < count; i++) {
		json_string(&states_json, branch_state_text(branches[i].state));
		json_array(&chains_json);
		if (branches[i].has_future && job->depth < FORK_DEPTH) {
			trace_of_branch(job->traces, trace, index, i, &branches[i], branch);
			frames_write(&inner, branch, UINT64_MAX);
		}
		json_array_end(&chains_json);
	}
	json_array_end(&chains_json);
	json_array_end(&states_json);
	cells[FRAME_BRANCHES].json = text_kept(row, &chains);
	cells[FRAME_BRANCH_STATES].json = text_kept(row, &states);
	free(branch);
}

static void cells_fill(struct frames_job *job, const struct trace *trace, uint32_t index, struct arena *row,
                       struct cell *cells)
{
	const struct chain *chain = &trace->chain;
	const struct frame *f = &chain->frames[index];
	struct wait wait;
	memset(cells, 0, FRAME_COLUMN_COUNT * sizeof *cells);
	cells[FRAME_REF].text = trace_frame_ref(row, trace->base, chain, index);
	cells[FRAME_TASK].text = task_reference(row, &trace->task);
	cells[FRAME_INDEX].text = arena_printf(row, "%" PRIu32, trace_number(chain, index));
	cells[FRAME_KIND].text = frame_kind_text(f);
	cells[FRAME_NAME].text = f->name;
	cells[FRAME_AWAITING].text = frame_site_text(row, f);
	cells[FRAME_STATE].text = f->state;
	cells[FRAME_LOCALS].text = arena_printf(row, "%" PRIu32, f->locals);
	if (job->json == NULL)
		return;
	cells[FRAME_DYN].json = f->dyn ? "true" : "false";
	cells[FRAME_INFERRED].json = f->inferred ? "true" : "false";
	cells[FRAME_TYPE].text = tinfo_type(job->traces->tinfo, f->type).name;
	cells[FRAME_ADDRESS].text = arena_printf(row, "0x%" PRIx64, f->address);
	if (index + 1 == chain->count && trace_wait(job->traces->tokio, &trace->task, chain, &wait)) {
		struct strbuf text = STRBUF_INIT;
		struct json j = json_into(&text);
		wait_json(&j, &wait);
		cells[FRAME_WAITING_ON].json = text_kept(row, &text);
	}
	if (f->fork != FORK_NONE)
		cells_branches(job, trace, index, row, cells);
}

static void tsv_line(struct strbuf *to, const struct cell *cells)
{
	const struct column *chosen[FRAME_COLUMN_COUNT];
	size_t count = 0;
	for (size_t i = 0; i < FRAME_COLUMN_COUNT; i++)
		if ((FRAME_COLUMNS[i].flags & (COL_SHOWN | COL_TSV)) != 0)
			chosen[count++] = &FRAME_COLUMNS[i];
	if (cells == NULL)
		tsv_header(to, chosen, count);
	else
		tsv_row(to, FRAME_COLUMN_LIST, chosen, count, cells);
}

/* The lines of a frame's branches follow its own. */
static void tsv_branches(struct frames_job *job, const struct trace *trace, uint32_t index)
{
	struct branch branches[BRANCHES_MAX];
	struct frames_job inner = { job->traces, job->to, NULL, job->depth + 1 };
	struct trace *branch = malloc(sizeof *branch);
	size_t all, count = frame_branches(job->traces->tokio, &trace->chain.frames[index], branches, &all);
	if (branch == NULL)
		abort();
	for (size_t i = 0; i < count && job->depth < FORK_DEPTH; i++) {
		if (!branches[i].has_future)
			continue;
		trace_of_branch(job->traces, trace, index, i, &branches[i], branch);
		frames_write(&inner, branch, UINT64_MAX);
	}
	free(branch);
}

static void frames_write(struct frames_job *job, const struct trace *trace, uint64_t limit)
{
	const struct chain *chain = &trace->chain;
	for (uint32_t i = chain->count; i-- > trace->first && trace_number(chain, i) < limit;) {
		struct arena row = ARENA_INIT;
		struct cell cells[FRAME_COLUMN_COUNT];
		cells_fill(job, trace, i, &row, cells);
		if (job->json != NULL) {
			struct strbuf line = STRBUF_INIT;
			json_row(&line, FRAME_COLUMN_LIST, cells);
			if (line.length > 0 && line.text[line.length - 1] == '\n')
				strbuf_cut(&line, line.length - 1);
			json_raw(job->json, line.text);
			strbuf_release(&line);
		} else {
			tsv_line(job->to, cells);
			if (chain->frames[i].fork != FORK_NONE)
				tsv_branches(job, trace, i);
		}
		arena_release(&row);
	}
}

void trace_tsv_header(struct strbuf *to)
{
	tsv_line(to, NULL);
}

void trace_tsv(struct strbuf *to, struct traces *traces, const struct trace *trace, uint64_t limit)
{
	struct frames_job job = { traces, to, NULL, 0 };
	frames_write(&job, trace, limit);
}

void trace_json(struct strbuf *to, struct traces *traces, const struct trace *trace, uint64_t limit)
{
	struct json j = json_into(to);
	struct frames_job job = { traces, to, &j, 0 };
	const char *stopped = trace_stopped(&traces->arena, &trace->task, &trace->chain);
	json_object(&j);
	json_key(&j, "ref");
	json_string(&j, trace->ref);
	json_key(&j, "frames");
	json_array(&j);
	frames_write(&job, trace, limit);
	json_array_end(&j);
	json_key(&j, "complete");
	json_bool(&j, stopped == NULL);
	json_key(&j, "stopped");
	json_string(&j, stopped);
	json_object_end(&j);
	strbuf_addc(to, '\n');
}
