#include "records/tinfo_records.h"

#include <inttypes.h>
#include <string.h>

#include "base/strbuf.h"
#include "out/json.h"
#include "out/lines.h"
#include "out/text.h"
#include "tinfo/tinfo_describe.h"

/* --- one record --- */

/* The type whose run has the index-th member or variant, at or after *owner. */
static uint32_t owner_of(struct tinfo *ti, uint32_t *owner, bool of_variants, uint32_t index)
{
	for (; *owner < tinfo_count(ti, TABLE_TYPES); ++*owner) {
		struct type type = tinfo_type(ti, *owner);
		bool has_variants = type.kind == TYPE_ENUM || type.kind == TYPE_CENUM;
		if (has_variants == of_variants && type.first <= index && index - type.first < type.count)
			return *owner;
	}
	return TINFO_NONE;
}

/* What a reference reads like: "*shop::Node [3]". */
static void reference_text(struct strbuf *to, struct tinfo *ti, const struct record_field *field)
{
	uint32_t id = (uint32_t)field->number;
	if (field->kind == FIELD_TYPE) {
		struct strbuf label = STRBUF_INIT;
		type_label(&label, ti, id);
		text_add_tsv(to, label.text);
		strbuf_release(&label);
	} else {
		text_add_tsv(to, tinfo_function(ti, id).name);
	}
	strbuf_addf(to, " [%" PRIu32 "]", id);
}

static void field_text(struct strbuf *to, struct tinfo *ti, const struct record_field *field, bool with_names)
{
	if (field->kind == FIELD_TEXT)
		text_add_tsv(to, field->text);
	else if (field->kind == FIELD_ADDRESS)
		strbuf_addf(to, "0x%" PRIx64, field->number);
	else if (field->kind == FIELD_NUMBER || !with_names)
		strbuf_addf(to, "%" PRIu64, field->number);
	else
		reference_text(to, ti, field);
}

static void field_json(struct json *j, const struct record_field *field)
{
	json_key(j, field->key);
	if (field->absent)
		json_null(j);
	else if (field->kind == FIELD_TEXT)
		json_string(j, field->text);
	else if (field->kind == FIELD_ADDRESS)
		json_address(j, field->number);
	else
		json_u64(j, field->number);
}

bool tinfo_record(struct strbuf *to, struct tinfo *ti, struct record_walk *walk, enum tinfo_table table, uint32_t index,
		  enum format format)
{
	struct record_field fields[RECORD_FIELDS + 1];
	size_t count = tinfo_describe(ti, table, index, fields + 1), first = 1;
	if (count == 0)
		return false;
	if (table == TABLE_MEMBERS || table == TABLE_VARIANTS) {
		uint32_t *at = table == TABLE_MEMBERS ? &walk->member_owner : &walk->variant_owner;
		uint32_t owner = owner_of(ti, at, table == TABLE_VARIANTS, index);
		fields[0] = (struct record_field){ "of", FIELD_TYPE, "", owner, owner == TINFO_NONE };
		first = 0;
	}
	const char *name = tinfo_table_size(ti, table).name;
	struct json j = json_into(to);
	if (format == FORMAT_JSON) {
		json_object(&j);
		json_key(&j, "table");
		json_string(&j, name);
		json_key(&j, "id");
		json_number(&j, index);
	} else {
		strbuf_addf(to, "%s\t%" PRIu32, name, index);
	}
	for (size_t i = first; i <= count; i++) {
		const struct record_field *field = &fields[i];
		if (format == FORMAT_JSON) {
			field_json(&j, field);
		} else if (format == FORMAT_TSV) {
			strbuf_addc(to, '\t');
			if (!field->absent)
				field_text(to, ti, field, false);
		} else if (!field->absent) {
			strbuf_addf(to, "\t%s=", field->key);
			field_text(to, ti, field, true);
		}
	}
	if (format == FORMAT_JSON)
		json_object_end(&j);
	strbuf_addc(to, '\n');
	return true;
}

/* --- one name --- */

void tinfo_name_header(struct strbuf *to)
{
	tsv_texts(to, (const char *const[]){ "name", "definitions", "id", "kind" }, 4);
}

void tinfo_name(struct strbuf *to, struct tinfo *ti, uint32_t first, uint32_t count, enum format format)
{
	struct type type = tinfo_type(ti, first);
	struct json j = json_into(to);
	if (format == FORMAT_TSV) {
		text_add_tsv(to, type.name);
		strbuf_addf(to, "\t%" PRIu32 "\t%" PRIu32 "\t%s\n", count, first, type_kind_text(&type));
	} else if (format == FORMAT_JSON) {
		json_object(&j);
		json_key(&j, "name");
		json_string(&j, type.name);
		json_key(&j, "definitions");
		json_number(&j, count);
		json_key(&j, "id");
		json_number(&j, first);
		json_key(&j, "kind");
		json_string(&j, type_kind_text(&type));
		json_object_end(&j);
		strbuf_addc(to, '\n');
	} else {
		text_add_plain(to, type.name);
		if (count > 1)
			strbuf_addf(to, " (%" PRIu32 " definitions)", count);
		strbuf_addc(to, '\n');
	}
}

/* --- the summary --- */

struct summary {
	struct strbuf *to;
	struct tinfo *ti;
	enum format format;
	struct json json;
	const char *group; /* NULL: none */
};

static void group_end(struct summary *s)
{
	if (s->group != NULL && s->format == FORMAT_JSON)
		json_object_end(&s->json);
	s->group = NULL;
}

