/* frame_cells.h - the record of a frame (hansei-records(5), "frame") as the cells of one column table, and the
 * object of a whole traced thing around it. */
#ifndef HANSEI_RECORDS_FRAME_CELLS_H
#define HANSEI_RECORDS_FRAME_CELLS_H

#include <stdbool.h>
#include <stdint.h>

#include "out/column.h"

struct arena;
struct branch;
struct frame;
struct json;
struct strbuf;
struct trace;
struct traces;

enum frame_column {
	FRAME_REF, FRAME_TASK, FRAME_INDEX, FRAME_KIND, FRAME_NAME, FRAME_AWAITING, FRAME_STATE, FRAME_LOCALS, FRAME_DYN,
	FRAME_INFERRED, FRAME_HOLDS, FRAME_TYPE, FRAME_ADDRESS, FRAME_WAITING_ON, FRAME_BRANCHES, FRAME_BRANCH_STATES,
	FRAME_COLUMN_COUNT
};

extern const struct column FRAME_COLUMNS[FRAME_COLUMN_COUNT];
extern const struct column_list FRAME_COLUMN_LIST;

/* "async fn", "future" …, and "select" or "join" for what polls several. */
const char *frame_kind_text(const struct frame *frame);
/* "src/main.rs:158", or NULL. */
const char *frame_site_text(struct arena *arena, const struct frame *frame);

/* The trace of a branch of one of the trace's frames, as trace_find would give it for "frame/5.0:B.N". */
void trace_of_branch(struct traces *traces, const struct trace *trace, uint32_t frame, size_t number,
                     const struct branch *branch, struct trace *out);

/* TSV: the header; one line per frame from the most recently polled one on, at most `limit` of them, with those of
 * its branches behind each. */
void trace_tsv_header(struct strbuf *to);
void trace_tsv(struct strbuf *to, struct traces *traces, const struct trace *trace, uint64_t limit);
/* JSON: {"ref", "frames", "complete", "stopped"} as one line. */
void trace_json(struct strbuf *to, struct traces *traces, const struct trace *trace, uint64_t limit);

#endif
