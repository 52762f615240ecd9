/* What the tests of tinfo share: see tinfo_model.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tinfo_model.h"
#include "base/error.h"
#include "base/strbuf.h"
#include "tinfo/tinfo_build.h"
#include "tinfo/tinfo_internal.h"

char model_directory[] = "/tmp/test_tinfo.XXXXXX";
char model_file[64], model_copy[64];

bool model_begin(void)
{
	bool made = mkdtemp(model_directory) != NULL;
	snprintf(model_file, sizeof model_file, "%s/a.tinfo", model_directory);
	snprintf(model_copy, sizeof model_copy, "%s/b.tinfo", model_directory);
	return made;
}

void model_end(void)
{
	unlink(model_file);
	unlink(model_copy);
	rmdir(model_directory);
}

uint64_t model_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

struct bytes model_file_read(const char *path)
{
	struct bytes bytes = { NULL, 0 };
	FILE *file = fopen(path, "rb");
	assert_non_null(file);
	fseek(file, 0, SEEK_END);
	bytes.length = (size_t)ftell(file);
	rewind(file);
	bytes.at = malloc(bytes.length + 4096);
	assert_int_equal(fread(bytes.at, 1, bytes.length, file), bytes.length);
	fclose(file);
	return bytes;
}

/* Unlinks first: some file systems wait for the disk when a file is cut short or replaced. */
void model_file_put(const char *path, const void *bytes, size_t length)
{
	unlink(path);
	FILE *file = fopen(path, "wb");
	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, length, file), length);
	assert_int_equal(fclose(file), 0);
}

void model_refused(struct error *err, enum error_code code, const char *part)
{
	assert_non_null(err);
	if (strstr(error_message(err), part) == NULL)
		fail_msg("'%s' does not say '%s'", error_message(err), part);
	assert_int_equal(error_code(err), code);
	error_free(err);
}

void model_fine(struct error *err)
{
	if (err != NULL)
		fail_msg("%s", error_message(err));
}

struct tinfo *model_reopened(struct tinfo *ti)
{
	struct tinfo *again;
	unlink(model_file);
	model_fine(tinfo_write(ti, model_file));
	model_fine(tinfo_open(&again, model_file));
	return again;
}

/* --- everything a model says, as text --- */

static void types_text(struct tinfo *ti, struct strbuf *out)
{
	for (uint32_t i = 0; i < tinfo_count(ti, TABLE_TYPES); i++) {
		struct type t = tinfo_type(ti, i);
		strbuf_addf(out, "type %u %d %s %llu %x %d %u+%u %x %llx %s:%u\n", t.id, t.kind, t.name,
			    (unsigned long long)t.size, t.flags, t.encoding, t.first, t.count, t.target,
			    (unsigned long long)t.extra, t.file, t.line);
	}
	for (uint32_t i = 0; i < tinfo_count(ti, TABLE_MEMBERS); i++) {
		struct member m = tinfo_member(ti, i);
		strbuf_addf(out, "member %s %x %llx %x\n", m.name, m.type, (unsigned long long)m.offset, m.flags);
	}
	for (uint32_t i = 0; i < tinfo_count(ti, TABLE_VARIANTS); i++) {
		struct variant v = tinfo_variant(ti, i);
		strbuf_addf(out, "variant %s %x %llx %llx:%llx %x %s:%u\n", v.name, v.payload, (unsigned long long)v.offset,
			    (unsigned long long)v.value[1], (unsigned long long)v.value[0], v.flags, v.file, v.line);
	}
}

