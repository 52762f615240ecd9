/* future_cells.h - the record of a held future (hansei-records(5), "future") as the cells of one column table. */
#ifndef HANSEI_RECORDS_FUTURE_CELLS_H
#define HANSEI_RECORDS_FUTURE_CELLS_H

#include <stdbool.h>
#include <stdint.h>

#include "out/column.h"
#include "tokio/held.h"
#include "tokio/tokio.h"

struct arena;
struct tinfo;

enum future_column {
	FUTURE_REF, FUTURE_ADDRESS, FUTURE_TASK, FUTURE_RUNTIME, FUTURE_KIND, FUTURE_FRAME, FUTURE_LOCAL, FUTURE_HELD_IN,
	FUTURE_STATE, FUTURE_AWAITING, FUTURE_WAITING_ON, FUTURE_ARMED, FUTURE_FUTURE, FUTURE_TYPE, FUTURE_VIA,
	FUTURE_DEPTH, FUTURE_HOLDS, FUTURE_SETS, FUTURE_SIZE, FUTURE_COLUMN_COUNT
};

extern const struct column FUTURE_COLUMNS[FUTURE_COLUMN_COUNT];

struct future_record {
	const struct held *held;
	const struct task *task;  /* that owns it; NULL unknown */
	const char *task_ref;     /* "task/5" */
	const char *task_text;    /* "5" */
	const char *held_in;      /* "frame 1, `ack`, via held future at 0x55d0c8" */
	const char *state;        /* "Suspend0", NULL */
	const char *awaiting;     /* site where it stands; NULL */
	const char *state_text;   /* "Suspend0 — src/a.rs:83", NULL */
	const char *future, *type;
	const char *local;        /* that has it, or its set; NULL: the frame is the set */
	uint64_t via;             /* the find in whose frame it is; 0: the task's own */
	uint64_t size;
	bool has_size;
	enum held_armed armed;
	struct wait wait;
};

/* Texts live in the arena, or where the tokio has them. with_armed: also finds out about that, which takes a walk of
 * its holder's chain. chain may be NULL; it receives the future's. */
void future_record_fill(struct arena *arena, struct tokio *tokio, struct tinfo *tinfo, const struct held *held,
                        bool with_armed, struct future_record *out, struct chain *chain);

/* Fills FUTURE_COLUMN_COUNT cells. */
void future_cells(struct arena *arena, const struct future_record *record, bool with_json, struct cell *cells);

#endif
