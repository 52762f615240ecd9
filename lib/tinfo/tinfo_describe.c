#include "tinfo/tinfo_describe.h"

#include <inttypes.h>

#include "base/strbuf.h"

const char *type_kind_text(const struct type *type)
{
	static const char *const kinds[] = {
		[TYPE_OPAQUE] = "opaque", [TYPE_BASE] = "base", [TYPE_POINTER] = "pointer", [TYPE_FUNCTION] = "function",
		[TYPE_ARRAY] = "array", [TYPE_STRUCT] = "struct", [TYPE_UNION] = "union", [TYPE_ENUM] = "enum",
		[TYPE_CENUM] = "c-enum",
	};
	return type->kind == TYPE_ENUM && (type->flags & TYPE_COROUTINE) != 0 ? "coroutine" : kinds[type->kind];
}

const char *function_kind_text(enum function_kind kind)
{
	static const char *const kinds[] = {
		[FUNCTION_ROLE] = "role", [FUNCTION_POLL] = "poll", [FUNCTION_STREAM] = "stream",
		[FUNCTION_RESUME] = "resume", [FUNCTION_DROP] = "drop",
	};
	return kinds[kind];
}

void type_label(struct strbuf *to, struct tinfo *ti, uint32_t id)
{
	/* A chain of nameless pointers and arrays: what goes before is written now, what goes behind is counted. */
	uint64_t counts[8];
	size_t depth = 0;
	for (int step = 0; step < 8; step++) {
		struct type type = tinfo_type(ti, id);
		if (id == TINFO_NONE || type.name[0] != 0) {
			strbuf_adds(to, id == TINFO_NONE ? "?" : type.name);
			break;
		}
		if (type.kind == TYPE_POINTER) {
			strbuf_addc(to, '*');
		} else if (type.kind == TYPE_ARRAY) {
			strbuf_addc(to, '[');
			counts[depth++] = type.extra;
		}
		if ((type.kind != TYPE_POINTER && type.kind != TYPE_ARRAY) || step == 7) {
			strbuf_addf(to, "#%" PRIu32, id);
			break;
		}
		id = type.target;
	}
	while (depth != 0)
		strbuf_addf(to, "; %" PRIu64 "]", counts[--depth]);
}

void variant_value_text(struct strbuf *to, const struct variant *variant, const struct type *base)
{
	uint64_t value = variant->value[0];
	if (variant->value[1] != 0)
		strbuf_addf(to, "0x%" PRIx64 "%016" PRIx64, variant->value[1], value);
	else if (base->encoding == BASE_SIGNED && base->size - 1 < 8 && (value >> (8 * base->size - 1) & 1) != 0)
		strbuf_addf(to, "-%" PRIu64, (0 - value) & (UINT64_MAX >> (64 - 8 * base->size)));
	else
		strbuf_addf(to, "%" PRIu64, value);
}

/* Fills the fields one after the other. */
struct describer {
	struct record_field *at;
	size_t count;
};

static void add_text(struct describer *d, const char *key, const char *text)
{
	d->at[d->count++] = (struct record_field){ key, FIELD_TEXT, text, 0, text[0] == 0 };
}

static void add_field(struct describer *d, const char *key, enum field_kind kind, uint64_t number, bool absent)
{
	d->at[d->count++] = (struct record_field){ key, kind, "", number, absent };
}

static void add_number(struct describer *d, const char *key, uint64_t number)
{
	add_field(d, key, FIELD_NUMBER, number, false);
}

static void add_address(struct describer *d, const char *key, uint64_t number)
{
	add_field(d, key, FIELD_ADDRESS, number, number == 0);
}

static void add_type(struct describer *d, const char *key, uint32_t id)
{
	add_field(d, key, FIELD_TYPE, id, id == TINFO_NONE);
}

static void add_site(struct describer *d, const char *file, uint32_t line)
{
	add_text(d, "file", file);
	add_field(d, "line", FIELD_NUMBER, line, file[0] == 0);
}

static void describe_type(struct describer *d, struct tinfo *ti, uint32_t index)
{
	struct type type = tinfo_type(ti, index);
	add_text(d, "kind", type_kind_text(&type));
	add_text(d, "name", type.name);
	add_field(d, "size", FIELD_NUMBER, type.size, (type.flags & TYPE_SIZED) == 0);
	add_type(d, "target", type.target);
	add_field(d, "elements", FIELD_NUMBER, type.extra, type.kind != TYPE_ARRAY);
	add_field(d, "discriminant", FIELD_NUMBER, type.extra, type.kind != TYPE_ENUM || type.target == TINFO_NONE);
	add_field(d, "flags", FIELD_NUMBER, type.flags & ~(uint32_t)TYPE_SIZED, (type.flags & ~(uint32_t)TYPE_SIZED) == 0);
	add_site(d, type.file, type.line);
}

