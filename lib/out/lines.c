#include "out/lines.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "out/json.h"
#include "out/text.h"

static void tsv_field(struct strbuf *to, size_t index, const char *text)
{
	if (index != 0)
		strbuf_addc(to, '\t');
	if (text != NULL)
		text_add_tsv(to, text);
}

void tsv_header(struct strbuf *to, const struct column *const *chosen, size_t count)
{
	for (size_t i = 0; i < count; i++)
		tsv_field(to, i, chosen[i]->name);
	strbuf_addc(to, '\n');
}

void tsv_row(struct strbuf *to, struct column_list columns, const struct column *const *chosen, size_t count,
             const struct cell *cells)
{
	for (size_t i = 0; i < count; i++)
		tsv_field(to, i, cells[chosen[i] - columns.items].text);
	strbuf_addc(to, '\n');
}

void tsv_texts(struct strbuf *to, const char *const *texts, size_t count)
{
	for (size_t i = 0; i < count; i++)
		tsv_field(to, i, texts[i]);
	strbuf_addc(to, '\n');
}

/* A decimal without leading zeros that fits 63 bits. */
static bool is_number(const char *text)
{
	size_t digits = strspn(text, "0123456789");
	return digits != 0 && digits < 19 && text[digits] == '\0' && (text[0] != '0' || digits == 1);
}

void json_typed(struct json *j, const struct column *column, const char *text)
{
	bool numeric = column->type == COL_ID || column->type == COL_COUNT;
	if (text != NULL && numeric && is_number(text))
		json_u64(j, strtoull(text, NULL, 10));
	else
		json_string(j, text);
}

void json_cell(struct json *j, const struct column *column, const struct cell *cell)
{
	if (cell->json != NULL)
		json_raw(j, cell->json);
	else
		json_typed(j, column, cell->text);
}

void json_row(struct strbuf *to, struct column_list columns, const struct cell *cells)
{
	struct json j = json_into(to);
	json_object(&j);
	for (size_t i = 0; i < columns.count; i++) {
		if ((columns.items[i].flags & COL_HIDDEN) != 0)
			continue;
		json_key(&j, columns.items[i].name);
		json_cell(&j, &columns.items[i], &cells[i]);
	}
	json_object_end(&j);
	strbuf_addc(to, '\n');
}
