/* hansei-tinfo - makes .tinfo files and looks into them. One row of VERBS is one verb. */
#include <inttypes.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/strbuf.h"
#include "cli/common.h"
#include "cli/options.h"
#include "cli/status.h"
#include "cli/tool.h"
#include "out/column.h"
#include "records/extract_verb.h"
#include "records/layout.h"
#include "records/tinfo_records.h"
#include "tinfo/tinfo.h"

static const struct option OWN[] = {
	{ "format", 0, "FORMAT", "HANSEI_FORMAT", "table, tsv or json" },
	{ "recursive", 'r', NULL, NULL, "type: show the types of members below them" },
	{ "depth", 0, "N", NULL, "type: the same, N levels deep" },
	{ "output", 'o', "FILE", NULL, "extract: the .tinfo to write" },
	{ "debug-info", 'd', "FILE", NULL, "extract: take the debug information from here; same build id" },
	{ "threads", 'j', "N", NULL, "extract: how many threads (default: one a processor)" },
	{ "core", 'c', "FILE", "HANSEI_CORE", "check: the core dump" },
	{ "binary", 'b', "FILE", "HANSEI_BINARY", "check: the executable that dumped core" },
};
static const struct option_set OWN_SET = OPTION_SET("Options", OWN);
static const struct option_set *const SETS[] = { &OWN_SET, NULL };
static const struct program PROGRAM = {
	"hansei-tinfo", "VERB FILE …",
	"Makes and reads .tinfo files, the layouts of a program. Verbs: extract BINARY -o FILE, check FILE --core CORE "
	"(do they belong together?), stats FILE (what it holds and where it came from), find-types FILE REGEX, "
	"type FILE NAME|ID, dump FILE.",
	SETS, NULL,
};

struct run {
	struct tool *tool;
	struct tinfo *ti;
	enum format format;    /* as asked for */
	const char *operand;   /* the one after FILE, or NULL */
	unsigned depth;        /* type */
	int status;            /* what a verb says of its answer */
};

static bool out_lines(struct tool *tool, struct strbuf *lines)
{
	out_write(&tool->out, lines->text, lines->length);
	strbuf_reset(lines);
	return !out_failed(&tool->out);
}

static struct error *verb_stats(struct run *run)
{
	struct strbuf text = STRBUF_INIT;
	tinfo_stats(&text, run->ti, format_choose(run->format, &run->tool->out, false));
	out_lines(run->tool, &text);
	strbuf_release(&text);
	return NULL;
}

static struct error *regex_compile(regex_t *regex, const char *text)
{
	int failed = regcomp(regex, text, REG_EXTENDED | REG_ICASE | REG_NOSUB);
	char reason[128];
	if (failed == 0)
		return NULL;
	regerror(failed, regex, reason, sizeof reason);
	return error_new(ERROR_USAGE, "'%s' is no regular expression: %s", text, reason);
}

static struct error *verb_find(struct run *run)
{
	regex_t regex;
	struct error *err = regex_compile(&regex, run->operand);
	if (err != NULL)
		return err;
	enum format format = format_choose(run->format, &run->tool->out, true);
	uint32_t count = tinfo_count(run->ti, TABLE_TYPES), names = 0, run_length;
	struct strbuf line = STRBUF_INIT;
	if (format == FORMAT_TSV)
		tinfo_name_header(&line);
	for (uint32_t i = 0; i < count; i += run_length) {
		const char *name = tinfo_type(run->ti, i).name;
		/* types are sorted by name, and equal names are one text */
		for (run_length = 1; i + run_length < count && tinfo_type(run->ti, i + run_length).name == name;)
			run_length++;
		if (name[0] == 0 || regexec(&regex, name, 0, NULL, 0) != 0)
			continue;
		names++;
		tinfo_name(&line, run->ti, i, run_length, format);
		if (!out_lines(run->tool, &line))
			break;
	}
	if (format == FORMAT_TABLE)
		strbuf_addf(&line, "%" PRIu32 " type%s\n", names, names == 1 ? "" : "s");
	out_lines(run->tool, &line);
	strbuf_release(&line);
	regfree(&regex);
	return NULL;
}

