#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/strbuf.h"
#include "out/column.h"
#include "out/json.h"
#include "out/lines.h"
#include "out/table.h"
#include "records/census_internal.h"
#include "tokio/wait.h"

struct tally *tally_new(struct arena *arena)
{
	struct tally *tally = arena_alloc(arena, sizeof *tally);
	tally->arena = arena;
	return tally;
}

struct tally_row *tally_add(struct tally *tally, const char *text, const char *type)
{
	uint64_t index;
	size_t cursor = 0;
	const char *key = type != NULL ? type : text;
	uint64_t hash = hash_bytes(key, strlen(key), 0);
	while (map_next(&tally->by_key, hash, &cursor, &index)) {
		struct tally_row *row = tally->rows[index];
		if (strcmp(row->type != NULL ? row->type : row->text, key) == 0) {
			row->count++;
			return row;
		}
	}
	struct tally_row *row = arena_alloc(tally->arena, sizeof *row);
	*row = (struct tally_row){ .text = text, .type = type, .count = 1 };
	map_add(&tally->by_key, hash, tally->count);
	tally->rows = array_reserve(tally->rows, &tally->capacity, tally->count, 1, sizeof *tally->rows);
	tally->rows[tally->count++] = row;
	return row;
}

static int compare_rows(const void *a, const void *b)
{
	const struct tally_row *x = *(struct tally_row *const *)a, *y = *(struct tally_row *const *)b;
	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	return strcmp(x->text, y->text);
}

void tally_sort(struct tally *tally)
{
	if (tally->count > 1)
		qsort(tally->rows, tally->count, sizeof *tally->rows, compare_rows);
	for (size_t i = 0; i < tally->count; i++)
		if (tally->rows[i]->inner != NULL)
			tally_sort(tally->rows[i]->inner);
}

static void print_inner(struct table *table, struct arena *arena, const struct tally *tally, uint64_t limit)
{
	uint64_t rest = 0;
	for (size_t i = 0; i < tally->count; i++) {
		if (i >= limit) {
			rest += tally->rows[i]->count;
			continue;
		}
		const char *text = arena_printf(arena, "%s %" PRIu64 "  %s", i + 1 == tally->count ? "└─" : "├─",
		                                tally->rows[i]->count, tally->rows[i]->text);
		table_row(table, (const char *const[]){ " ", text });
	}
	if (rest > 0)
		table_row(table, (const char *const[]){ " ", arena_printf(arena, "└─ %" PRIu64 "  (%zu more)", rest,
		                                                         tally->count - (size_t)limit) });
}

void tally_print(struct tally *tally, struct out *out, const char *heading, const char *noun, const char *plural,
                 uint64_t limit, bool counts_rows)
{
	struct column count = { .name = "count", .type = COL_COUNT, .flags = COL_RIGHT };
	struct column text = { .name = "text", .type = COL_NAME, .flags = COL_CUT, .heading = heading };
	struct table table;
	struct arena arena = ARENA_INIT;
	uint64_t shown = 0, rest = 0, total = 0;
	table_init(&table, (const struct column *const[]){ &count, &text }, 2);
	for (size_t i = 0; i < tally->count; i++) {
		const struct tally_row *row = tally->rows[i];
		total += row->count;
		if (shown >= limit) {
			rest += row->count;
			continue;
		}
		shown++;
		table_row(&table, (const char *const[]){ arena_printf(&arena, "%" PRIu64, row->count), row->text });
		if (row->inner != NULL)
			print_inner(&table, &arena, row->inner, limit);
	}
	uint64_t left = tally->count - shown;
	if (left > 0)
		table_row(&table, (const char *const[]){
			arena_printf(&arena, "%" PRIu64, rest),
			arena_printf(&arena, "(%" PRIu64 " more %s)", left, left == 1 ? noun : plural) });
	table_print(&table, out);
	if (counts_rows)
		footer_print(out, tally->count, shown, noun, plural);
	else
		footer_print(out, total, total, noun, plural);
	table_release(&table);
	arena_release(&arena);
}

void census_line(struct out *out, const char *section, const char *key, uint64_t count, const char *text)
{
	struct strbuf line = STRBUF_INIT;
	char number[24];
	snprintf(number, sizeof number, "%" PRIu64, count);
	tsv_texts(&line, (const char *const[]){ section, key, number, text }, 4);
	out_write(out, line.text, line.length);
	strbuf_release(&line);
}

void tally_tsv(struct out *out, const char *section, const char *key, const char *inner_key, const struct tally *tally,
               uint64_t limit)
{
	for (size_t i = 0; i < tally->count && i < limit; i++) {
		const struct tally_row *row = tally->rows[i];
		census_line(out, section, key, row->count, row->text);
		if (row->inner != NULL)
			tally_tsv(out, section, inner_key, NULL, row->inner, UINT64_MAX);
	}
}

void tally_json(struct json *j, const char *key, const char *name, const struct tally *tally)
{
	json_key(j, key);
	json_array(j);
	for (size_t i = 0; i < tally->count; i++) {
		const struct tally_row *row = tally->rows[i];
		json_object(j);
		json_key(j, name);
		json_string(j, row->text);
		if (row->type != NULL) {
			json_key(j, "type");
			json_string(j, row->type);
		}
		json_key(j, "count");
		json_number(j, row->count);
		if (row->inner != NULL)
			tally_json(j, "waiting_on", "text", row->inner);
		json_object_end(j);
	}
	json_array_end(j);
}

const char *census_wait_text(const struct wait *wait)
{
	switch (wait->kind) {
	case WAIT_NONE:
		return "—";
	case WAIT_RUNNING:
		return "— (mid-poll)";
	case WAIT_QUEUED:
		return "— (queued)";
	case WAIT_COMPLETE:
		return "— (complete)";
	case WAIT_UNRESUMED:
		return "— (unresumed)";
	case WAIT_NEVER:
		return "never ready";
	case WAIT_UNKNOWN:
		return wait->text;
	default:
		return wait_kind_text(wait->kind);
	}
}
