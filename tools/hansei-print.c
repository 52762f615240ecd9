/* hansei-print - prints the live locals of a frame, or a value in it, or at an address. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attach/attach.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/strbuf.h"
#include "cli/common.h"
#include "cli/options.h"
#include "cli/refs.h"
#include "cli/status.h"
#include "cli/tool.h"
#include "records/hexdump.h"
#include "records/print.h"
#include "records/session.h"
#include "records/trace.h"

static const struct option OWN[] = {
	{ "path", 'p', "PATH", NULL, "what to print of each frame: a local, and steps from there" },
	{ "frame", 'n', "N", NULL, "the frame of a task or future; 0, the default, is the innermost" },
	{ "depth", 0, "N", NULL, "levels of a value to open: 2 in text, all in JSON" },
	{ "max-array", 0, "N", NULL, "elements of a list or map to print: 128 in text, all in JSON" },
	{ "max-string", 0, "N", NULL, "bytes of a text to print: 131072 in text, all in JSON" },
	{ "ugly", 'u', NULL, NULL, "members as they are in memory" },
	{ "dump", 'x', NULL, NULL, "the bytes of the value, in hexadecimal" },
	{ "length", 0, "N", NULL, "with --dump: so many bytes" },
	{ "no-header", 0, NULL, NULL, "leave out the header line of TSV" },
};
static const struct option_set OWN_SET = OPTION_SET("Values", OWN);
static const struct option_set *const SETS[] = { &OWN_SET, &OPTIONS_COMMON, NULL };
static const struct program PROGRAM = {
	"hansei-print", "[REFERENCE [PATH] | REFERENCE… | ADDRESS TYPE [PATH]]",
	"Prints the live locals of a frame (frame/5.4; a task or future stands for its frame 0), what a path leads to\n"
	"from there (config.data.c, jobs[0..3].id), or a value at an address, given its type. Without operands references\n"
	"are read from standard input.",
	SETS, NULL,
};

enum { DUMP_DEFAULT = 256 };

struct run {
	struct out *out;
	struct arena *arena;
	const struct options *options;
	struct common common;
	struct session session;
	struct traces traces;
	struct printer printer;
	enum format format;
	const char *path;   /* "" none */
	uint64_t frame, length;
	bool dump, headed;
	size_t answered, failed;
};

static struct error *dump_value(struct run *run, struct value root, const char *path)
{
	uint64_t address, length;
	struct error *err = printer_extent(&run->printer, root, path, &address, &length);
	if (err != NULL)
		return err;
	if (options_given(run->options, "length"))
		length = run->length;
	if (!hexdump(run->out, run->printer.viewer.target, address, length))
		run->printer.incomplete = true;
	return NULL;
}

/* The frame that a trace means: the one that was named, or number --frame of the task's or future's. */
static struct error *choose_frame(struct run *run, const struct ref *ref, const struct trace *trace, uint32_t *index)
{
	uint32_t count = trace->chain.count;
	*index = trace->first;
	if (count == 0)
		return error_new(ERROR_NOT_FOUND, "%s has no frame: %s", trace->title, chain_end_text(trace->chain.end));
	if (ref->kind == REF_FRAME && !options_given(run->options, "frame"))
		return NULL;
	if (run->frame >= count - trace->first)
		return error_new(ERROR_NOT_FOUND, "no frame #%" PRIu64 " in %s: it has %" PRIu32, run->frame, trace->title,
		                 count - trace->first);
	*index = count - 1 - (uint32_t)run->frame;
	return NULL;
}

static struct error *print_frame(struct run *run, const struct ref *ref, const char *path)
{
	static struct trace trace; /* too large for a stack's comfort */
	uint32_t index;
	struct error *err = trace_find(&run->traces, ref, &trace);
	if (err == NULL)
		err = choose_frame(run, ref, &trace, &index);
	if (err != NULL)
		return err;
	const struct frame *frame = &trace.chain.frames[index];
	const char *name = trace_frame_ref(run->arena, trace.base, &trace.chain, index);
	struct value root = { frame->type, frame->address };
	if (trace.task.state == TASK_RUNNING)
		status_warn(run->out, "%s is running; its state may be torn", trace_task_title(&run->traces, &trace.task));
	if (run->headed && run->format == FORMAT_TABLE)
		out_printf(run->out, "%s%s\n", run->answered != 0 ? "\n" : "", name);
	if (run->dump)
		return dump_value(run, root, path);
	if (path[0] != '\0')
		return printer_path(&run->printer, name, root, path);
	printer_locals(&run->printer, name, frame);
	return NULL;
}

static void answer(struct run *run, const struct ref *ref, struct error *err)
{
	if (err == NULL)
		err = print_frame(run, ref, run->path);
	if (err == NULL) {
		run->answered++;
		return;
	}
	run->failed++;
	status_complain(run->out, error_wrap(err, "%s", ref->text != NULL ? ref->text : "standard input"));
}

static void print_references(struct run *run, struct ref_source *source)
{
	struct ref ref = { .text = NULL };
	struct error *err = NULL;
	run->headed = source->input != NULL || run->options->operand_count > 1;
	while (!out_failed(run->out) && refs_next(source, &ref, &err)) {
		bool bad = err != NULL;
		if (bad) {
			run->failed++;
			status_complain(run->out, err);
			err = NULL;
			continue;
		}
		answer(run, &ref, NULL);
	}
}

