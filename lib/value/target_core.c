/* The target of a core dump. */
#include "base/error.h"
#include "core/core.h"
#include "value/target.h"

static const unsigned char *core_memory_peek(const void *context, uint64_t address, size_t length)
{
	return core_peek(context, address, length);
}

static bool core_memory_read(const void *context, uint64_t address, void *buffer, size_t length)
{
	struct error *err = core_read(context, address, buffer, length, NULL);
	bool whole = err == NULL;
	error_free(err);
	return whole;
}

void target_over_core(struct target *t, const struct core *core, struct tinfo *tinfo, struct elf_file *executable)
{
	const struct core_executable *program = core_executable(core);
	struct target_memory memory = { core_memory_peek, core_memory_read, core };
	target_init(t, memory, tinfo);
	t->core = core;
	t->executable = executable;
	if (program != NULL && program->bias_known) {
		t->bias = program->bias;
		t->has_bias = true;
	}
}
