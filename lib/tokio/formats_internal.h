/* formats_internal.h - between formats.c and sync_formats.c: fields of curated records. */
#ifndef HANSEI_TOKIO_FORMATS_INTERNAL_H
#define HANSEI_TOKIO_FORMATS_INTERNAL_H

#include "value/view.h"

struct view_field *formats_field(struct view *out, const char *name);
void formats_number(struct view *out, const char *name, uint64_t value);
void formats_word(struct view *out, const char *name, const char *word);
/* A part of the value as a field; false when the path does not lead there. as may be NULL. */
bool formats_part(struct viewer *viewer, const struct subject *s, unsigned path, const struct formatter *as,
                  struct view *out, const char *name);

#endif
