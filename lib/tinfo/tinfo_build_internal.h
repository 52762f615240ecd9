/* tinfo_build_internal.h - the builder's inside: records are kept in the file's own layout from the start, with
 * the number of a text where its offset will be, so that finishing is patching in place and sorting. */
#ifndef HANSEI_TINFO_BUILD_INTERNAL_H
#define HANSEI_TINFO_BUILD_INTERNAL_H

#include "tinfo/tinfo_build.h"
#include "tinfo/tinfo_internal.h"

/* The distinct texts given so far. Text 0 is "". */
struct texts {
	char *bytes; /* one after the other, each with its NUL */
	size_t length, bytes_capacity;
	struct text_entry {
		uint64_t at;
		uint32_t length, hash;
	} *entries;
	size_t count, capacity;
	uint32_t *slots; /* open addressing by hash; the text's number + 1, 0 free */
	size_t slot_count;
};

struct rows {
	unsigned char *bytes;
	size_t count, capacity; /* records */
};

struct tinfo_build {
	struct texts texts;
	struct rows rows[TABLE_COUNT];
};

void texts_init(struct texts *texts);
uint32_t texts_add(struct texts *texts, const char *text); /* NULL is "" */
/* Makes the sorted blob, and for every text its offset there; both malloc'd. The bytes of the texts are freed. */
struct error *texts_finish(struct texts *texts, unsigned char **blob, uint64_t *size, uint32_t **offsets);
void texts_release(struct texts *texts);

#endif