static void functions_text(struct tinfo *ti, struct strbuf *out)
{
	for (uint32_t i = 0; i < tinfo_count(ti, TABLE_FUNCTIONS); i++) {
		struct function f = tinfo_function(ti, i);
		strbuf_addf(out, "function %u %d %s %s %llx %llx %llx %x %x %s:%u\n", f.id, f.kind, f.role, f.name,
			    (unsigned long long)f.key, (unsigned long long)f.address, (unsigned long long)f.size, f.type,
			    f.type2, f.file, f.line);
	}
	for (uint32_t i = 0; i < tinfo_count(ti, TABLE_ADDRESSES); i++)
		strbuf_addf(out, "address %u\n", tinfo_nth_address(ti, i));
	for (uint32_t i = 0; i < tinfo_count(ti, TABLE_VTABLES); i++) {
		struct vtable v = tinfo_vtable(ti, i);
		strbuf_addf(out, "vtable %llx %x %s %u\n", (unsigned long long)v.address, v.type, v.trait, v.slots);
	}
	for (uint32_t i = 0; i < tinfo_count(ti, TABLE_INSTANCES); i++) {
		struct instance n = tinfo_instance(ti, i);
		strbuf_addf(out, "instance %llx %x %u+%u\n", (unsigned long long)n.address, n.function, n.first, n.count);
	}
	for (uint32_t i = 0; i < tinfo_count(ti, TABLE_CONSTANTS); i++) {
		struct constant c = tinfo_constant(ti, i);
		strbuf_addf(out, "constant %s %llx\n", c.member, (unsigned long long)c.value);
	}
}

char *model_text(struct tinfo *ti)
{
	struct strbuf out = STRBUF_INIT;
	const char *key, *value;
	strbuf_adds(&out, "model\n"); /* so that the text is never the static empty one */
	for (uint32_t i = 0; (key = tinfo_meta_nth(ti, i, &value)) != NULL; i++)
		strbuf_addf(&out, "meta %s %s\n", key, value);
	types_text(ti, &out);
	functions_text(ti, &out);
	for (uint32_t i = 0; i < tinfo_count(ti, TABLE_STATICS); i++) {
		struct static_variable s = tinfo_static(ti, i);
		strbuf_addf(&out, "static %s %s %s %llx %x %x\n", s.role, s.name, s.symbol, (unsigned long long)s.address,
			    s.type, s.flags);
	}
	for (uint32_t i = 0; i < tinfo_count(ti, TABLE_IMPLS); i++)
		strbuf_addf(&out, "impl %s %s\n", tinfo_impl(ti, i).path, tinfo_impl(ti, i).self);
	for (uint32_t i = 0; i < tinfo_count(ti, TABLE_LOCALS); i++) {
		struct local l = tinfo_local(ti, i);
		strbuf_addf(&out, "local %x %s %x %llx %s:%u\n", l.coroutine, l.name, l.type, (unsigned long long)l.offset,
			    l.file, l.line);
	}
	for (uint32_t i = 0; i < tinfo_count(ti, TABLE_CRATES); i++)
		strbuf_addf(&out, "crate %s %s\n", tinfo_crate(ti, i).name, tinfo_crate(ti, i).version);
	for (uint32_t i = 0; i < tinfo_count(ti, TABLE_SYMBOLS); i++)
		strbuf_addf(&out, "symbol %llx %s\n", (unsigned long long)tinfo_symbol(ti, i).key, tinfo_symbol(ti, i).name);
	return out.text;
}

/* --- a small model with everything in it --- */

/* The id that a type has while building: another one than in the end. */
static uint32_t id_in(bool turn, uint32_t type)
{
	return turn && type < SMALL_TYPES ? (type + 5) % SMALL_TYPES : type;
}

