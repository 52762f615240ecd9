#include "cli/group.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/strbuf.h"
#include "out/json.h"
#include "out/lines.h"
#include "out/table.h"

struct bucket {
	const char *key;   /* NULL: rows with nothing in the field */
	const char *shown; /* in tables and TSV */
	const char *json;  /* a finished value, or NULL: made from shown */
	uint64_t count;
	const char *labels[GROUP_SAMPLE], *refs[GROUP_SAMPLE];
};

struct group group_by(const struct column *column)
{
	return (struct group){ .column = column, .by_key = MAP_INIT, .arena = ARENA_INIT };
}

static const char *copy(struct group *group, const char *text)
{
	return text != NULL ? arena_strdup(&group->arena, text) : NULL;
}

static uint64_t key_hash(const char *key)
{
	return key != NULL ? hash_bytes(key, strlen(key), 1) : 0;
}

static struct bucket *find_bucket(const struct group *group, const char *key)
{
	size_t cursor = 0;
	uint64_t index;
	while (map_next(&group->by_key, key_hash(key), &cursor, &index)) {
		struct bucket *b = group->buckets[index];
		if (key == NULL ? b->key == NULL : b->key != NULL && strcmp(b->key, key) == 0)
			return b;
	}
	return NULL;
}

static struct bucket *new_bucket(struct group *group, const char *key, const struct cell *cell)
{
	/* A coarser key is what the group is called; else the first row's cell stands for all. */
	bool coarser = key != NULL && cell->group != NULL && (group->column->flags & COL_KEY) == 0;
	struct bucket *b = arena_alloc(&group->arena, sizeof *b);
	b->key = copy(group, key);
	b->shown = key == NULL ? NULL : coarser ? b->key : copy(group, cell->text);
	b->json = key == NULL || coarser ? NULL : copy(group, cell->json);
	group->buckets =
		array_reserve(group->buckets, &group->capacity, group->count, 1, sizeof(struct bucket *));
	map_add(&group->by_key, key_hash(key), group->count);
	group->buckets[group->count++] = b;
	return b;
}

void group_add(struct group *group, const struct cell *cell, const char *label, const char *ref)
{
	bool nothing = cell->text == NULL || cell->text[0] == '\0';
	const char *key = nothing ? NULL : cell->group != NULL ? cell->group : cell->text;
	struct bucket *b = find_bucket(group, key);
	if (b == NULL)
		b = new_bucket(group, key, cell);
	if (b->count < GROUP_SAMPLE) {
		b->labels[b->count] = copy(group, label);
		b->refs[b->count] = copy(group, ref);
	}
	b->count++;
}

/* Both decimal or both hexadecimal: compared as numbers. Else by bytes. */
static int value_compare(const char *a, const char *b)
{
	char *end_a, *end_b;
	bool digits = a[0] >= '0' && a[0] <= '9' && b[0] >= '0' && b[0] <= '9';
	if (digits) {
		uint64_t x = strtoull(a, &end_a, a[1] == 'x' ? 16 : 10), y = strtoull(b, &end_b, b[1] == 'x' ? 16 : 10);
		if (*end_a == '\0' && *end_b == '\0' && x != y)
			return x < y ? -1 : 1;
	}
	return strcmp(a, b);
}

static int bucket_compare(const void *first, const void *second)
{
	const struct bucket *a = *(struct bucket *const *)first, *b = *(struct bucket *const *)second;
	if (a->count != b->count)
		return a->count > b->count ? -1 : 1;
	if (a->key == NULL || b->key == NULL)
		return (a->key == NULL) - (b->key == NULL);
	int order = value_compare(a->shown, b->shown);
	return order != 0 ? order : strcmp(a->key, b->key);
}

static size_t sample_count(const struct bucket *b)
{
	return b->count < GROUP_SAMPLE ? (size_t)b->count : GROUP_SAMPLE;
}

/* "129, 130, 131, …" in tables, "task/129,task/130,task/131" in TSV. */
static void add_sample(struct strbuf *to, const struct bucket *b, bool labels)
{
	for (size_t i = 0; i < sample_count(b); i++) {
		const char *text = labels ? b->labels[i] : b->refs[i];
		strbuf_addf(to, "%s%s", i == 0 ? "" : labels ? ", " : ",", text != NULL ? text : "");
	}
	if (labels && b->count > GROUP_SAMPLE)
		strbuf_adds(to, ", \xe2\x80\xa6");
}

static void print_table(const struct group *group, struct out *out, size_t shown, const char *heading)
{
	struct column count = { .name = "count", .type = COL_COUNT, .flags = COL_RIGHT };
	struct column sample = { .name = "sample", .type = COL_TEXT, .heading = heading };
	const struct column *const columns[] = { &count, group->column, &sample };
	struct table table;
	struct strbuf text = STRBUF_INIT;
	table_init(&table, columns, 3);
	for (size_t i = 0; i < shown; i++) {
		const struct bucket *b = group->buckets[i];
		char number[24];
		snprintf(number, sizeof number, "%" PRIu64, b->count);
		strbuf_reset(&text);
		add_sample(&text, b, true);
		table_row(&table, (const char *[]){ number, b->key != NULL ? b->shown : "<empty>", text.text });
	}
	table_print(&table, out);
	footer_print(out, group->count, shown, "group", "groups");
	table_release(&table);
	strbuf_release(&text);
}

static void add_tsv(struct strbuf *to, const struct bucket *b)
{
	struct strbuf sample = STRBUF_INIT;
	char number[24];
	snprintf(number, sizeof number, "%" PRIu64, b->count);
	add_sample(&sample, b, false);
	tsv_texts(to, (const char *[]){ b->shown, number, sample.text }, 3);
	strbuf_release(&sample);
}

static void add_json(struct strbuf *to, const struct group *group, const struct bucket *b)
{
	struct json j = json_into(to);
	struct cell cell = { b->shown, b->json, NULL };
	json_object(&j);
	json_key(&j, group->column->name);
	json_cell(&j, group->column, &cell);
	json_key(&j, "count");
	json_number(&j, b->count);
	json_key(&j, "sample");
	json_array(&j);
	for (size_t i = 0; i < sample_count(b); i++)
		json_string(&j, b->refs[i]);
	json_array_end(&j);
	json_object_end(&j);
	strbuf_addc(to, '\n');
}

size_t group_print(struct group *group, struct out *out, enum format format, uint64_t limit, const char *heading,
                   bool header)
{
	size_t shown = limit < group->count ? (size_t)limit : group->count;
	if (group->count != 0)
		qsort(group->buckets, group->count, sizeof(struct bucket *), bucket_compare);
	if (format == FORMAT_TABLE) {
		print_table(group, out, shown, heading);
		return shown;
	}
	struct strbuf line = STRBUF_INIT;
	if (format == FORMAT_TSV && header)
		tsv_texts(&line, (const char *[]){ group->column->name, "count", "sample" }, 3);
	for (size_t i = 0; i < shown; i++) {
		if (format == FORMAT_TSV)
			add_tsv(&line, group->buckets[i]);
		else
			add_json(&line, group, group->buckets[i]);
	}
	out_write(out, line.text, line.length);
	strbuf_release(&line);
	return shown;
}

void group_release(struct group *group)
{
	free(group->buckets);
	map_release(&group->by_key);
	arena_release(&group->arena);
	*group = group_by(group->column);
}
