#include "cli/tool.h"

#include <stdio.h>

#include "base/error.h"
#include "cli/status.h"

int tool_main(const struct program *program, int argc, char **argv, int (*run)(struct tool *tool), void *context)
{
	struct tool tool = { .arena = ARENA_INIT, .context = context };
	out_init(&tool.out, program->name, stdout);
	struct error *err = options_parse(&tool.options, program, &tool.arena, argc, argv);
	int status = STATUS_ANSWERED;
	if (err != NULL)
		status = status_error(&tool.out, err);
	else if (!options_answered(&tool.options, &tool.out))
		status = run(&tool);
	arena_release(&tool.arena);
	return out_shut(&tool.out, status);
}