static void small_types(struct tinfo_build *b, bool turn)
{
	struct member node[] = { { "next", T_POINTER, 0, 0 }, { "value", T_U64, 8, 0 } };
	struct member env0[] = { { "arg", T_U64, 8, MEMBER_UNCERTAIN } };
	struct member env1[] = { { "arg", T_U64, 8, 0 }, { "node", T_NODE, 16, MEMBER_SHADOWED }, { "node", T_NODE, 32, MEMBER_SHADOWED } };
	struct member some[] = { { "__0", T_POINTER, 0, 0 } };
	struct member onion[] = { { "a", T_U64, 0, 0 }, { "b", T_ARRAY, 0, 0 } };
	struct variant state[] = { { .name = "Idle", .payload = TINFO_NONE, .value = { 0 }, .flags = VARIANT_VALUE },
				   { .name = "Busy", .payload = TINFO_NONE, .value = { 200 }, .flags = VARIANT_VALUE } };
	struct variant env[] = {
		{ .name = "Unresumed", .payload = T_ENV_0, .value = { 0 }, .flags = VARIANT_VALUE },
		{ .name = "Suspend0", .payload = T_ENV_1, .value = { 3, 1 }, .flags = VARIANT_VALUE, .file = "src/main.rs", .line = 12 },
	};
	struct variant option[] = { { .name = "None", .payload = TINFO_NONE, .value = { 0 }, .flags = VARIANT_VALUE },
				    { .name = "Some", .payload = T_SOME } };
	const struct {
		uint32_t id;
		struct type type;
		struct member *members;
		size_t member_count;
		struct variant *variants;
		size_t variant_count;
	} all[] = {
		{ T_OPTION, { .kind = TYPE_ENUM, .name = "core::option::Option<&shop::Node>", .size = 8, .flags = TYPE_SIZED,
			      .target = T_U64, .extra = 0 }, NULL, 0, option, 2 },
		{ T_SOME, { .kind = TYPE_STRUCT, .name = "Some", .size = 8, .flags = TYPE_SIZED, .target = TINFO_NONE }, some, 1, NULL, 0 },
		{ T_NODE, { .kind = TYPE_STRUCT, .name = "shop::Node", .size = 16, .flags = TYPE_SIZED, .target = TINFO_NONE,
			    .file = "src/main.rs", .line = 7 }, node, 2, NULL, 0 },
		{ T_POINTER, { .kind = TYPE_POINTER, .name = "", .size = 8, .flags = TYPE_SIZED, .target = T_NODE }, NULL, 0, NULL, 0 },
		{ T_U64, { .kind = TYPE_BASE, .name = "u64", .size = 8, .flags = TYPE_SIZED, .target = TINFO_NONE }, NULL, 0, NULL, 0 },
		{ T_STATE, { .kind = TYPE_CENUM, .name = "shop::State", .size = 1, .flags = TYPE_SIZED, .target = T_U64 }, NULL, 0, state, 2 },
		{ T_ENV, { .kind = TYPE_ENUM, .name = "shop::run::{async_fn_env#0}", .size = 48, .flags = TYPE_SIZED | TYPE_COROUTINE,
			   .target = T_U64, .extra = 40 }, NULL, 0, env, 2 },
		{ T_ENV_0, { .kind = TYPE_STRUCT, .name = "shop::run::{async_fn_env#0}::Unresumed", .size = 48, .flags = TYPE_SIZED,
			     .target = TINFO_NONE }, env0, 1, NULL, 0 },
		{ T_ENV_1, { .kind = TYPE_STRUCT, .name = "shop::run::{async_fn_env#0}::Suspend0", .size = 48,
			     .flags = TYPE_SIZED | TYPE_RAW_ARGS, .target = TINFO_NONE }, env1, 3, NULL, 0 },
		{ T_UNION, { .kind = TYPE_UNION, .name = "shop::Either", .size = 24, .flags = TYPE_SIZED, .target = TINFO_NONE }, onion, 2, NULL, 0 },
		{ T_FN, { .kind = TYPE_FUNCTION, .name = "fn(u64)", .target = TINFO_NONE }, NULL, 0, NULL, 0 },
		{ T_WRAP, { .kind = TYPE_STRUCT, .name = "shop::Wrap<u64>", .size = 8, .flags = TYPE_SIZED, .target = TINFO_NONE },
		  (struct member[]){ { "__0", T_U64, 0, 0 } }, 1, NULL, 0 },
		{ T_ARRAY, { .kind = TYPE_ARRAY, .name = "[u64; 3]", .size = 24, .flags = TYPE_SIZED, .target = T_U64, .extra = 3 }, NULL, 0, NULL, 0 },
	};
	for (uint32_t i = 0; i < SMALL_TYPES; i++)
		assert_int_equal(build_type_reserve(b), i);
	for (size_t n = 0; n < sizeof all / sizeof *all; n++) {
		size_t i = turn ? sizeof all / sizeof *all - 1 - n : n;
		struct type type = all[i].type;
		type.target = id_in(turn, type.target);
		for (size_t k = 0; k < all[i].member_count; k++)
			all[i].members[k].type = id_in(turn, all[i].members[k].type);
		for (size_t k = 0; k < all[i].variant_count; k++)
			all[i].variants[k].payload = id_in(turn, all[i].variants[k].payload);
		build_type_define(b, id_in(turn, all[i].id), &type, all[i].members, all[i].member_count, all[i].variants,
				  all[i].variant_count);
	}
}