static bool is_step(const char *text)
{
	return text[0] == '.' || text[0] == '[' || text[0] == '*';
}

/* The operands from `first` on as one path: steps may be words of their own. */
static const char *join_path(struct run *run, size_t first)
{
	struct strbuf path = STRBUF_INIT;
	for (size_t i = first; i < run->options->operand_count; i++)
		strbuf_adds(&path, run->options->operands[i]);
	const char *text = arena_strdup(run->arena, path.text);
	strbuf_release(&path);
	return text;
}

/* ADDRESS TYPE [PATH] */
static struct error *print_address(struct run *run, uint64_t address)
{
	struct value root = { TINFO_NONE, address };
	struct error *err = printer_type(&run->printer, run->options->operands[1], &root.type);
	if (err != NULL)
		return err;
	const char *path = run->options->operand_count > 2 ? join_path(run, 2) : run->path;
	err = run->dump ? dump_value(run, root, path) : printer_path(&run->printer, NULL, root, path);
	run->answered += err == NULL;
	return err;
}

/* The forms that say more than references: REFERENCE PATH, ADDRESS TYPE [PATH], and --dump of a bare address. */
static bool special_form(struct run *run, struct error **err)
{
	const char *const *operands = run->options->operands;
	size_t count = run->options->operand_count;
	struct ref first, second;
	*err = NULL;
	if (count == 0 || strcmp(operands[0], "-") == 0)
		return false;
	if ((*err = ref_parse(operands[0], &first)) != NULL)
		return true;
	if (count == 1 && run->dump && first.kind == REF_ADDRESS && run->path[0] == '\0') {
		uint64_t length = options_given(run->options, "length") ? run->length : DUMP_DEFAULT;
		if (!hexdump(run->out, run->printer.viewer.target, first.address, length))
			run->printer.incomplete = true;
		run->answered++;
		return true;
	}
	if (count == 1)
		return false;
	struct error *no_ref = ref_parse(operands[1], &second);
	if (no_ref == NULL)
		return false;
	error_free(no_ref);
	if (first.kind == REF_ADDRESS && !is_step(operands[1])) {
		*err = print_address(run, first.address);
		return true;
	}
	if (options_given(run->options, "path"))
		*err = error_new(ERROR_USAGE, "'%s' is no reference, and the path is given by --path", operands[1]);
	else
		*err = print_frame(run, &first, join_path(run, 1));
	run->answered += *err == NULL;
	return true;
}

static struct error *read_limits(struct run *run, struct render_options *options)
{
	bool text = run->format == FORMAT_TABLE;
	options->depth = text ? 2 : UINT64_MAX;
	options->max_array = text ? 128 : UINT64_MAX;
	options->max_string = text ? 131072 : UINT64_MAX;
	options->ugly = options_given(run->options, "ugly");
	struct error *err = options_number(run->options, "depth", &options->depth);
	if (err == NULL)
		err = options_number(run->options, "max-array", &options->max_array);
	if (err == NULL)
		err = options_number(run->options, "max-string", &options->max_string);
	if (err == NULL)
		err = options_number(run->options, "frame", &run->frame);
	const char *length = options_value(run->options, "length");
	if (err == NULL && length != NULL) {
		char *end;
		run->length = strtoull(length, &end, 0);
		if (*end != '\0' || end == length || length[0] == '-')
			err = error_new(ERROR_USAGE, "--length: '%s' is not a number", length);
	}
	return err;
}

static int run_print(struct tool *tool)
{
	struct run run = { .out = &tool->out, .arena = &tool->arena, .options = &tool->options };
	struct render_options options = { .depth = 0 };
	struct ref_source refs = refs_open(run.arena, run.options->operands, run.options->operand_count, stdin);
	struct error *err = common_read(run.options, &run.common);
	run.format = err == NULL ? format_choose(run.common.format, run.out, false) : FORMAT_TABLE;
	if (err == NULL)
		err = read_limits(&run, &options);
	if (err == NULL && !refs_given(&refs))
		err = error_new(ERROR_USAGE, "no reference: of which frame?");
	if (err == NULL)
		err = session_open(&run.session, &run.common, run.out);
	if (err != NULL)
		return status_error(run.out, err);
	run.path = options_value(run.options, "path");
	run.path = run.path != NULL ? run.path : "";
	run.dump = options_given(run.options, "dump");
	run.traces = (struct traces)TRACES_INIT(run.session.tokio, run.session.attachment->tinfo);
	printer_open(&run.printer, &run.session, run.format, &options);
	if (run.format == FORMAT_TSV && !run.dump && !options_given(run.options, "no-header"))
		printer_header(&run.printer);
	int status = STATUS_ANSWERED;
	if (special_form(&run, &err))
		status = err != NULL ? status_error(run.out, err) : STATUS_ANSWERED;
	else
		print_references(&run, &refs);
	if (status == STATUS_ANSWERED)
		status = status_tally(run.answered, run.failed);
	if (status == STATUS_ANSWERED && run.printer.incomplete)
		status = STATUS_INCOMPLETE;
	printer_close(&run.printer);
	traces_release(&run.traces);
	return session_close(&run.session, status);
}

int main(int argc, char **argv)
{
	return tool_main(&PROGRAM, argc, argv, run_print, NULL);
}