/* Why there is no type of this name: how many have it inside theirs. */
static struct error *type_unknown(struct tinfo *ti, const char *name)
{
	uint32_t count = tinfo_count(ti, TABLE_TYPES), close = 0;
	for (uint32_t i = 0; i < count; i++)
		close += strstr(tinfo_type(ti, i).name, name) != NULL;
	if (close == 0)
		return error_new(ERROR_NOT_FOUND, "no type '%s'", name);
	return error_new(ERROR_NOT_FOUND, "no type '%s', but %" PRIu32 " with that in their names (find-types lists them)", name, close);
}

static struct error *verb_type(struct run *run)
{
	uint64_t id;
	uint32_t first = 0, count = tinfo_types_named(run->ti, run->operand, &first);
	if (count == 0 || run->operand[0] == 0) {
		struct error *err = number_parse(run->operand, &id);
		bool number = err == NULL;
		error_free(err);
		if (!number)
			return type_unknown(run->ti, run->operand);
		if (id >= tinfo_count(run->ti, TABLE_TYPES))
			return error_new(ERROR_NOT_FOUND, "no type %s: the last one is %" PRIu32, run->operand,
					 tinfo_count(run->ti, TABLE_TYPES) - 1);
		first = (uint32_t)id;
		count = 1;
	}
	struct out *out = &run->tool->out;
	struct strbuf lines = STRBUF_INIT;
	bool whole = true;
	if (run->format == FORMAT_TSV)
		layout_tsv_header(&lines);
	for (uint32_t i = first; i < first + count && !out_failed(out); i++) {
		if (run->format == FORMAT_TSV)
			layout_tsv(&lines, run->ti, i);
		else if (run->format == FORMAT_JSON)
			whole &= layout_json(&lines, run->ti, i, run->depth);
		else
			whole &= layout_text(out, run->ti, i, run->depth);
		if (run->format != FORMAT_TSV && run->format != FORMAT_JSON && i + 1 < first + count)
			out_text(out, "\n");
		out_lines(run->tool, &lines);
	}
	strbuf_release(&lines);
	run->status = whole ? STATUS_ANSWERED : STATUS_INCOMPLETE;
	if (!whole)
		status_complain(out, error_new(ERROR_UNSUPPORTED, "%s: too much to show; --depth shows less", run->operand));
	return NULL;
}

static struct error *verb_dump(struct run *run)
{
	struct strbuf line = STRBUF_INIT;
	struct record_walk walk = { 0, 0 };
	enum format format = format_choose(run->format, &run->tool->out, false);
	for (int table = 0; table < TABLE_COUNT; table++) {
		uint32_t count = tinfo_count(run->ti, (enum tinfo_table)table);
		for (uint32_t i = 0; i < count; i++) {
			if (!tinfo_record(&line, run->ti, &walk, (enum tinfo_table)table, i, format))
				break;
			if (line.length >= 32768 && !out_lines(run->tool, &line))
				break;
		}
	}
	out_lines(run->tool, &line);
	strbuf_release(&line);
	return NULL;
}

static struct error *verb_extract(struct run *run)
{
	const struct options *options = &run->tool->options;
	struct extract_request request = { .binary = options->operands[1], .output = options_value(options, "output"),
		                           .debug_info = options_value(options, "debug-info") };
	if (request.output == NULL)
		return error_new(ERROR_USAGE, "extract: --output says where to write");
	struct error *err = options_number(options, "threads", &request.threads);
	return err != NULL ? err : extract_verb(run->tool, &request);
}