static const struct function SMALL_FUNCTIONS[] = {
	{ .kind = FUNCTION_RESUME, .name = "shop::run::{async_fn#0}", .key = 9, .address = 0x1000, .size = 0x40, .type = T_ENV,
	  .type2 = TINFO_NONE, .file = "src/main.rs", .line = 10 },
	{ .kind = FUNCTION_ROLE, .role = "poll", .name = "rt::poll", .key = 7, .address = 0x2000, .size = 0x100, .type = T_ENV,
	  .type2 = T_NODE },
	{ .kind = FUNCTION_POLL, .name = "<shop::Node as Future>::poll", .key = 7, .address = 0x2000, .size = 0x100,
	  .type = T_NODE, .type2 = TINFO_NONE },
	{ .kind = FUNCTION_DROP, .name = "drop_in_place<shop::Node>", .key = UINT64_MAX, .type = T_NODE, .type2 = TINFO_NONE },
	{ .kind = FUNCTION_STREAM, .name = "poll_next", .key = 8, .address = 0x3000, .type = T_NODE, .type2 = TINFO_NONE },
};

static uint32_t function_add(struct tinfo_build *b, size_t index, bool turn)
{
	struct function function = SMALL_FUNCTIONS[index];
	function.type = id_in(turn, function.type);
	function.type2 = id_in(turn, function.type2);
	return build_function(b, &function);
}

struct tinfo_build *model_small_build(bool turn)
{
	struct tinfo_build *b = tinfo_build_new();
	uint32_t ids[5] = { 0 };
	uint32_t node = id_in(turn, T_NODE), env = id_in(turn, T_ENV), u64 = id_in(turn, T_U64);
	small_types(b, turn);
	for (size_t i = 0; i < 5; i++)
		ids[turn ? 4 - i : i] = function_add(b, turn ? 4 - i : i, turn);
	if (turn)
		ids[1] = function_add(b, 1, turn);
	for (int i = 0; i < (turn ? 4 : 2); i++) {
		bool second = ((i & 1) != 0) != turn;
		struct constant constants[] = { { "id_offset", 24 }, { "size", second ? 2 : 1 } };
		build_instance(b, &(struct instance){ .address = second ? 0x9100 : 0x9000, .function = ids[1] }, constants, 2);
		build_vtable(b, &(struct vtable){ second ? 0x8000 : 0x8100, node, "core::future::future::Future<Output=()>", 4 });
		build_impl(b, second ? &(struct impl){ "rt::m::{impl#10}", "rt::m::Mutex" } : &(struct impl){ "rt::m::{impl#1}", "rt::m::Lock" });
		build_crate(b, second ? &(struct crate){ "rt", "1.2.3" } : &(struct crate){ "bytes", "0.1.0" });
		build_symbol(b, second ? &(struct symbol_key){ 7, "poll" } : &(struct symbol_key){ 3, "drop" });
		build_static(b, second ? &(struct static_variable){ "context", "rt::CONTEXT", "_R1", 0x10, node, STATIC_TLS }
				       : &(struct static_variable){ "pool", "rt::POOL", "_R2", 0x7000, u64, 0 });
		if (i < 2)
			build_local(b, second ? &(struct local){ env, "node", node, 16, "src/main.rs", 11 }
					      : &(struct local){ id_in(turn, T_STATE), "x", u64, UINT64_MAX, "", 0 });
	}
	build_vtable(b, &(struct vtable){ 0x8000, id_in(turn, T_SOME), "core::any::Any", 4 });
	build_meta(b, "tls_size", "1");
	build_meta(b, "rustc", "1.95.0");
	build_meta(b, "tls_size", "400");
	return b;
}

