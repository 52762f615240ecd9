/* task_cells.h - the record of a task (hansei-records(5), "task") as the cells of one column table. Every program
 * that lists tasks or embeds them in its JSON uses this table. */
#ifndef HANSEI_RECORDS_TASK_CELLS_H
#define HANSEI_RECORDS_TASK_CELLS_H

#include <stdbool.h>

#include "out/column.h"

struct arena;
struct json;
struct task;
struct task_record;
struct wait;

enum task_column {
	TASK_REF, TASK_ID, TASK_STATE, TASK_RUNTIME, TASK_AWAITING, TASK_WAITING_ON, TASK_FUTURE, TASK_TYPE, TASK_ADDRESS,
	TASK_LWP, TASK_NAME, TASK_SPAWNED, TASK_DEFINED, TASK_HOLDS, TASK_SETS, TASK_SIZE, TASK_COLUMN_COUNT
};

extern const struct column TASK_COLUMNS[TASK_COLUMN_COUNT];

/* "task/5", or "task/0xADDR" for a task without a usable id. */
const char *task_reference(struct arena *arena, const struct task *task);

/* Fills TASK_COLUMN_COUNT cells; texts live in the arena, or where the record has them. The wait object's JSON is
 * made only when asked for. */
void task_cells(struct arena *arena, const struct task_record *record, bool with_json, struct cell *cells);

/* The wait object. */
void wait_json(struct json *j, const struct wait *wait);
/* The same as a cell: grouped by kind, or by its text where nothing is decoded. */
struct cell wait_cell(struct arena *arena, const struct wait *wait, bool with_json);

#endif
