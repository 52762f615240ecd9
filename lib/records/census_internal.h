/* census_internal.h - what the sections of a census share. */
#ifndef HANSEI_RECORDS_CENSUS_INTERNAL_H
#define HANSEI_RECORDS_CENSUS_INTERNAL_H

#include "base/arena.h"
#include "base/map.h"
#include "records/census.h"

struct json;

/* Texts and how often each came. The text is borrowed. */
struct tally_row {
	const char *text;
	const char *type;     /* what tells it apart from others; NULL: the text */
	uint64_t count;
	struct tally *inner;  /* NULL: none */
};
struct tally {
	struct tally_row **rows;
	size_t count, capacity;
	struct map by_key;
	struct arena *arena;
};

struct tally *tally_new(struct arena *arena);
struct tally_row *tally_add(struct tally *tally, const char *text, const char *type);
/* The most frequent first, then by text. Also what is inside. */
void tally_sort(struct tally *tally);

/* COUNT, and the text under `heading`; of rows with a tally inside, `└─ n  text` below each. At most `limit` rows, then
 * one for the rest ("(8 more types)"), then the footer. */
void tally_print(struct tally *tally, struct out *out, const char *heading, const char *noun, const char *plural,
                 uint64_t limit, bool counts_rows);
void tally_tsv(struct out *out, const char *section, const char *key, const char *inner_key, const struct tally *tally,
               uint64_t limit);
void tally_json(struct json *j, const char *key, const char *name, const struct tally *tally);

/* What a census calls the wait. */
struct wait;
const char *census_wait_text(const struct wait *wait);

/* "runtime 0 @ 0x5629d639a9a0", "2 runtimes and 1 local set". */
const char *census_owners(struct arena *arena, struct tokio *tokio, bool local_sets);
void census_line(struct out *out, const char *section, const char *key, uint64_t count, const char *text);

void census_threads(const struct census *census, enum format format);
void census_tasks(const struct census *census, enum format format);
void census_futures(const struct census *census, enum format format);

#endif
