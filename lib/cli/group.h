/* group.h - --group FIELD: how many rows have each value of a field, and three examples.
 *
 *	COUNT  STATE     TASKS
 *	22495  idle      129, 130, 131, …
 *	    1  blocking  765
 *	[2 groups]
 *
 * Most numerous first; equal counts in the order of the value (by number where both are numbers), nothing last.
 * Rows with nothing in the field are one group: <empty> in a table, an empty field in TSV, null in JSON.
 * TSV has the fields FIELD, count, sample (references, separated by commas); JSON is
 * {"FIELD": value, "count": N, "sample": [references]}. Ownership: a group copies what it keeps into its own arena;
 * the column is borrowed. */
#ifndef HANSEI_CLI_GROUP_H
#define HANSEI_CLI_GROUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/map.h"
#include "out/column.h"
#include "out/out.h"

enum { GROUP_SAMPLE = 3 };

struct bucket;

struct group {
	const struct column *column;
	struct bucket **buckets;
	size_t count, capacity;
	struct map by_key; /* hash of the key → index */
	struct arena arena;
};

struct group group_by(const struct column *column);
/* cell: the row's value of the field. label: what a table shows of the row ("129"), ref: its reference ("task/129"). */
void group_add(struct group *group, const struct cell *cell, const char *label, const char *ref);
/* Sorts, and prints at most `limit` groups with header (TSV) or footer (table). heading: of the examples, "TASKS".
 * Returns how many were printed; count is how many there are. */
size_t group_print(struct group *group, struct out *out, enum format format, uint64_t limit, const char *heading,
                   bool header);
void group_release(struct group *group);

#endif
