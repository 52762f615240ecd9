#include "records/extract_verb.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "attach/check.h"
#include "attach/extract_file.h"
#include "base/error.h"
#include "base/strbuf.h"
#include "cli/progress.h"
#include "cli/status.h"
#include "cli/tool.h"
#include "extract/extract.h"
#include "tinfo/tinfo.h"

/* What an interrupted extraction has to unlink; a signal handler can reach nothing else. */
static char *volatile unfinished;

static void on_signal(int number)
{
	char *path = unfinished;
	if (path != NULL)
		unlink(path);
	signal(number, SIG_DFL);
	raise(number);
}

static void clean_up_on_signals(char *temporary)
{
	static const int SIGNALS[] = { SIGINT, SIGTERM, SIGHUP };
	unfinished = temporary;
	for (size_t i = 0; i < sizeof SIGNALS / sizeof SIGNALS[0]; i++) {
		struct sigaction action = { .sa_handler = temporary != NULL ? on_signal : SIG_DFL };
		sigemptyset(&action.sa_mask);
		sigaction(SIGNALS[i], &action, NULL);
	}
}

static struct error *write_file(struct tinfo *ti, const char *output)
{
	char *temporary = tinfo_temporary(output);
	if (temporary == NULL)
		return error_memory();
	clean_up_on_signals(temporary);
	struct error *err = tinfo_write(ti, output);
	clean_up_on_signals(NULL);
	free(temporary);
	return err;
}

struct error *extract_verb(struct tool *tool, const struct extract_request *request)
{
	struct tinfo *ti = NULL;
	struct stat status;
	struct progress_line line = progress_begin(&tool->out);
	struct extract_options options = { .threads = (unsigned)request->threads,
		                           .progress = progress_wanted(&line) ? progress_show : NULL, .context = &line };
	struct error *err = extract_file(&ti, request->binary, request->debug_info, &options);
	progress_end(&line);
	if (err == NULL)
		err = write_file(ti, request->output);
	if (err == NULL) {
		uint64_t bytes = stat(request->output, &status) == 0 ? (uint64_t)status.st_size : 0;
		out_printf(&tool->out, "%s: %" PRIu32 " types, %" PRIu32 " functions, %" PRIu64 " bytes\n", request->output,
		           tinfo_count(ti, TABLE_TYPES), tinfo_count(ti, TABLE_FUNCTIONS), bytes);
		const char *skipped = tinfo_meta(ti, "units_skipped");
		if (skipped != NULL)
			status_warn(&tool->out, "%s: %s units of its debug information are damaged and were left out",
			            request->binary, skipped);
	}
	tinfo_free(ti);
	return err;
}

struct error *check_verb(struct tool *tool, const char *tokio_info, const char *core, const char *binary, int *status)
{
	static const struct {
		const char *word;
		int status;
	} VERDICTS[] = {
		[FIT_YES] = { "fits", STATUS_ANSWERED },
		[FIT_NO] = { "does not fit", STATUS_FAILED },
		[FIT_UNDECIDED] = { "undecided", STATUS_INCOMPLETE },
	};
	enum fit fit = FIT_UNDECIDED;
	struct strbuf evidence = STRBUF_INIT;
	struct error *err = attach_check(tokio_info, core, binary, &fit, &evidence);
	if (err == NULL) {
		out_printf(&tool->out, "%s: %s\n", VERDICTS[fit].word, evidence.text);
		*status = VERDICTS[fit].status;
	}
	strbuf_release(&evidence);
	return err;
}
