/* session.h - what every program does between its options and its answer: attach, find the runtimes, and tell
 * warnings on standard error. Prints; for tools only. */
#ifndef HANSEI_RECORDS_SESSION_H
#define HANSEI_RECORDS_SESSION_H

#include <stdbool.h>

#include "attach/attach.h"
#include "cli/common.h"
#include "tokio/tokio.h"

struct session {
	struct out *out;
	struct attachment *attachment;
	struct tokio *tokio;
	size_t told; /* tokio's warnings printed so far */
};

/* Errors as of attach_open and tokio_attach. Progress of an extraction goes to standard error when that is a terminal
 * and it takes over a second. */
struct error *session_open(struct session *session, const struct common *common, struct out *out);
/* Tells what came up meanwhile; returns `status`, or STATUS_INCOMPLETE where 0 would hide that part of the answer is
 * missing. Closes everything. */
int session_close(struct session *session, int status);

#endif
