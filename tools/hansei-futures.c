/* hansei-futures - lists the futures in flight beside the await chains, or prints the block of each that is named. */
#include <inttypes.h>
#include <stdlib.h>

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
#include "records/future_cells.h"
#include "records/session.h"
#include "tinfo/tinfo.h"

static const struct listing_kind FUTURES = { "future", "futures", "address", { FUTURE_COLUMNS, FUTURE_COLUMN_COUNT } };
static const struct option_set *const SETS[] = { &OPTIONS_COMMON, &OPTIONS_LISTING, NULL };
static const struct program PROGRAM = {
	"hansei-futures", "[REFERENCE]…",
	"Lists the futures in flight that no task awaits: held in locals, and children of sets of futures. With "
	"references (0x55d0c8, future/0x55d0c8), prints the block of each.",
	SETS, &FUTURES,
};

enum { CHILDREN_SHOWN = 50 };

struct run {
	struct out *out;
	struct arena *arena;
	const struct options *options; /* these three of the tool */
	struct common common;
	struct session session;
	struct chain *chain;
};

static int list_futures(struct run *run, struct listing *listing)
{
	struct tokio *tokio = run->session.tokio;
	const struct held_census *census = tokio_held(tokio);
	bool with_json = run->common.format == FORMAT_JSON, armed = listing_needs(listing, "armed");
	size_t runtimes;
	tokio_runtimes(tokio, &runtimes);
	if (runtimes > 1)
		listing_show(listing, "runtime");
	for (size_t i = 0; i < census->count; i++) {
		struct future_record record;
		struct cell cells[FUTURE_COLUMN_COUNT];
		struct arena row = ARENA_INIT;
		bool wanted = listing_wants(listing);
		if (wanted) {
			future_record_fill(&row, tokio, run->session.attachment->tinfo, &census->items[i], armed, &record,
			                   run->chain);
			future_cells(&row, &record, with_json, cells);
		}
		bool more = listing_row(listing, wanted ? cells : NULL);
		arena_release(&row);
		if (!more)
			break;
	}
	listing_close(listing);
	return STATUS_ANSWERED;
}

static const char *armed_text(enum held_armed armed)
{
	return armed == HELD_ARMED ? "yes" : armed == HELD_IDLE ? "no" : NULL;
}

static void print_holder(struct run *run, struct block *block, const struct future_record *record)
{
	const struct held *held = record->held;
	const struct held_census *census = tokio_held(run->session.tokio);
	if (held->set != HELD_NONE) {
		const struct held_set *set = &census->sets[held->set];
		block_fieldf(block, 1, "child of", "%s at 0x%" PRIx64 ", polled by task %s",
		             tokio_type_name(run->session.tokio, set->type, false), set->address, record->task_text);
		return;
	}
	block_fieldf(block, 1, "held by", "task %s (%s)", record->task_text, record->held_in);
}

static void print_block(struct run *run, struct block *block, uint32_t index)
{
	struct future_record record;
	struct tokio *tokio = run->session.tokio;
	struct tinfo *tinfo = run->session.attachment->tinfo;
	const struct held *held = &tokio_held(tokio)->items[index];
	struct children children = { run->out, tokio, tinfo, CHILDREN_SHOWN };
	struct held_counts counts;
	size_t runtimes;
	future_record_fill(run->arena, tokio, tinfo, held, true, &record, run->chain);
	block_heading(block, "future 0x%" PRIx64, held->address);
	block_styled(block, 1, "type", STYLE_NAME, record.future);
	print_holder(run, block, &record);
	tokio_runtimes(tokio, &runtimes);
	if (runtimes > 1 && record.task != NULL && record.task->runtime != TINFO_NONE)
		block_fieldf(block, 1, "owner", "runtime %" PRIu32, record.task->runtime);
	block_field(block, 1, "state", record.state_text);
	block_fieldf(block, 1, "depth", "%" PRIu32 " frame%s", held->frames, held->frames == 1 ? "" : "s");
	if (record.wait.kind != WAIT_NONE)
		block_field(block, 1, "waiting on", record.wait.text);
	block_field(block, 1, "armed", armed_text(record.armed));
	held_in_find(tokio, index, &counts);
	children_print(&children, &counts, index, 4);
}