struct tinfo *model_small(bool turn)
{
	struct tinfo *ti;
	model_fine(tinfo_build_finish(model_small_build(turn), &ti));
	return ti;
}

/* --- what the small model must say --- */

static void small_check_types(struct tinfo *ti)
{
	uint32_t first;
	struct member member;
	struct variant variant;
	assert_int_equal(tinfo_types_named(ti, "shop::Node", &first), 1);
	struct type node = tinfo_type(ti, tinfo_nth_named(ti, first));
	assert_int_equal(node.id, T_NODE);
	assert_int_equal(node.size, 16);
	assert_string_equal(node.file, "src/main.rs");
	assert_int_equal(node.line, 7);
	assert_int_not_equal(tinfo_find_member(ti, &node, "next", &member), TINFO_NONE);
	assert_int_equal(tinfo_type(ti, member.type).target, T_NODE); /* the cycle */
	assert_int_equal(tinfo_find_member(ti, &node, "nex", NULL), TINFO_NONE);
	assert_int_equal(tinfo_find_member(ti, &node, "rustc", NULL), TINFO_NONE); /* a text, but no member */
	assert_int_equal(tinfo_find_variant(ti, &node, "next", NULL), TINFO_NONE);
	assert_int_equal(tinfo_types_named(ti, "shop::Nod", &first), 0);
	assert_int_equal(tinfo_types_named(ti, "", &first), 2); /* the pointer and the opaque one */
	assert_int_equal(tinfo_types_prefixed(ti, "shop::", &first), 7);
	assert_string_equal(tinfo_type(ti, tinfo_nth_named(ti, first)).name, "shop::Either");
	assert_int_equal(tinfo_types_prefixed(ti, "", &first), SMALL_TYPES);
	assert_int_equal(tinfo_types_prefixed(ti, "zebra", &first), 0);
	assert_int_equal(tinfo_types_prefixed(ti, "u64", &first), 1);
	struct type env = tinfo_type(ti, T_ENV);
	assert_int_equal(env.flags, TYPE_SIZED | TYPE_COROUTINE);
	assert_int_equal(env.extra, 40);
	assert_int_not_equal(tinfo_find_variant(ti, &env, "Suspend0", &variant), TINFO_NONE);
	assert_string_equal(variant.file, "src/main.rs");
	assert_int_equal(tinfo_match_variant(ti, &env, (uint64_t[]){ 3, 1 }, &variant), env.first + 1);
	assert_int_equal(variant.payload, T_ENV_1);
	assert_int_equal(tinfo_match_variant(ti, &env, (uint64_t[]){ 3, 0 }, &variant), TINFO_NONE);
	struct type option = tinfo_type(ti, T_OPTION);
	assert_int_not_equal(tinfo_match_variant(ti, &option, (uint64_t[]){ 0, 0 }, &variant), TINFO_NONE);
	assert_string_equal(variant.name, "None");
	assert_int_not_equal(tinfo_match_variant(ti, &option, (uint64_t[]){ 4096, 0 }, &variant), TINFO_NONE);
	assert_string_equal(variant.name, "Some");
	assert_int_equal(tinfo_peel(ti, T_WRAP), T_U64);
	assert_int_equal(tinfo_peel(ti, T_NODE), T_NODE);
	assert_int_equal(tinfo_type(ti, T_OPAQUE).kind, TYPE_OPAQUE);
	assert_int_equal(tinfo_type(ti, TINFO_NONE).kind, TYPE_OPAQUE);
	assert_int_equal(tinfo_locals_of(ti, T_ENV, &first), 1);
	assert_string_equal(tinfo_local(ti, first).name, "node");
	assert_int_equal(tinfo_locals_of(ti, T_NODE, &first), 0);
}

