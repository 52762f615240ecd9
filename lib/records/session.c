#include "records/session.h"

#include "base/error.h"
#include "cli/progress.h"
#include "cli/status.h"
#include "tinfo/tinfo.h"

static void tell_warnings(struct session *s)
{
	size_t count = 0;
	const char *const *warnings = s->tokio != NULL ? tokio_warnings(s->tokio, &count) : NULL;
	for (; s->told < count; s->told++)
		status_warn(s->out, "%s", warnings[s->told]);
}

struct error *session_open(struct session *s, const struct common *common, struct out *out)
{
	struct progress_line line = progress_begin(out);
	*s = (struct session){ .out = out };
	struct attach_request request = {
		.core = common->core, .tokio_info = common->tokio_info, .debug_info = common->debug_info,
		.binary = common->binary, .force = common->force, .no_cache = common->no_cache,
		.progress = progress_wanted(&line) ? progress_show : NULL, .context = &line,
	};
	struct error *err = attach_open(&s->attachment, &request);
	progress_end(&line);
	if (err != NULL)
		return err;
	for (size_t i = 0; i < s->attachment->notes.count; i++)
		status_note(out, "%s", s->attachment->notes.items[i]);
	for (size_t i = 0; i < s->attachment->warnings.count; i++)
		status_warn(out, "%s", s->attachment->warnings.items[i]);
	err = tokio_attach(&s->tokio, &s->attachment->target);
	if (err != NULL) {
		attach_close(s->attachment);
		s->attachment = NULL;
		return error_wrap(err, "%s", common->core);
	}
	tell_warnings(s);
	return NULL;
}

int session_close(struct session *s, int status)
{
	if (s->attachment == NULL)
		return status;
	tell_warnings(s);
	const char *fault = tinfo_fault(s->attachment->tinfo);
	if (fault != NULL)
		status_warn(s->out, "the layouts are damaged: %s", fault);
	if (status == STATUS_ANSWERED && (fault != NULL || tokio_incomplete(s->tokio)))
		status = STATUS_INCOMPLETE;
	tokio_free(s->tokio);
	attach_close(s->attachment);
	s->attachment = NULL;
	return status;
}