static void group_begin(struct summary *s, const char *group)
{
	group_end(s);
	s->group = group;
	if (s->format == FORMAT_JSON) {
		json_key(&s->json, group);
		json_object(&s->json);
	} else if (s->format != FORMAT_TSV) {
		strbuf_addf(s->to, "%s:\n", group);
	}
}

/* The beginning of a line; JSON: the key. */
static void key_add(struct summary *s, const char *key)
{
	if (s->format == FORMAT_JSON) {
		json_key(&s->json, key);
	} else if (s->format == FORMAT_TSV) {
		if (s->group != NULL)
			strbuf_addf(s->to, "%s.", s->group);
		text_add_tsv(s->to, key);
		strbuf_addc(s->to, '\t');
	} else {
		strbuf_adds(s->to, s->group != NULL ? "    " : "");
		text_add_plain(s->to, key);
		strbuf_adds(s->to, ": ");
	}
}

static void text_item(struct summary *s, const char *key, const char *text)
{
	key_add(s, key);
	if (s->format == FORMAT_JSON) {
		json_string(&s->json, text);
		return;
	}
	if (s->format == FORMAT_TSV)
		text_add_tsv(s->to, text);
	else
		text_add_plain(s->to, text);
	strbuf_addc(s->to, '\n');
}

static void number_item(struct summary *s, const char *key, uint64_t number)
{
	key_add(s, key);
	if (s->format == FORMAT_JSON)
		json_u64(&s->json, number);
	else
		strbuf_addf(s->to, "%" PRIu64 "\n", number);
}

static void add_provenance(struct summary *s)
{
	const char *key, *value;
	group_begin(s, "provenance");
	for (uint32_t i = 0; (key = tinfo_meta_nth(s->ti, i, &value)) != NULL; i++)
		text_item(s, key, value);
}

static void add_types(struct summary *s)
{
	static const char *const kinds[] = { "opaque", "base", "pointer", "function", "array", "struct", "union", "enum",
					     "coroutine", "c-enum" };
	enum { KINDS = sizeof kinds / sizeof kinds[0] };
	uint32_t counts[KINDS] = { 0 }, same = 0, total = tinfo_count(s->ti, TABLE_TYPES);
	const char *before = NULL;
	for (uint32_t i = 0; i < total; i++) {
		struct type type = tinfo_type(s->ti, i);
		for (size_t k = 0; k < KINDS; k++)
			counts[k] += strcmp(kinds[k], type_kind_text(&type)) == 0;
		same += type.name == before && type.name[0] != 0;
		before = type.name;
	}
	group_begin(s, "types");
	number_item(s, "total", total);
	for (size_t k = 0; k < KINDS; k++)
		number_item(s, kinds[k], counts[k]);
	number_item(s, "same_named", same);
}

static void add_functions(struct summary *s)
{
	uint32_t counts[FUNCTION_DROP + 1] = { 0 }, keyed = 0, total = tinfo_count(s->ti, TABLE_FUNCTIONS);
	for (uint32_t i = 0; i < total; i++) {
		struct function function = tinfo_function(s->ti, i);
		counts[function.kind]++;
		keyed += function.key != 0;
	}
	group_begin(s, "functions");
	number_item(s, "total", total);
	for (int kind = 0; kind <= FUNCTION_DROP; kind++)
		number_item(s, function_kind_text((enum function_kind)kind), counts[kind]);
	number_item(s, "with_address", tinfo_count(s->ti, TABLE_ADDRESSES));
	number_item(s, "with_key", keyed);
}

/* Releases of one crate stand side by side: they are one item. */
static void add_crates(struct summary *s)
{
	struct strbuf versions = STRBUF_INIT;
	uint32_t total = tinfo_count(s->ti, TABLE_CRATES);
	group_begin(s, "crates");
	for (uint32_t i = 0; i < total; i++) {
		struct crate crate = tinfo_crate(s->ti, i);
		if (versions.length != 0)
			strbuf_adds(&versions, ", ");
		strbuf_adds(&versions, crate.version);
		if (i + 1 < total && strcmp(tinfo_crate(s->ti, i + 1).name, crate.name) == 0)
			continue;
		text_item(s, crate.name, versions.text);
		strbuf_reset(&versions);
	}
	strbuf_release(&versions);
}

/* Of every table that is there: records, and bytes inflated and in the file. */
static void add_tables(struct summary *s)
{
	static const char *const groups[] = { "records", "content", "stored" };
	for (size_t g = 0; g < 3; g++) {
		uint64_t total = 0;
		group_begin(s, groups[g]);
		for (int table = 0; table < TABLE_COUNT; table++) {
			struct table_size size = tinfo_table_size(s->ti, (enum tinfo_table)table);
			uint64_t number = g == 0 ? size.records : g == 1 ? size.content : size.stored;
			if (!tinfo_has(s->ti, (enum tinfo_table)table) || (g == 0 && table == TABLE_STRINGS))
				continue;
			number_item(s, size.name, number);
			total += number;
		}
		if (g != 0)
			number_item(s, "total", total);
	}
}

void tinfo_stats(struct strbuf *to, struct tinfo *ti, enum format format)
{
	struct summary s = { to, ti, format, json_into(to), NULL };
	unsigned major, minor;
	struct strbuf version = STRBUF_INIT;
	tinfo_version(ti, &major, &minor);
	strbuf_addf(&version, "%u.%u", major, minor);
	if (format == FORMAT_JSON)
		json_object(&s.json);
	text_item(&s, "format", version.text);
	add_provenance(&s);
	add_types(&s);
	add_functions(&s);
	add_crates(&s);
	add_tables(&s);
	group_end(&s);
	if (format == FORMAT_JSON) {
		json_object_end(&s.json);
		strbuf_addc(to, '\n');
	}
	strbuf_release(&version);
}
