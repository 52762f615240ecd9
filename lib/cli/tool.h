/* tool.h - the frame of every program's main: options, --help and --version, the output and how it ends.
 *
 *	static int run(struct tool *tool) { … return STATUS_ANSWERED; }
 *	int main(int argc, char **argv) { return tool_main(&PROGRAM, argc, argv, run, NULL); } */
#ifndef HANSEI_CLI_TOOL_H
#define HANSEI_CLI_TOOL_H

#include "base/arena.h"
#include "cli/options.h"
#include "out/out.h"

struct tool {
	struct out out;
	struct arena arena; /* for the whole run */
	struct options options;
	void *context;      /* the caller's */
};

/* Returns main's value. run is not called for --help, --version and wrong options. */
int tool_main(const struct program *program, int argc, char **argv, int (*run)(struct tool *tool), void *context);

#endif
