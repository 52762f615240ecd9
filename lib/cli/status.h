/* status.h - how a program ends and what it says on standard error. These functions print: they are for tools and
 * for lib/cli, never for the layers below. Every main ends with `return out_shut(&out, status)`.
 *
 *	0 answered      1 could not answer      2 wrong usage      3 answered, but incomplete */
#ifndef HANSEI_CLI_STATUS_H
#define HANSEI_CLI_STATUS_H

#include <stddef.h>

#include "base/error.h"
#include "out/out.h"

enum status { STATUS_ANSWERED = 0, STATUS_FAILED = 1, STATUS_USAGE = 2, STATUS_INCOMPLETE = 3 };

/* The exit status that an error deserves: 2 for ERROR_USAGE, else 1. */
int status_of(const struct error *err);

/* After several questions: 0 when none failed, 1 when all did, 3 when some were answered. */
int status_tally(size_t answered, size_t failed);

/* Prints "hansei-tasks: message", for ERROR_USAGE also "try 'hansei-tasks --help'"; frees err; returns status_of
 * it. Standard output is flushed first, so that both keep their order on a terminal. */
int status_error(struct out *out, struct error *err);
/* The same without the hint: an error about one of several things, after which the program goes on. */
void status_complain(struct out *out, struct error *err);

/* Prints "warning: message", as in the description. Warnings alone leave the status at 0. */
void status_warn(struct out *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Prints "hansei-tasks: message": neither an error nor a doubt about the answer. */
void status_note(struct out *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Closes the output and gives main's return value: status, or 0 when the reader closed the pipe, or 1 and a message
 * when the output could not be written. */
int out_shut(struct out *out, int status);

#endif