void model_small_check(struct tinfo *ti)
{
	uint32_t first;
	small_check_types(ti);
	assert_int_equal(tinfo_count(ti, TABLE_FUNCTIONS), 5);
	assert_int_equal(tinfo_count(ti, TABLE_ADDRESSES), 4);
	assert_int_equal(tinfo_functions_keyed(ti, 7, &first), 2);
	assert_int_equal(first, 0);
	assert_int_equal(tinfo_functions_keyed(ti, 6, &first), 0);
	assert_int_equal(tinfo_functions_keyed(ti, UINT64_MAX, &first), 1);
	assert_int_equal(tinfo_functions_at(ti, 0x2000, &first), 2);
	assert_int_equal(tinfo_function(ti, tinfo_nth_address(ti, first)).key, 7);
	assert_int_equal(tinfo_functions_at(ti, 0, &first), 0);
	assert_int_equal(tinfo_function(ti, tinfo_function_covering(ti, 0x103f)).kind, FUNCTION_RESUME);
	assert_int_equal(tinfo_function_covering(ti, 0x1040), TINFO_NONE);
	assert_int_equal(tinfo_function_covering(ti, 0xfff), TINFO_NONE);
	assert_int_equal(tinfo_function_covering(ti, 0x3000), TINFO_NONE); /* of unknown size */
	assert_int_equal(tinfo_function_covering(ti, UINT64_MAX), TINFO_NONE);
	assert_int_equal(tinfo_count(ti, TABLE_VTABLES), 3);
	assert_int_equal(tinfo_vtable_at(ti, 0x8000, &first), 2);
	assert_string_equal(tinfo_vtable(ti, first + 1).trait, "core::future::future::Future<Output=()>");
	assert_int_equal(tinfo_vtable_at(ti, 0x8001, &first), 0);
	assert_int_equal(tinfo_count(ti, TABLE_INSTANCES), 2);
	assert_int_equal(tinfo_instance_at(ti, 0x9100), 1);
	assert_int_equal(tinfo_instance_at(ti, 0x9200), TINFO_NONE);
	struct instance instance = tinfo_instance(ti, 1);
	assert_string_equal(tinfo_function(ti, instance.function).name, "rt::poll");
	assert_int_equal(instance.count, 2);
	assert_int_equal(tinfo_constant(ti, instance.first + 1).value, 2);
	assert_string_equal(tinfo_constant(ti, instance.first + 1).member, "size");
	assert_string_equal(tinfo_impl_self(ti, "rt::m::{impl#1}", 15), "rt::m::Lock");
	assert_string_equal(tinfo_impl_self(ti, "rt::m::{impl#10}x", 16), "rt::m::Mutex");
	assert_null(tinfo_impl_self(ti, "rt::m::{impl#1", 14));
	assert_null(tinfo_impl_self(ti, "rt::m::Lock", 11));
	assert_string_equal(tinfo_meta(ti, "tls_size"), "400");
	assert_string_equal(tinfo_meta(ti, "rustc"), "1.95.0");
	assert_null(tinfo_meta(ti, "machine"));
	assert_int_equal(tinfo_count(ti, TABLE_STATICS), 2);
	assert_string_equal(tinfo_static(ti, 0).role, "context");
	assert_int_equal(tinfo_count(ti, TABLE_CRATES), 2);
	assert_string_equal(tinfo_crate(ti, 0).name, "bytes");
	assert_int_equal(tinfo_symbol(ti, 1).key, 7);
	for (int table = 0; table < TABLE_COUNT; table++)
		assert_true(tinfo_has(ti, (enum tinfo_table)table));
	assert_null(tinfo_fault(ti));
}