static void describe_variant(struct describer *d, struct tinfo *ti, uint32_t index)
{
	struct variant variant = tinfo_variant(ti, index);
	bool none = (variant.flags & VARIANT_VALUE) == 0;
	add_text(d, "name", variant.name);
	add_field(d, "value", FIELD_NUMBER, variant.value[0], none);
	add_field(d, "high", FIELD_NUMBER, variant.value[1], none || variant.value[1] == 0);
	add_type(d, "payload", variant.payload);
	add_field(d, "offset", FIELD_NUMBER, variant.offset, variant.payload == TINFO_NONE);
	add_site(d, variant.file, variant.line);
}

static void describe_function(struct describer *d, struct tinfo *ti, uint32_t index)
{
	struct function function = tinfo_function(ti, index);
	add_text(d, "kind", function_kind_text(function.kind));
	add_text(d, "role", function.role);
	add_text(d, "name", function.name);
	add_address(d, "key", function.key);
	add_address(d, "address", function.address);
	add_field(d, "size", FIELD_NUMBER, function.size, function.size == 0);
	add_type(d, "type", function.type);
	add_type(d, "type2", function.type2);
	add_site(d, function.file, function.line);
}

static void describe_static(struct describer *d, struct tinfo *ti, uint32_t index)
{
	struct static_variable variable = tinfo_static(ti, index);
	add_text(d, "role", variable.role);
	add_text(d, "name", variable.name);
	add_text(d, "symbol", variable.symbol);
	add_text(d, "storage", (variable.flags & STATIC_TLS) != 0 ? "thread" : "program");
	add_field(d, "address", FIELD_ADDRESS, variable.address, false);
	add_type(d, "type", variable.type);
}

static void describe_local(struct describer *d, struct tinfo *ti, uint32_t index)
{
	struct local local = tinfo_local(ti, index);
	add_type(d, "coroutine", local.coroutine);
	add_text(d, "name", local.name);
	add_type(d, "type", local.type);
	add_field(d, "offset", FIELD_NUMBER, local.offset, local.offset == UINT64_MAX);
	add_site(d, local.file, local.line);
}

static void describe_instance(struct describer *d, struct tinfo *ti, uint32_t index)
{
	struct instance instance = tinfo_instance(ti, index);
	add_address(d, "address", instance.address);
	add_field(d, "function", FIELD_FUNCTION, instance.function, instance.function == TINFO_NONE);
	add_number(d, "first", instance.first);
	add_number(d, "count", instance.count);
}

static void describe_member(struct describer *d, struct tinfo *ti, uint32_t index)
{
	struct member member = tinfo_member(ti, index);
	add_number(d, "offset", member.offset);
	add_text(d, "name", member.name);
	add_type(d, "type", member.type);
	add_field(d, "flags", FIELD_NUMBER, member.flags, member.flags == 0);
}

static void describe_vtable(struct describer *d, struct tinfo *ti, uint32_t index)
{
	struct vtable vtable = tinfo_vtable(ti, index);
	add_address(d, "address", vtable.address);
	add_type(d, "type", vtable.type);
	add_text(d, "trait", vtable.trait);
	add_number(d, "slots", vtable.slots);
}

static void describe_pair(struct describer *d, const char *key, const char *text, const char *other_key, const char *other)
{
	add_text(d, key, text);
	add_text(d, other_key, other);
}

size_t tinfo_describe(struct tinfo *ti, enum tinfo_table table, uint32_t index, struct record_field fields[RECORD_FIELDS])
{
	struct describer d = { fields, 0 };
	const char *value = "", *key;
	if (index >= tinfo_count(ti, table))
		return 0;
	switch (table) {
	case TABLE_META:
		key = tinfo_meta_nth(ti, index, &value);
		describe_pair(&d, "key", key == NULL ? "" : key, "value", value);
		break;
	case TABLE_TYPES: describe_type(&d, ti, index); break;
	case TABLE_MEMBERS: describe_member(&d, ti, index); break;
	case TABLE_VARIANTS: describe_variant(&d, ti, index); break;
	case TABLE_FUNCTIONS: describe_function(&d, ti, index); break;
	case TABLE_ADDRESSES: add_field(&d, "function", FIELD_FUNCTION, tinfo_nth_address(ti, index), false); break;
	case TABLE_VTABLES: describe_vtable(&d, ti, index); break;
	case TABLE_INSTANCES: describe_instance(&d, ti, index); break;
	case TABLE_CONSTANTS:
		add_text(&d, "member", tinfo_constant(ti, index).member);
		add_number(&d, "value", tinfo_constant(ti, index).value);
		break;
	case TABLE_STATICS: describe_static(&d, ti, index); break;
	case TABLE_IMPLS: describe_pair(&d, "path", tinfo_impl(ti, index).path, "self", tinfo_impl(ti, index).self); break;
	case TABLE_LOCALS: describe_local(&d, ti, index); break;
	case TABLE_CRATES:
		describe_pair(&d, "name", tinfo_crate(ti, index).name, "version", tinfo_crate(ti, index).version);
		break;
	case TABLE_SYMBOLS:
		add_address(&d, "key", tinfo_symbol(ti, index).key);
		add_text(&d, "name", tinfo_symbol(ti, index).name);
		break;
	default: break; /* the strings are no records */
	}
	return d.count;
}
