#include "model_ids.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "tinfo/tinfo.h"

void model_ids_note(struct model_ids *ids, uint32_t provisional, const char *name)
{
	assert_in_range(provisional, 0, MODEL_IDS_MAX - 1);
	ids->names[provisional] = name;
}

uint32_t model_ids_final(const struct model_ids *ids, struct tinfo *ti, uint32_t provisional)
{
	uint32_t first, before = 0;
	if (provisional == TINFO_NONE)
		return TINFO_NONE;
	const char *name = ids->names[provisional] != NULL ? ids->names[provisional] : "";
	for (uint32_t i = 0; i < provisional; i++)
		before += strcmp(ids->names[i] != NULL ? ids->names[i] : "", name) == 0;
	assert_in_range(before, 0, tinfo_types_named(ti, name, &first) - 1);
	return tinfo_nth_named(ti, first + before);
}
