/* model_ids.h - what became of the builder's provisional type ids: tinfo_build_finish sorts types by name, and equal
 * names by the order they were reserved in. */
#ifndef HANSEI_TESTS_MODEL_IDS_H
#define HANSEI_TESTS_MODEL_IDS_H

#include <stdint.h>

struct tinfo;

enum { MODEL_IDS_MAX = 512 };

struct model_ids {
	const char *names[MODEL_IDS_MAX]; /* by provisional id */
};

/* Name is "" for a type that stays undefined. */
void model_ids_note(struct model_ids *ids, uint32_t provisional, const char *name);
uint32_t model_ids_final(const struct model_ids *ids, struct tinfo *ti, uint32_t provisional);

#endif
