/* lines.h - one record a line, for programs: TSV and JSON. Each call appends one finished line to a strbuf that the
 * caller writes out (and keeps for the next line). Nothing is owned. */
#ifndef HANSEI_OUT_LINES_H
#define HANSEI_OUT_LINES_H

#include <stddef.h>

#include "out/column.h"

struct json;
struct strbuf;

/* Fields are separated by a tab and escaped by text_add_tsv; an absent one is empty. chosen are the columns in
 * their order; cells are those of the whole table `columns`. */
void tsv_header(struct strbuf *to, const struct column *const *chosen, size_t count);
void tsv_row(struct strbuf *to, struct column_list columns, const struct column *const *chosen, size_t count,
             const struct cell *cells);
/* One line of texts (NULL: absent), for programs without a table of columns. */
void tsv_texts(struct strbuf *to, const char *const *texts, size_t count);

/* The object with all columns that are not COL_HIDDEN, in the order of the table. */
void json_row(struct strbuf *to, struct column_list columns, const struct cell *cells);
/* The value of one cell: its json, else made from its text by the column's type. */
void json_cell(struct json *j, const struct column *column, const struct cell *cell);
/* A text as the column's type has it: a number for ids and counts in plain decimal (json_u64), else a string; NULL: null. */
void json_typed(struct json *j, const struct column *column, const char *text);

#endif