static struct error *verb_check(struct run *run)
{
	const struct options *options = &run->tool->options;
	const char *core = options_value(options, "core");
	if (core == NULL)
		return error_new(ERROR_USAGE, "check: --core names the core dump");
	return check_verb(run->tool, options->operands[1], core, options_value(options, "binary"), &run->status);
}

static const struct verb {
	const char *name;
	const char *options; /* those it takes, --help and --version aside */
	const char *operand; /* what stands behind FILE; NULL: nothing */
	bool reads;          /* FILE is a .tinfo, opened before */
	struct error *(*answer)(struct run *run);
} VERBS[] = {
	{ "extract", "output debug-info threads", NULL, false, verb_extract },
	{ "check", "core binary", NULL, false, verb_check },
	{ "stats", "format", NULL, true, verb_stats },
	{ "find-types", "format", "a regular expression", true, verb_find },
	{ "type", "format recursive depth", "a name or id", true, verb_type },
	{ "dump", "format", NULL, true, verb_dump },
};

static struct error *verb_choose(const struct options *options, const struct verb **verb)
{
	const char *name = options->operand_count == 0 ? NULL : options->operands[0];
	const struct verb *found = NULL;
	for (size_t i = 0; name != NULL && i < sizeof VERBS / sizeof VERBS[0]; i++)
		if (strcmp(name, VERBS[i].name) == 0)
			found = &VERBS[i];
	*verb = found;
	if (name == NULL)
		return error_new(ERROR_USAGE, "a verb is needed: extract, check, stats, find-types, type or dump");
	if (found == NULL)
		return error_new(ERROR_USAGE, "no verb '%s': there are extract, check, stats, find-types, type and dump", name);
	size_t wanted = found->operand == NULL ? 2 : 3;
	if (options->operand_count < 2)
		return error_new(ERROR_USAGE, "%s: a file is needed", name);
	if (options->operand_count < wanted)
		return error_new(ERROR_USAGE, "%s: %s is needed after the file", name, found->operand);
	if (options->operand_count > wanted)
		return error_new(ERROR_USAGE, "%s: '%s' is one too many", name, options->operands[wanted]);
	for (size_t i = 0; i < options->use_count; i++) {
		const char *option = options->uses[i].option->name;
		if (!names_include(found->options, option, strlen(option)))
			return error_new(ERROR_USAGE, "%s: --%s is for another verb", name, option);
	}
	return NULL;
}

static struct error *options_read(const struct options *options, struct run *run)
{
	uint64_t depth = options_given(options, "recursive") ? LAYOUT_DEPTH_MAX : 0;
	struct error *err = options_number(options, "depth", &depth);
	run->depth = depth < LAYOUT_DEPTH_MAX ? (unsigned)depth : LAYOUT_DEPTH_MAX;
	const char *format = options_value(options, "format");
	if (err == NULL && format != NULL)
		err = options_blame(options, "format", format_parse(format, &run->format));
	return err;
}

static int run_tinfo(struct tool *tool)
{
	struct run run = { .tool = tool, .format = FORMAT_DEFAULT };
	const struct verb *verb;
	struct error *err = verb_choose(&tool->options, &verb);
	if (err == NULL)
		err = options_read(&tool->options, &run);
	if (err == NULL && verb->reads)
		err = tinfo_open(&run.ti, tool->options.operands[1]);
	if (err != NULL)
		return status_error(&tool->out, err);
	run.operand = verb->operand != NULL ? tool->options.operands[2] : NULL;
	err = verb->answer(&run);
	int status = err != NULL ? status_error(&tool->out, err) : run.status;
	const char *fault = run.ti == NULL ? NULL : tinfo_fault(run.ti);
	if (fault != NULL) {
		status_complain(&tool->out, error_new(ERROR_DATA, "%s", fault));
		status = status == STATUS_ANSWERED ? STATUS_INCOMPLETE : status;
	}
	tinfo_free(run.ti);
	return status;
}

int main(int argc, char **argv)
{
	return tool_main(&PROGRAM, argc, argv, run_tinfo, NULL);
}