void model_probe(struct tinfo *ti, uint64_t *state)
{
	static const char *const names[] = { "shop::Node", "", "u64", "rt::m::{impl#1}", "zz", "next", "Suspend0" };
	uint32_t first;
	for (int i = 0; i < 20; i++) {
		const char *name = names[model_random(state) % 7];
		uint64_t number = model_random(state) >> model_random(state) % 64;
		tinfo_types_named(ti, name, &first);
		tinfo_types_prefixed(ti, name, &first);
		tinfo_functions_keyed(ti, number, &first);
		tinfo_functions_at(ti, number, &first);
		tinfo_function_covering(ti, number);
		tinfo_vtable_at(ti, number, &first);
		tinfo_instance_at(ti, number);
		tinfo_locals_of(ti, (uint32_t)number, &first);
		tinfo_impl_self(ti, name, strlen(name));
		tinfo_meta(ti, name);
		struct type type = tinfo_type(ti, (uint32_t)(number % (SMALL_TYPES + 2)));
		tinfo_find_member(ti, &type, name, NULL);
		tinfo_find_variant(ti, &type, name, NULL);
		tinfo_match_variant(ti, &type, (uint64_t[]){ number, 0 }, NULL);
		tinfo_peel(ti, type.id);
	}
	free(model_text(ti));
}

void model_checksums_fix(struct bytes file)
{
	uint64_t at = get_u64(file.at + 32);
	size_t length = (size_t)(get_u32(file.at + 12) & 0xffff) * (get_u32(file.at + 12) >> 16);
	if (at <= file.length && length <= file.length - at)
		store_uint(file.at + 24, tinfo_hash(file.at + at, length), 8);
	store_uint(file.at + 40, tinfo_hash(file.at, 40), 8);
}

struct tinfo_build *model_large(uint32_t types, uint32_t members)
{
	static const char *const outer[] = { "core::option::Option", "core::result::Result", "alloc::sync::Arc", "alloc::vec::Vec",
					     "tokio::sync::mutex::Mutex", "core::pin::Pin", "futures_util::future::map::Map" };
	struct tinfo_build *b = tinfo_build_new();
	struct member run[16];
	char names[16][24], name[1024], file[64];
	uint64_t state = 6;
	for (uint32_t i = 0; i < types; i++)
		build_type_reserve(b);
	for (uint32_t i = 0; i < types; i++) {
		size_t count = (size_t)(model_random(&state) % (2 * members + 1));
		for (size_t m = 0; m < count && m < 16; m++) {
			snprintf(names[m], sizeof names[m], "field_%u", (unsigned)(model_random(&state) % 3000));
			run[m] = (struct member){ names[m], (uint32_t)(model_random(&state) % types), 8 * m, 0 };
		}
		int length = snprintf(name, sizeof name, "crate_%u::module_%u::Type%u", i % 97, i % 13, i / 3);
		for (uint64_t depth = model_random(&state) % 4; depth != 0; depth--) {
			char inner[1024];
			memcpy(inner, name, (size_t)length + 1);
			length = snprintf(name, sizeof name, "%s<%.800s, alloc::alloc::Global>", outer[model_random(&state) % 7], inner);
		}
		snprintf(file, sizeof file, "crate-%u/src/file_%u.rs", i % 97, i % 13);
		build_type_define(b, i, &(struct type){ .kind = TYPE_STRUCT, .name = name, .size = 8 * count, .flags = TYPE_SIZED,
							.target = TINFO_NONE, .file = file, .line = i % 1000 },
				  run, count < 16 ? count : 16, NULL, 0);
	}
	for (uint32_t i = 0; i < types / 16; i++) {
		snprintf(name, sizeof name, "crate_%u::poll_%u", i % 97, i);
		build_function(b, &(struct function){ .kind = FUNCTION_POLL, .name = name, .key = model_random(&state),
						      .address = 0x1000 + 64 * (uint64_t)i, .size = 48, .type = i, .type2 = TINFO_NONE });
	}
	return b;
}
