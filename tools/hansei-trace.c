/* hansei-trace - prints await chains: what each task, frame, future or thread given is waiting in. */
#include <inttypes.h>
#include <stdio.h>

#include "base/error.h"
#include "base/strbuf.h"
#include "cli/common.h"
#include "cli/options.h"
#include "cli/refs.h"
#include "cli/status.h"
#include "cli/tool.h"
#include "records/frame_cells.h"
#include "records/session.h"
#include "records/trace.h"
#include "records/trace_text.h"
#include "tinfo/tinfo.h"

static const struct option OWN[] = {
	{ "verbose", 'v', NULL, NULL, "also list locals and the other suspend points" },
	{ "limit", 'l', "N", NULL, "print at most N frames of each chain" },
	{ "no-header", 0, NULL, NULL, "leave out the header line of TSV" },
};
static const struct option_set OWN_SET = OPTION_SET("Trace", OWN);
static const struct option_set *const SETS[] = { &OWN_SET, &OPTIONS_COMMON, NULL };
static const struct program PROGRAM = {
	"hansei-trace", "[REFERENCE]…",
	"Prints the await chain of each task (7, task/7), frame (frame/7.2: from there on), future (0x55d0c8) or thread "
	"(thread/4011: of its task). Without references they are read from standard input, as TSV or JSON lines.",
	SETS, NULL,
};

struct run {
	struct out *out;
	struct arena *arena;
	const struct options *options;
	struct common common;
	struct session session;
	struct traces traces;
	struct trace_options trace;
	enum format format;
	size_t answered, failed, headings;
	bool headed;     /* each trace under a line of its own */
	bool incomplete; /* memory that should be there could not be read */
};

static void warn_of(struct run *run, const struct trace *trace)
{
	const struct task *task = &trace->task;
	const char *name = trace->ref, *stopped;
	char lwp[32] = "";
	if (task->state == TASK_RUNNING && !task->class->blocking) {
		if (task->lwp != 0)
			snprintf(lwp, sizeof lwp, " on lwp %" PRIu32, task->lwp);
		status_warn(run->out, "%s is running%s; its state may be torn", trace_task_title(&run->traces, task), lwp);
	}
	run->incomplete |= trace->chain.end == CHAIN_UNREADABLE || trace->chain.end == CHAIN_CYCLE ||
	                   trace->stage == STAGE_UNREADABLE;
	stopped = run->format == FORMAT_TSV ? trace_stopped(run->arena, task, &trace->chain) : NULL;
	if (stopped != NULL)
		status_warn(run->out, "%s: %s", name, stopped);
	uint32_t count = trace->chain.count - trace->first;
	if (run->format != FORMAT_TABLE && run->trace.limited && run->trace.limit < count)
		status_note(run->out, "%s: %" PRIu32 " frames, %" PRIu64 " shown", name, count, run->trace.limit);
}

static void answer(struct run *run, const struct trace *trace)
{
	struct strbuf text = STRBUF_INIT;
	uint64_t limit = run->trace.limited ? run->trace.limit : UINT64_MAX;
	warn_of(run, trace);
	if (run->format == FORMAT_JSON) {
		trace_json(&text, &run->traces, trace, limit);
	} else if (run->format == FORMAT_TSV) {
		trace_tsv(&text, &run->traces, trace, limit);
	} else {
		if (run->headed || trace->held != NULL)
			out_printf(run->out, "%s%s\n", run->headings++ > 0 ? "\n" : "", trace->title);
		if (trace->held != NULL)
			out_printf(run->out, "Awaited by: %s\n\n", trace->held);
		trace_print(run->out, &run->traces, trace, &run->trace);
	}
	out_write(run->out, text.text, text.length);
	strbuf_release(&text);
}

static void trace_one(struct run *run, const struct ref *ref, struct error *err)
{
	static struct trace trace; /* too large for a stack's comfort */
	if (err == NULL)
		err = trace_find(&run->traces, ref, &trace);
	if (err != NULL) {
		run->failed++;
		status_complain(run->out, err);
		return;
	}
	run->answered++;
	answer(run, &trace);
}

/* Of operands one is looked ahead, to know whether there are several; what a pipe brings is always headed. */
static int trace_all(struct run *run, struct ref_source *source)
{
	struct ref now, next;
	struct error *err = NULL, *next_err = NULL;
	struct strbuf header = STRBUF_INIT;
	if (run->format == FORMAT_TSV && !options_given(run->options, "no-header"))
		trace_tsv_header(&header);
	out_write(run->out, header.text, header.length);
	strbuf_release(&header);
	bool more = refs_next(source, &now, &err);
	run->headed = source->input != NULL;
	while (more && !out_failed(run->out)) {
		bool ahead = !run->headed;
		if (ahead)
			run->headed = more = refs_next(source, &next, &next_err);
		trace_one(run, &now, err);
		if (!ahead)
			more = refs_next(source, &next, &next_err);
		now = next;
		err = next_err;
	}
	int status = status_tally(run->answered, run->failed);
	return status == STATUS_ANSWERED && run->incomplete ? STATUS_INCOMPLETE : status;
}

static int run_trace(struct tool *tool)
{
	struct run run = { .out = &tool->out, .arena = &tool->arena, .options = &tool->options };
	struct ref_source refs = refs_open(run.arena, run.options->operands, run.options->operand_count, stdin);
	struct error *err = common_read(run.options, &run.common);
	if (err == NULL)
		err = options_number(run.options, "limit", &run.trace.limit);
	if (err == NULL && !refs_given(&refs))
		err = error_new(ERROR_USAGE, "no reference: what is to be traced?");
	if (err == NULL)
		err = session_open(&run.session, &run.common, run.out);
	if (err != NULL)
		return status_error(run.out, err);
	run.trace.verbose = options_given(run.options, "verbose");
	run.trace.limited = options_given(run.options, "limit");
	run.format = format_choose(run.common.format, run.out, false);
	run.traces = (struct traces)TRACES_INIT(run.session.tokio, run.session.attachment->tinfo);
	int status = trace_all(&run, &refs);
	traces_release(&run.traces);
	return session_close(&run.session, status);
}

int main(int argc, char **argv)
{
	return tool_main(&PROGRAM, argc, argv, run_trace, NULL);
}
