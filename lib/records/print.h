/* print.h - values and locals as records (hansei-records(5), "value"): text, TSV or JSON. Writes to the session's
 * output. */
#ifndef HANSEI_RECORDS_PRINT_H
#define HANSEI_RECORDS_PRINT_H

#include <stdbool.h>
#include <stdint.h>

#include "out/out.h"
#include "value/render.h"
#include "value/view.h"

struct error;
struct frame;
struct session;
struct tokio_labels;

/* Stays where it was opened: its viewer points into it. */
struct printer {
	struct session *session;
	struct out *out;
	enum format format;      /* FORMAT_TABLE: text */
	struct render_options options;
	struct viewer viewer;
	const struct formatter_table *tables[5]; /* tokio's, those of other crates */
	struct tokio_labels *labels;
	bool incomplete;         /* something that was asked for could not be read */
	uint64_t shown;          /* values and locals so far */
};

/* options: write and context are set here. */
void printer_open(struct printer *p, struct session *session, enum format format, const struct render_options *options);
void printer_close(struct printer *p);
void printer_header(struct printer *p); /* of TSV */

/* The live locals of a frame. ref: "frame/5.4". */
void printer_locals(struct printer *p, const char *ref, const struct frame *frame);
/* What a path leads to; path "" is the value itself. Errors as of expr_evaluate. ref may be NULL. */
struct error *printer_path(struct printer *p, const char *ref, struct value root, const char *path);
/* The value or the buffer behind a path as an address range, for a dump: of a text or array its contents. */
struct error *printer_extent(struct printer *p, struct value root, const char *path, uint64_t *address, uint64_t *length);
/* The type of a name as it stands in the layouts, or of a number; ERROR_NOT_FOUND, also when several share it. */
struct error *printer_type(struct printer *p, const char *name, uint32_t *type);

#endif
