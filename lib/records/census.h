/* census.h - counts of threads, tasks and futures: a page in up to three sections. */
#ifndef HANSEI_RECORDS_CENSUS_H
#define HANSEI_RECORDS_CENSUS_H

#include <stdbool.h>
#include <stdint.h>

#include "out/out.h"

struct tinfo;
struct tokio;

struct census {
	struct out *out;
	struct tokio *tokio;
	struct tinfo *tinfo;
	bool threads, tasks, futures; /* the sections; at least one */
	uint64_t limit;               /* types shown in the page and in TSV; JSON has all */
};

/* FORMAT_DEFAULT and FORMAT_TABLE are the page; TSV has the fields section, key, count, text; JSON is one object a
 * section. */
void census_print(const struct census *census, enum format format);

#endif
