/* Records. Each accessor reads straight through its record; the reader keeps whether a reference was out of range,
 * and a record with such a reference is given out empty. */
#include "tinfo/tinfo_internal.h"

struct reader {
	struct tinfo *ti;
	enum tinfo_table table;
	uint32_t index;
	const unsigned char *at;
	bool bad;
};

static bool reader_begin(struct reader *r, struct tinfo *ti, enum tinfo_table table, uint32_t index)
{
	*r = (struct reader){ ti, table, index, NULL, false };
	r->at = section_record(ti, table, index);
	r->bad = r->at == NULL;
	return !r->bad;
}

static uint32_t take_u32(struct reader *r)
{
	uint32_t value = get_u32(r->at);
	r->at += 4;
	return value;
}

static uint64_t take_u64(struct reader *r)
{
	uint64_t value = get_u64(r->at);
	r->at += 8;
	return value;
}

static const char *take_text(struct reader *r)
{
	return section_text(r->ti, take_u32(r), &r->bad);
}

static void reader_refuse(struct reader *r, const char *what, uint32_t value, enum tinfo_table of)
{
	r->bad = true;
	tinfo_fault_set(r->ti, r->table, "record %u: %s %u of %u %s", r->index, what, value,
			r->ti->sections[of].count, TABLE_SHAPES[of].name);
}

static uint32_t take_id(struct reader *r, enum tinfo_table of)
{
	uint32_t id = take_u32(r);
	if (id != TINFO_NONE && id >= r->ti->sections[of].count)
		reader_refuse(r, "refers to", id, of);
	return id;
}

/* A run of records of another table. */
static void take_run(struct reader *r, enum tinfo_table of, uint32_t *first, uint32_t *count)
{
	*first = take_u32(r);
	*count = take_u32(r);
	uint32_t there = r->ti->sections[of].count;
	if (*count != 0 && (*first > there || *count > there - *first))
		reader_refuse(r, "run reaches", *first > UINT32_MAX - *count ? UINT32_MAX : *first + *count, of);
}

uint32_t tinfo_count(const struct tinfo *ti, enum tinfo_table table)
{
	return ti->sections[table].count;
}

bool tinfo_has(const struct tinfo *ti, enum tinfo_table table)
{
	return ti->sections[table].present;
}

static struct type type_empty(uint32_t id)
{
	return (struct type){ .id = id, .kind = TYPE_OPAQUE, .name = "", .target = TINFO_NONE, .file = "" };
}

struct type tinfo_type(struct tinfo *ti, uint32_t id)
{
	struct reader r;
	struct type type = type_empty(id);
	if (id == TINFO_NONE || !reader_begin(&r, ti, TABLE_TYPES, id))
		return type;
	type.name = take_text(&r);
	uint32_t bits = take_u32(&r);
	uint32_t kind = bits & 0xff, encoding = bits >> 8 & 0xff;
	/* What a newer minor version may have added is a type whose inside we do not know. */
	type.kind = kind <= TYPE_CENUM ? (enum type_kind)kind : TYPE_OPAQUE;
	type.encoding = encoding <= BASE_OTHER ? (enum base_encoding)encoding : BASE_OTHER;
	type.flags = bits >> 16;
	type.size = take_u64(&r);
	bool variants = kind == TYPE_ENUM || kind == TYPE_CENUM;
	take_run(&r, variants ? TABLE_VARIANTS : TABLE_MEMBERS, &type.first, &type.count);
	if (kind > TYPE_CENUM)
		type.first = type.count = 0;
	type.target = take_id(&r, TABLE_TYPES);
	type.extra = take_u64(&r);
	type.file = take_text(&r);
	type.line = take_u32(&r);
	return r.bad ? type_empty(id) : type;
}

struct member tinfo_member(struct tinfo *ti, uint32_t index)
{
	struct reader r;
	struct member empty = { .name = "", .type = TINFO_NONE }, member = empty;
	if (!reader_begin(&r, ti, TABLE_MEMBERS, index))
		return empty;
	member.name = take_text(&r);
	member.type = take_id(&r, TABLE_TYPES);
	member.offset = take_u64(&r);
	member.flags = take_u32(&r);
	return r.bad ? empty : member;
}

struct variant tinfo_variant(struct tinfo *ti, uint32_t index)
{
	struct reader r;
	struct variant empty = { .name = "", .payload = TINFO_NONE, .file = "" }, variant = empty;
	if (!reader_begin(&r, ti, TABLE_VARIANTS, index))
		return empty;
	variant.name = take_text(&r);
	variant.payload = take_id(&r, TABLE_TYPES);
	variant.offset = take_u64(&r);
	variant.value[0] = take_u64(&r);
	variant.value[1] = take_u64(&r);
	variant.flags = take_u32(&r);
	variant.file = take_text(&r);
	variant.line = take_u32(&r);
	return r.bad ? empty : variant;
}

static struct function function_empty(uint32_t id)
{
	return (struct function){ .id = id, .role = "", .name = "", .type = TINFO_NONE, .type2 = TINFO_NONE, .file = "" };
}

