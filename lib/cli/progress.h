/* progress.h - a line on standard error for what takes over a second, when that is a terminal. */
#ifndef HANSEI_CLI_PROGRESS_H
#define HANSEI_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "out/out.h"

struct progress_line {
	struct out *out;
	struct timespec start;
	bool shown;
};

struct progress_line progress_begin(struct out *out);
bool progress_wanted(const struct progress_line *line); /* a terminal is there */
/* context is the struct progress_line: fits the callbacks of extract.h and attach.h. */
void progress_show(void *context, const char *phase, uint64_t done, uint64_t total);
void progress_end(struct progress_line *line); /* wipes it */

#endif
