#include "cli/progress.h"

#include <stdio.h>
#include <unistd.h>

struct progress_line progress_begin(struct out *out)
{
	struct progress_line line = { .out = out };
	clock_gettime(CLOCK_MONOTONIC, &line.start);
	return line;
}

bool progress_wanted(const struct progress_line *line)
{
	return isatty(fileno(line->out->messages));
}

void progress_show(void *context, const char *phase, uint64_t done, uint64_t total)
{
	struct progress_line *line = context;
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	if (now.tv_sec - line->start.tv_sec < 1)
		return;
	fprintf(line->out->messages, "\r%s: %s: %d%%", line->out->program, phase,
	        total != 0 ? (int)(done * 100 / total) : 0);
	fflush(line->out->messages);
	line->shown = true;
}

void progress_end(struct progress_line *line)
{
	if (line->shown)
		fputs("\r\033[K", line->out->messages);
	line->shown = false;
}