struct function tinfo_function(struct tinfo *ti, uint32_t id)
{
	struct reader r;
	struct function function = function_empty(id);
	if (id == TINFO_NONE || !reader_begin(&r, ti, TABLE_FUNCTIONS, id))
		return function;
	function.role = take_text(&r);
	function.name = take_text(&r);
	uint32_t kind = take_u32(&r);
	if (kind <= FUNCTION_DROP)
		function.kind = (enum function_kind)kind;
	else
		function.role = ""; /* of a newer minor version: a role that nobody asks for */
	function.key = take_u64(&r);
	function.address = take_u64(&r);
	function.size = take_u64(&r);
	function.type = take_id(&r, TABLE_TYPES);
	function.type2 = take_id(&r, TABLE_TYPES);
	function.file = take_text(&r);
	function.line = take_u32(&r);
	return r.bad ? function_empty(id) : function;
}

struct vtable tinfo_vtable(struct tinfo *ti, uint32_t index)
{
	struct reader r;
	struct vtable empty = { .type = TINFO_NONE, .trait = "" }, vtable = empty;
	if (!reader_begin(&r, ti, TABLE_VTABLES, index))
		return empty;
	vtable.address = take_u64(&r);
	vtable.type = take_id(&r, TABLE_TYPES);
	vtable.trait = take_text(&r);
	vtable.slots = take_u32(&r);
	return r.bad ? empty : vtable;
}

struct instance tinfo_instance(struct tinfo *ti, uint32_t index)
{
	struct reader r;
	struct instance empty = { .function = TINFO_NONE }, instance = empty;
	if (!reader_begin(&r, ti, TABLE_INSTANCES, index))
		return empty;
	instance.address = take_u64(&r);
	instance.function = take_id(&r, TABLE_FUNCTIONS);
	take_run(&r, TABLE_CONSTANTS, &instance.first, &instance.count);
	return r.bad ? empty : instance;
}

struct constant tinfo_constant(struct tinfo *ti, uint32_t index)
{
	struct reader r;
	struct constant empty = { .member = "" }, constant = empty;
	if (!reader_begin(&r, ti, TABLE_CONSTANTS, index))
		return empty;
	constant.member = take_text(&r);
	constant.value = take_u64(&r);
	return r.bad ? empty : constant;
}

struct static_variable tinfo_static(struct tinfo *ti, uint32_t index)
{
	struct reader r;
	struct static_variable empty = { .role = "", .name = "", .symbol = "", .type = TINFO_NONE }, variable = empty;
	if (!reader_begin(&r, ti, TABLE_STATICS, index))
		return empty;
	variable.role = take_text(&r);
	variable.name = take_text(&r);
	variable.symbol = take_text(&r);
	variable.address = take_u64(&r);
	variable.type = take_id(&r, TABLE_TYPES);
	variable.flags = take_u32(&r);
	return r.bad ? empty : variable;
}

struct impl tinfo_impl(struct tinfo *ti, uint32_t index)
{
	struct reader r;
	struct impl empty = { "", "" }, impl = empty;
	if (!reader_begin(&r, ti, TABLE_IMPLS, index))
		return empty;
	impl.path = take_text(&r);
	impl.self = take_text(&r);
	return r.bad ? empty : impl;
}

struct local tinfo_local(struct tinfo *ti, uint32_t index)
{
	struct reader r;
	struct local empty = { .coroutine = TINFO_NONE, .name = "", .type = TINFO_NONE, .offset = UINT64_MAX, .file = "" };
	struct local local = empty;
	if (!reader_begin(&r, ti, TABLE_LOCALS, index))
		return empty;
	local.coroutine = take_id(&r, TABLE_TYPES);
	local.name = take_text(&r);
	local.type = take_id(&r, TABLE_TYPES);
	local.offset = take_u64(&r);
	local.file = take_text(&r);
	local.line = take_u32(&r);
	return r.bad ? empty : local;
}

struct crate tinfo_crate(struct tinfo *ti, uint32_t index)
{
	struct reader r;
	struct crate empty = { "", "" }, crate = empty;
	if (!reader_begin(&r, ti, TABLE_CRATES, index))
		return empty;
	crate.name = take_text(&r);
	crate.version = take_text(&r);
	return r.bad ? empty : crate;
}

struct symbol_key tinfo_symbol(struct tinfo *ti, uint32_t index)
{
	struct reader r;
	struct symbol_key empty = { .name = "" }, symbol = empty;
	if (!reader_begin(&r, ti, TABLE_SYMBOLS, index))
		return empty;
	symbol.key = take_u64(&r);
	symbol.name = take_text(&r);
	return r.bad ? empty : symbol;
}

const char *tinfo_meta_nth(struct tinfo *ti, uint32_t index, const char **value)
{
	struct reader r;
	*value = "";
	if (index >= ti->sections[TABLE_META].count || !reader_begin(&r, ti, TABLE_META, index))
		return NULL;
	const char *key = take_text(&r);
	*value = take_text(&r);
	return r.bad ? NULL : key;
}

const char *tinfo_meta(struct tinfo *ti, const char *key)
{
	const char *value;
	for (uint32_t i = 0; i < ti->sections[TABLE_META].count; i++) {
		const char *here = tinfo_meta_nth(ti, i, &value);
		if (here != NULL && strcmp(here, key) == 0)
			return value;
	}
	return NULL;
}
