/* hansei-census - counts of threads, tasks and futures on one page. */
#include "base/error.h"
#include "cli/common.h"
#include "cli/options.h"
#include "cli/status.h"
#include "cli/tool.h"
#include "records/census.h"
#include "records/session.h"

enum { TYPES_SHOWN = 5 };

static const struct option OWN[] = {
	{ "threads", 0, NULL, NULL, "the section on threads" },
	{ "tasks", 0, NULL, NULL, "the section on tasks" },
	{ "futures", 0, NULL, NULL, "the section on futures" },
	{ "limit", 'l', "N", NULL, "show at most N types (5)" },
};
static const struct option_set OPTIONS_OWN = OPTION_SET("Census", OWN);
static const struct option_set *const SETS[] = { &OPTIONS_COMMON, &OPTIONS_OWN, NULL };
static const struct program PROGRAM = {
	"hansei-census", NULL,
	"Counts the threads, tasks and futures of the tokio runtimes in a core dump. All sections are shown unless some are "
	"named.",
	SETS, NULL,
};

static int run_census(struct tool *tool)
{
	struct common common;
	struct session session;
	struct census census = { .out = &tool->out, .limit = TYPES_SHOWN };
	struct error *err = common_read(&tool->options, &common);
	if (err == NULL)
		err = options_number(&tool->options, "limit", &census.limit);
	if (err == NULL)
		err = session_open(&session, &common, &tool->out);
	if (err != NULL)
		return status_error(&tool->out, err);
	census.tokio = session.tokio;
	census.tinfo = session.attachment->tinfo;
	census.threads = options_given(&tool->options, "threads");
	census.tasks = options_given(&tool->options, "tasks");
	census.futures = options_given(&tool->options, "futures");
	if (!census.threads && !census.tasks && !census.futures)
		census.threads = census.tasks = census.futures = true;
	census_print(&census, format_choose(common.format, &tool->out, false));
	return session_close(&session, STATUS_ANSWERED);
}

int main(int argc, char **argv)
{
	return tool_main(&PROGRAM, argc, argv, run_census, NULL);
}