static void print_record(struct run *run, enum format format, uint32_t index)
{
	struct future_record record;
	struct cell cells[FUTURE_COLUMN_COUNT];
	struct strbuf line = STRBUF_INIT;
	future_record_fill(run->arena, run->session.tokio, run->session.attachment->tinfo,
	                   &tokio_held(run->session.tokio)->items[index], true, &record, run->chain);
	future_cells(run->arena, &record, format == FORMAT_JSON, cells);
	if (format == FORMAT_JSON) {
		json_row(&line, FUTURES.columns, cells);
	} else {
		const struct column *chosen[FUTURE_COLUMN_COUNT];
		size_t count = 0;
		for (size_t i = 0; i < FUTURE_COLUMN_COUNT; i++)
			if ((FUTURE_COLUMNS[i].flags & (COL_SHOWN | COL_TSV)) != 0)
				chosen[count++] = &FUTURE_COLUMNS[i];
		tsv_row(&line, FUTURES.columns, chosen, count, cells);
	}
	out_write(run->out, line.text, line.length);
	strbuf_release(&line);
}

/* HELD_NONE with *err: what is wrong with the reference. */
static uint32_t find_future(struct run *run, const struct ref *ref, struct error **err)
{
	size_t others;
	if (ref->kind != REF_FUTURE && ref->kind != REF_ADDRESS) {
		*err = error_new(ERROR_USAGE, "%s is not a future: 0x55d0c8 or future/0x55d0c8 is expected", ref->text);
		return HELD_NONE;
	}
	uint32_t index = held_at(run->session.tokio, ref->address, &others);
	if (index == HELD_NONE)
		*err = error_new(ERROR_NOT_FOUND, "no held future at 0x%" PRIx64 " (%zu futures)", ref->address,
		                 tokio_held(run->session.tokio)->count);
	else if (others > 0)
		status_note(run->out, "%zu futures begin at 0x%" PRIx64 "; this is the innermost", others + 1, ref->address);
	return index;
}

static int show_futures(struct run *run, struct ref_source *source)
{
	size_t answered = 0, failed = 0;
	struct block block = block_into(run->out);
	struct ref ref;
	struct error *err = NULL;
	while (refs_next(source, &ref, &err)) {
		uint32_t index = err == NULL ? find_future(run, &ref, &err) : HELD_NONE;
		if (index == HELD_NONE) {
			failed++;
			status_complain(run->out, err);
			err = NULL;
			continue;
		}
		enum format format = format_choose(run->common.format, run->out, false);
		if (format == FORMAT_TABLE || format == FORMAT_DEFAULT)
			print_block(run, &block, index);
		else
			print_record(run, format, index);
		answered++;
	}
	return status_tally(answered, failed);
}

static int run_futures(struct tool *tool)
{
	struct run run = { .out = &tool->out, .arena = &tool->arena, .options = &tool->options };
	struct listing *listing = NULL;
	struct ref_source refs = refs_open(run.arena, run.options->operands, run.options->operand_count, stdin);
	run.chain = arena_alloc(run.arena, sizeof *run.chain);
	struct error *err = common_read(run.options, &run.common);
	if (err == NULL)
		err = listing_open(&listing, &FUTURES, run.options, run.out, run.common.format);
	if (err == NULL)
		err = session_open(&run.session, &run.common, run.out);
	if (err != NULL) {
		listing_free(listing);
		return status_error(run.out, err);
	}
	int status;
	if (refs_given(&refs)) {
		listing_free(listing);
		status = show_futures(&run, &refs);
	} else {
		status = list_futures(&run, listing);
	}
	return session_close(&run.session, status);
}

int main(int argc, char **argv)
{
	return tool_main(&PROGRAM, argc, argv, run_futures, NULL);
}
