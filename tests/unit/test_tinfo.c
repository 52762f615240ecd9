/* The layout model and its file. Models are compared as texts that the public accessors give (model_text), so what
 * is compared is what a reader sees. Damage is done to bytes, to tables whose checksums are then made to fit, and
 * to the content behind right checksums. `test_tinfo bench [TYPES]` prints timings instead. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <dirent.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/error.h"
#include "base/strbuf.h"
#include "tinfo/tinfo_build.h"
#include "tinfo/tinfo_internal.h"

static char directory[] = "/tmp/test_tinfo.XXXXXX";
static char file_path[64], copy_path[64];

/* splitmix64: the same numbers everywhere. */
static uint64_t random_next(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

struct bytes {
	unsigned char *at;
	size_t length;
};

static struct bytes file_read(const char *path)
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
static void file_put(const char *path, const void *bytes, size_t length)
{
	unlink(path);
	FILE *file = fopen(path, "wb");
	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, length, file), length);
	assert_int_equal(fclose(file), 0);
}

static void expect_error(struct error *err, enum error_code code, const char *part)
{
	assert_non_null(err);
	if (strstr(error_message(err), part) == NULL)
		fail_msg("'%s' does not say '%s'", error_message(err), part);
	assert_int_equal(error_code(err), code);
	error_free(err);
}

static void expect_none(struct error *err)
{
	if (err != NULL)
		fail_msg("%s", error_message(err));
}

static struct tinfo *reopened(struct tinfo *ti)
{
	struct tinfo *again;
	unlink(file_path);
	expect_none(tinfo_write(ti, file_path));
	expect_none(tinfo_open(&again, file_path));
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
	for (uint32_t i = 0; i < tinfo_count(ti, TABLE_NAMES); i++)
		strbuf_addf(out, "name %u\n", tinfo_nth_named(ti, i));
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

/* The caller frees it. */
static char *model_text(struct tinfo *ti)
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

enum small_type { T_NODE, T_POINTER, T_U64, T_STATE, T_ENV, T_ENV_0, T_ENV_1, T_OPTION, T_SOME, T_UNION, T_FN, T_OPAQUE,
		  T_WRAP, T_ARRAY, SMALL_TYPES };

static void small_types(struct tinfo_build *b)
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
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		build_type_define(b, all[i].id, &all[i].type, all[i].members, all[i].member_count, all[i].variants,
				  all[i].variant_count);
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

/* The order of adding must not matter, nor repetitions: `turn` turns the one and adds the other. */
static struct tinfo_build *small_build(bool turn)
{
	struct tinfo_build *b = tinfo_build_new();
	uint32_t ids[5] = { 0 };
	small_types(b);
	for (size_t i = 0; i < 5; i++)
		ids[turn ? 4 - i : i] = build_function(b, &SMALL_FUNCTIONS[turn ? 4 - i : i]);
	if (turn)
		ids[1] = build_function(b, &SMALL_FUNCTIONS[1]);
	for (int i = 0; i < (turn ? 4 : 2); i++) {
		bool second = ((i & 1) != 0) != turn;
		struct constant constants[] = { { "id_offset", 24 }, { "size", second ? 2 : 1 } };
		build_instance(b, &(struct instance){ .address = second ? 0x9100 : 0x9000, .function = ids[1] }, constants, 2);
		build_vtable(b, &(struct vtable){ second ? 0x8000 : 0x8100, T_NODE, "core::future::future::Future<Output=()>", 4 });
		build_impl(b, second ? &(struct impl){ "rt::m::{impl#10}", "rt::m::Mutex" } : &(struct impl){ "rt::m::{impl#1}", "rt::m::Lock" });
		build_crate(b, second ? &(struct crate){ "rt", "1.2.3" } : &(struct crate){ "bytes", "0.1.0" });
		build_symbol(b, second ? &(struct symbol_key){ 7, "poll" } : &(struct symbol_key){ 3, "drop" });
		build_static(b, second ? &(struct static_variable){ "context", "rt::CONTEXT", "_R1", 0x10, T_NODE, STATIC_TLS }
				       : &(struct static_variable){ "pool", "rt::POOL", "_R2", 0x7000, T_U64, 0 });
		if (i < 2)
			build_local(b, second ? &(struct local){ T_ENV, "node", T_NODE, 16, "src/main.rs", 11 }
					      : &(struct local){ T_STATE, "x", T_U64, UINT64_MAX, "", 0 });
	}
	build_vtable(b, &(struct vtable){ 0x8000, T_SOME, "core::any::Any", 4 });
	build_meta(b, "tls_size", "1");
	build_meta(b, "rustc", "1.95.0");
	build_meta(b, "tls_size", "400");
	return b;
}

static struct tinfo *small_model(bool turn)
{
	struct tinfo *ti;
	expect_none(tinfo_build_finish(small_build(turn), &ti));
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

static void small_check(struct tinfo *ti)
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
	assert_string_equal(tinfo_vtable(ti, first).trait, "core::future::future::Future<Output=()>");
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

static void test_small(void **unused)
{
	(void)unused;
	struct tinfo *ti = small_model(false);
	small_check(ti);
	char *before = model_text(ti);
	struct tinfo *again = reopened(ti);
	small_check(again);
	char *after = model_text(again);
	assert_string_equal(before, after);
	free(before);
	free(after);
	tinfo_free(again);
	tinfo_free(ti);
}

static void test_same_bytes(void **unused)
{
	(void)unused;
	struct tinfo *ti = small_model(false), *turned = small_model(true), *again = reopened(ti);
	struct bytes first = file_read(file_path);
	expect_none(tinfo_write(again, copy_path));
	struct bytes second = file_read(copy_path);
	assert_int_equal(first.length, second.length);
	assert_memory_equal(first.at, second.at, first.length);
	free(second.at);
	/* over the file it is open from */
	expect_none(tinfo_write(again, file_path));
	small_check(again);
	expect_none(tinfo_write(turned, copy_path));
	second = file_read(copy_path);
	assert_int_equal(first.length, second.length);
	/* neither the order of adding nor repetitions show */
	assert_memory_equal(first.at, second.at, first.length);
	free(first.at);
	free(second.at);
	tinfo_free(ti);
	tinfo_free(turned);
	tinfo_free(again);
}

static void test_out_of_range(void **unused)
{
	(void)unused;
	struct tinfo *small = small_model(false), *ti = reopened(small);
	tinfo_free(small);
	assert_int_equal(tinfo_type(ti, SMALL_TYPES).kind, TYPE_OPAQUE);
	assert_non_null(strstr(tinfo_fault(ti), file_path));
	assert_non_null(strstr(tinfo_fault(ti), "section types: there is no record 14, only 14"));
	assert_string_equal(tinfo_member(ti, 1000).name, "");
	assert_non_null(strstr(tinfo_fault(ti), "section types")); /* the first one stays */
	tinfo_free(ti);
}

static void test_dangling_build(void **unused)
{
	(void)unused;
	struct tinfo *ti;
	struct tinfo_build *b = small_build(false);
	build_vtable(b, &(struct vtable){ 1, SMALL_TYPES, "", 4 });
	expect_error(tinfo_build_finish(b, &ti), ERROR_DATA, "vtables: record 3 refers to type 14 of 14");
	assert_null(ti);
	tinfo_build_free(small_build(true));
	expect_none(tinfo_build_finish(tinfo_build_new(), &ti));
	struct tinfo *empty = reopened(ti);
	uint32_t first;
	assert_int_equal(tinfo_types_named(empty, "u64", &first), 0);
	assert_int_equal(tinfo_function_covering(empty, 5), TINFO_NONE);
	assert_null(tinfo_fault(empty));
	tinfo_free(empty);
	tinfo_free(ti);
}

/* Types with generated names: long shared beginnings, lengths around multiples of eight, repeats. */
static char *random_name(uint64_t *state, char *name)
{
	size_t length = random_next(state) % 40;
	for (size_t i = 0; i < length; i++)
		name[i] = i < 24 && random_next(state) % 8 != 0 ? 'a' : (char)(random_next(state) % 2 != 0 ? 'b' : '\xe2');
	name[length] = 0;
	return name;
}

static void test_sorted(void **unused)
{
	(void)unused;
	enum { COUNT = 20000 };
	uint64_t state = 1;
	char name[64], other[72];
	struct tinfo_build *b = tinfo_build_new();
	for (uint32_t i = 0; i < COUNT; i++)
		build_type_define(b, build_type_reserve(b), &(struct type){ .name = random_name(&state, name), .target = TINFO_NONE },
				  NULL, 0, NULL, 0);
	struct tinfo *ti, *again;
	expect_none(tinfo_build_finish(b, &ti));
	again = reopened(ti);
	for (uint32_t i = 1; i < COUNT; i++) {
		struct type before = tinfo_type(ti, tinfo_nth_named(ti, i - 1)), after = tinfo_type(ti, tinfo_nth_named(ti, i));
		int order = strcmp(before.name, after.name);
		assert_true(order < 0 || (order == 0 && before.name == after.name && before.id < after.id));
	}
	state = 1;
	for (uint32_t i = 0; i < COUNT; i++) {
		uint32_t first, same, count;
		random_name(&state, name);
		assert_string_equal(tinfo_type(again, i).name, name);
		count = tinfo_types_named(again, name, &first);
		assert_true(count >= 1);
		assert_string_equal(tinfo_type(again, tinfo_nth_named(again, first + count - 1)).name, name);
		assert_true(tinfo_types_prefixed(again, name, &same) >= count);
		assert_int_equal(same, first);
		snprintf(other, sizeof other, "%sc", name);
		assert_int_equal(tinfo_types_named(again, other, &first), 0);
	}
	assert_null(tinfo_fault(again));
	tinfo_free(ti);
	tinfo_free(again);
}

static void test_long_text(void **unused)
{
	(void)unused;
	size_t length = (size_t)3 << 20;
	char *name = malloc(length + 1);
	memset(name, 'x', length);
	memcpy(name + TEXT_MAX - 3, "\xe2\x82\xac", 3); /* ends one byte too late */
	name[length] = 0;
	struct tinfo_build *b = tinfo_build_new();
	build_meta(b, "long", name);
	build_meta(b, "z", "last");
	struct tinfo *ti, *again;
	expect_none(tinfo_build_finish(b, &ti));
	again = reopened(ti);
	const char *text = tinfo_meta(again, "long");
	assert_int_equal(strlen(text), TEXT_MAX - 3);
	assert_string_equal(tinfo_meta(again, "z"), "last");
	assert_null(tinfo_fault(again));
	free(name);
	tinfo_free(ti);
	tinfo_free(again);
}

/* --- damage --- */

/* Opens the damaged file and reads all of it: what it says is right, or it says what is wrong and where. */
static bool damage_noticed(const char *truth)
{
	static const char *const places[] = { "section ", "header: ", "directory: ", "is cut: ", "format version", "not a .tinfo" };
	struct tinfo *ti;
	struct error *err = tinfo_open(&ti, file_path);
	char *text = err == NULL ? model_text(ti) : NULL;
	const char *message = err != NULL ? error_message(err) : tinfo_fault(ti);
	bool noticed = message != NULL;
	if (message == NULL) {
		assert_string_equal(text, truth);
	} else {
		bool placed = false;
		for (size_t i = 0; i < sizeof places / sizeof *places; i++)
			placed |= strstr(message, places[i]) != NULL;
		if (strstr(message, file_path) != message || !placed)
			fail_msg("'%s' names no file or place", message);
	}
	free(text);
	error_free(err);
	tinfo_free(ti);
	return noticed;
}

static void test_truncated(void **unused)
{
	(void)unused;
	struct tinfo *small = small_model(false), *ti;
	expect_none(tinfo_write(small, file_path));
	struct bytes whole = file_read(file_path);
	char *truth = model_text(small);
	for (size_t length = 0; length < whole.length; length++) {
		file_put(file_path, whole.at, length);
		struct error *err = tinfo_open(&ti, file_path);
		assert_non_null(err);
		assert_ptr_equal(strstr(error_message(err), file_path), error_message(err));
		error_free(err);
	}
	file_put(file_path, whole.at, 20);
	expect_error(tinfo_open(&ti, file_path), ERROR_TRUNCATED, "is cut: the header needs 48 bytes, there are 20");
	file_put(file_path, whole.at, whole.length - 1);
	expect_error(tinfo_open(&ti, file_path), ERROR_TRUNCATED, "is cut: ");
	whole.at[whole.length] = 0;
	file_put(file_path, whole.at, whole.length + 1);
	expect_error(tinfo_open(&ti, file_path), ERROR_DATA, "has 1 bytes after its end");
	free(truth);
	free(whole.at);
	tinfo_free(small);
}

static void test_bit_flips(void **unused)
{
	(void)unused;
	struct tinfo *small = small_model(false);
	expect_none(tinfo_write(small, file_path));
	struct bytes whole = file_read(file_path);
	char *truth = model_text(small);
	uint64_t state = 2;
	size_t tried = 0, noticed = 0;
	for (size_t i = 0; i < whole.length * 8; i++) {
		whole.at[i / 8] ^= (unsigned char)(1 << i % 8);
		file_put(file_path, whole.at, whole.length);
		noticed += damage_noticed(truth);
		tried++;
		whole.at[i / 8] ^= (unsigned char)(1 << i % 8);
	}
	for (int i = 0; i < 2000; i++) { /* several at once, and runs of zeros */
		unsigned char *copy = malloc(whole.length);
		memcpy(copy, whole.at, whole.length);
		for (uint64_t n = 2 + random_next(&state) % 6; n != 0; n--)
			copy[random_next(&state) % whole.length] ^= (unsigned char)(1 + random_next(&state) % 255);
		size_t from = (size_t)(random_next(&state) % whole.length);
		if (i % 4 == 0)
			memset(copy + from, 0, whole.length - from < 512 ? whole.length - from : 512);
		file_put(file_path, copy, whole.length);
		noticed += damage_noticed(truth);
		tried++;
		free(copy);
	}
	assert_int_equal(noticed, tried); /* every byte is under a checksum */
	free(truth);
	free(whole.at);
	tinfo_free(small);
}

/* Asks everything there is to ask; nothing may crash or hang. */
static void model_probe(struct tinfo *ti, uint64_t *state)
{
	static const char *const names[] = { "shop::Node", "", "u64", "rt::m::{impl#1}", "zz", "next", "Suspend0" };
	uint32_t first;
	for (int i = 0; i < 20; i++) {
		const char *name = names[random_next(state) % 7];
		uint64_t number = random_next(state) >> random_next(state) % 64;
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

/* Right checksums over content that lies. */
static void test_lying_content(void **unused)
{
	(void)unused;
	uint64_t state = 3;
	size_t faults = 0;
	for (int i = 0; i < 3000; i++) {
		struct tinfo *lie = small_model(false), *ti;
		for (uint64_t n = 1 + random_next(&state) % 4; n != 0; n--) {
			struct section *section = &lie->sections[random_next(&state) % TABLE_COUNT];
			unsigned char *at = section->data + random_next(&state) % section->size;
			*at = (unsigned char)(random_next(&state) % 3 == 0 ? 0xff : random_next(&state));
		}
		ti = reopened(lie);
		model_probe(ti, &state);
		faults += tinfo_fault(ti) != NULL;
		tinfo_free(ti);
		tinfo_free(lie);
	}
	assert_true(faults > 1000);
}

/* One field of one record set to a value; the message that reading it gives. */
static void expect_fault(enum tinfo_table table, size_t record, size_t field, uint32_t value, const char *message)
{
	struct tinfo *lie = small_model(false);
	store_uint(lie->sections[table].data + record * TABLE_SHAPES[table].size + field, value, 4);
	struct tinfo *ti = reopened(lie);
	free(model_text(ti));
	assert_non_null(tinfo_fault(ti));
	if (strstr(tinfo_fault(ti), message) == NULL)
		fail_msg("'%s' does not say '%s'", tinfo_fault(ti), message);
	tinfo_free(ti);
	tinfo_free(lie);
}

static void test_references(void **unused)
{
	(void)unused;
	expect_fault(TABLE_MEMBERS, 1, 4, 99, "section members: record 1: refers to 99 of 14 types");
	expect_fault(TABLE_TYPES, 3, 24, 14, "section types: record 3: refers to 14 of 14 types");
	expect_fault(TABLE_TYPES, T_NODE, 20, 900, "section types: record 0: run reaches 901 of 10 members");
	expect_fault(TABLE_TYPES, T_ENV, 16, 0xfffffff0, "section types: record 4: run reaches 4294967282 of 6 variants");
	expect_fault(TABLE_INSTANCES, 1, 8, 5, "section instances: record 1: refers to 5 of 5 functions");
	expect_fault(TABLE_INSTANCES, 0, 16, 5, "section instances: record 0: run reaches 5 of 4 constants");
	expect_fault(TABLE_VARIANTS, 0, 4, 14, "section variants: record 0: refers to 14 of 14 types");
	expect_fault(TABLE_CRATES, 1, 0, 100000, "section strings: there is no text at 100000");
	expect_fault(TABLE_NAMES, 1, 0, 77, "section names: record 1: refers to 77 of 14 types");
	expect_fault(TABLE_ADDRESSES, 1, 0, 77, "section addresses: record 1: refers to 77 of 5 functions");
	struct tinfo *lie = small_model(false);
	lie->sections[TABLE_STRINGS].data[lie->sections[TABLE_STRINGS].size - 1] = 'x';
	struct tinfo *ti = reopened(lie);
	free(model_text(ti));
	assert_non_null(strstr(tinfo_fault(ti), "section strings: the text at "));
	assert_non_null(strstr(tinfo_fault(ti), " does not end"));
	tinfo_free(ti);
	tinfo_free(lie);
}

/* Makes the checksums of header and directory right again. */
static void checksums_fix(struct bytes file)
{
	uint64_t at = get_u64(file.at + 32);
	size_t length = (size_t)(get_u32(file.at + 12) & 0xffff) * (get_u32(file.at + 12) >> 16);
	if (at <= file.length && length <= file.length - at)
		store_uint(file.at + 24, tinfo_hash(file.at + at, length), 8);
	store_uint(file.at + 40, tinfo_hash(file.at, 40), 8);
}

static void test_lying_directory(void **unused)
{
	(void)unused;
	struct tinfo *small = small_model(false);
	expect_none(tinfo_write(small, file_path));
	struct bytes whole = file_read(file_path), lie = { malloc(whole.length), whole.length };
	uint64_t state = 4;
	size_t refused = 0;
	size_t front = HEADER_SIZE + TABLE_COUNT * ENTRY_SIZE;
	for (int i = 0; i < 6000; i++) {
		memcpy(lie.at, whole.at, whole.length);
		size_t at = 12 + (size_t)(random_next(&state) % (front - 12));
		if (i % 3 == 0)
			store_uint(lie.at + (at & ~(size_t)7), random_next(&state) >> random_next(&state) % 64, 8);
		else
			lie.at[at] = (unsigned char)random_next(&state);
		checksums_fix(lie);
		file_put(file_path, lie.at, lie.length);
		struct tinfo *ti;
		struct error *err = tinfo_open(&ti, file_path);
		refused += err != NULL;
		if (err == NULL)
			model_probe(ti, &state);
		else
			assert_ptr_equal(strstr(error_message(err), file_path), error_message(err));
		error_free(err);
		tinfo_free(ti);
	}
	assert_true(refused > 3000);
	free(whole.at);
	free(lie.at);
	tinfo_free(small);
}

/* --- other versions --- */

static void test_versions(void **unused)
{
	(void)unused;
	struct tinfo *small = small_model(false), *ti;
	expect_none(tinfo_write(small, file_path));
	struct bytes file = file_read(file_path);
	store_uint(file.at + 8, 2, 2);
	store_uint(file.at + 10, 5, 2);
	file_put(file_path, file.at, file.length); /* whatever a newer version has after its number */
	expect_error(tinfo_open(&ti, file_path), ERROR_UNSUPPORTED,
		     "is of format version 2.5; this program reads version 1 (a newer hansei is needed)");
	store_uint(file.at + 8, 0, 2);
	file_put(file_path, file.at, file.length);
	expect_error(tinfo_open(&ti, file_path), ERROR_UNSUPPORTED, "is of format version 0.5; this program reads version 1 (extract");
	store_uint(file.at + 8, 1, 2);
	checksums_fix(file);
	file_put(file_path, file.at, file.length);
	expect_none(tinfo_open(&ti, file_path));
	small_check(ti);
	tinfo_free(ti);
	free(file.at);
	tinfo_free(small);
}

/* What a newer minor version may do: longer entries, a section we do not know, longer records. */
static void test_additions(void **unused)
{
	(void)unused;
	struct tinfo *small = small_model(false), *ti;
	struct section *impls = &small->sections[TABLE_IMPLS];
	unsigned char *wide = calloc(impls->count, 12);
	for (uint32_t i = 0; i < impls->count; i++)
		memcpy(wide + i * 12, impls->data + i * 8, 8);
	free(impls->data);
	impls->data = wide;
	impls->stride = 12;
	impls->size = impls->count * 12;
	expect_none(tinfo_write(small, file_path));
	struct bytes old = file_read(file_path);
	enum { WIDER = 8, NEW_WIDTH = ENTRY_SIZE + WIDER, OLD_FRONT = HEADER_SIZE + TABLE_COUNT * ENTRY_SIZE };
	size_t grown = TABLE_COUNT * WIDER + NEW_WIDTH;
	struct bytes new = { calloc(old.length + grown, 1), old.length + grown };
	memcpy(new.at, old.at, HEADER_SIZE);
	store_uint(new.at + 10, 3, 2);
	store_uint(new.at + 12, NEW_WIDTH, 2);
	store_uint(new.at + 14, TABLE_COUNT + 1, 2);
	store_uint(new.at + 16, new.length, 8);
	for (size_t i = 0; i < TABLE_COUNT; i++) {
		unsigned char *entry = new.at + HEADER_SIZE + i * NEW_WIDTH;
		memcpy(entry, old.at + HEADER_SIZE + i * ENTRY_SIZE, ENTRY_SIZE);
		store_uint(entry + 32, get_u64(entry + 32) + grown, 8);
		store_uint(entry + 48, get_u64(entry + 48) + grown, 8);
	}
	memset(new.at + HEADER_SIZE + TABLE_COUNT * NEW_WIDTH, 0x77, NEW_WIDTH); /* section 0x77777777 */
	memcpy(new.at + OLD_FRONT + grown, old.at + OLD_FRONT, old.length - OLD_FRONT);
	checksums_fix(new);
	file_put(file_path, new.at, new.length);
	expect_none(tinfo_open(&ti, file_path));
	small_check(ti);
	tinfo_free(ti);
	/* two sections of one number are not an addition */
	store_uint(new.at + HEADER_SIZE + TABLE_COUNT * NEW_WIDTH, TABLE_IMPLS, 4);
	memcpy(new.at + HEADER_SIZE + TABLE_COUNT * NEW_WIDTH + 4, new.at + HEADER_SIZE + TABLE_IMPLS * NEW_WIDTH + 4,
	       ENTRY_SIZE - 4);
	checksums_fix(new);
	file_put(file_path, new.at, new.length);
	expect_error(tinfo_open(&ti, file_path), ERROR_DATA, "section impls: there are two of it");
	free(old.at);
	free(new.at);
	tinfo_free(small);
}

static void test_absent(void **unused)
{
	(void)unused;
	for (int table = 0; table < TABLE_COUNT; table++) {
		struct tinfo *small = small_model(false);
		uint64_t state = 5;
		section_release(&small->sections[table]);
		struct tinfo *ti = reopened(small);
		assert_false(tinfo_has(ti, (enum tinfo_table)table));
		assert_int_equal(tinfo_count(ti, (enum tinfo_table)table), 0);
		model_probe(ti, &state);
		if (table == TABLE_IMPLS)
			assert_null(tinfo_impl_self(ti, "rt::m::{impl#1}", 15));
		tinfo_free(ti);
		tinfo_free(small);
	}
}

/* --- what is no .tinfo, and what cannot be written --- */

static void test_foreign(void **unused)
{
	(void)unused;
	struct tinfo *ti;
	expect_error(tinfo_open(&ti, directory), ERROR_USAGE, "is a directory");
	expect_error(tinfo_open(&ti, "/dev/null"), ERROR_USAGE, "/dev/null: is not a regular file");
	expect_error(tinfo_open(&ti, "/nonexistent/x.tinfo"), ERROR_IO, "/nonexistent/x.tinfo: No such file or directory");
	file_put(file_path, "", 0);
	expect_error(tinfo_open(&ti, file_path), ERROR_DATA, "is empty");
	file_put(file_path, "\x7f" "ELF\2\1\1\0\0\0\0\0", 12);
	expect_error(tinfo_open(&ti, file_path), ERROR_DATA, "is not a .tinfo file");
	file_put(file_path, "\x89tin", 4);
	expect_error(tinfo_open(&ti, file_path), ERROR_TRUNCATED, "is cut");
	unlink(copy_path);
	assert_int_equal(mkfifo(copy_path, 0600), 0);
	expect_error(tinfo_open(&ti, copy_path), ERROR_USAGE, "is not a regular file");
	unlink(copy_path);
	tinfo_free(NULL);
}

static size_t directory_count(void)
{
	size_t count = 0;
	DIR *dir = opendir(directory);
	assert_non_null(dir);
	while (readdir(dir) != NULL)
		count++;
	closedir(dir);
	return count;
}

static void test_unwritable(void **unused)
{
	(void)unused;
	struct tinfo *ti = small_model(false);
	expect_none(tinfo_write(ti, file_path));
	size_t before = directory_count();
	expect_error(tinfo_write(ti, directory), ERROR_USAGE, "is a directory");
	expect_error(tinfo_write(ti, "/nonexistent/x.tinfo"), ERROR_IO, "/nonexistent/x.tinfo: No such file or directory");
	if (access("/dev/full", W_OK) == 0)
		expect_error(tinfo_write(ti, "/dev/full"), ERROR_IO, "No space left on device");
	if (geteuid() != 0) { /* root may write anywhere */
		chmod(file_path, 0400);
		expect_error(tinfo_write(ti, file_path), ERROR_IO, "Permission denied");
		chmod(file_path, 0600);
		chmod(directory, 0500);
		expect_error(tinfo_write(ti, copy_path), ERROR_IO, "Permission denied");
		chmod(directory, 0700);
	}
	assert_int_equal(directory_count(), before);
	/* what an earlier process of our number left behind is in nobody's way; a link is written through */
	char *temporary = tinfo_temporary(copy_path);
	file_put(temporary, "x", 1);
	assert_int_equal(symlink(file_path, copy_path), 0);
	expect_none(tinfo_write(ti, copy_path));
	struct stat st;
	assert_int_equal(lstat(copy_path, &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	unlink(copy_path);
	expect_none(tinfo_write(ti, copy_path));
	assert_int_not_equal(access(temporary, F_OK), 0);
	free(temporary);
	tinfo_free(ti);
}

/* --- a large model: many frames --- */

/* Types as a program has them: generic names nested in each other, members that point around, cycles. */
static struct tinfo_build *large_build(uint32_t types, uint32_t members)
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
		size_t count = (size_t)(random_next(&state) % (2 * members + 1));
		for (size_t m = 0; m < count && m < 16; m++) {
			snprintf(names[m], sizeof names[m], "field_%u", (unsigned)(random_next(&state) % 3000));
			run[m] = (struct member){ names[m], (uint32_t)(random_next(&state) % types), 8 * m, 0 };
		}
		int length = snprintf(name, sizeof name, "crate_%u::module_%u::Type%u", i % 97, i % 13, i / 3);
		for (uint64_t depth = random_next(&state) % 4; depth != 0; depth--) {
			char inner[1024];
			memcpy(inner, name, (size_t)length + 1);
			length = snprintf(name, sizeof name, "%s<%.800s, alloc::alloc::Global>", outer[random_next(&state) % 7], inner);
		}
		snprintf(file, sizeof file, "crate-%u/src/file_%u.rs", i % 97, i % 13);
		build_type_define(b, i, &(struct type){ .kind = TYPE_STRUCT, .name = name, .size = 8 * count, .flags = TYPE_SIZED,
							.target = TINFO_NONE, .file = file, .line = i % 1000 },
				  run, count < 16 ? count : 16, NULL, 0);
	}
	for (uint32_t i = 0; i < types / 16; i++) {
		snprintf(name, sizeof name, "crate_%u::poll_%u", i % 97, i);
		build_function(b, &(struct function){ .kind = FUNCTION_POLL, .name = name, .key = random_next(&state),
						      .address = 0x1000 + 64 * (uint64_t)i, .size = 48, .type = i, .type2 = TINFO_NONE });
	}
	return b;
}

/* Damage in one frame is noticed by who needs it, and by nobody else. */
static void test_large(void **unused)
{
	(void)unused;
	struct tinfo *ti, *again;
	expect_none(tinfo_build_finish(large_build(20000, 5), &ti));
	again = reopened(ti);
	char *truth = model_text(ti), *text = model_text(again);
	assert_string_equal(truth, text);
	uint32_t frames = again->sections[TABLE_STRINGS].frame_count, first;
	assert_true(frames > 10);
	struct bytes file = file_read(file_path);
	const char *names[64];
	for (uint32_t i = 0; i < 64; i++)
		names[i] = tinfo_type(ti, i * 300).name;
	uint64_t state = 7, right = 0;
	for (uint32_t frame = 0; frame < frames; frame++) {
		struct tinfo *hurt;
		unsigned char *at = file.at + again->sections[TABLE_STRINGS].starts[frame] + random_next(&state) % 100;
		*at ^= 0x10;
		file_put(copy_path, file.at, file.length);
		expect_none(tinfo_open(&hurt, copy_path));
		for (uint32_t i = 0; i < 64; i++) {
			uint32_t count = tinfo_types_named(hurt, names[i], &first);
			bool found = count != 0 && strcmp(tinfo_type(hurt, tinfo_nth_named(hurt, first)).name, names[i]) == 0;
			assert_true(found || tinfo_fault(hurt) != NULL);
			right += found;
		}
		char expected[64];
		snprintf(expected, sizeof expected, "section strings: frame %u: the checksum does not fit", frame);
		free(model_text(hurt));
		assert_non_null(strstr(tinfo_fault(hurt), expected));
		expect_error(tinfo_write(hurt, file_path), ERROR_DATA, expected);
		tinfo_free(hurt);
		*at ^= 0x10;
	}
	assert_true(right > frames * 16);
	free(truth);
	free(text);
	free(file.at);
	tinfo_free(again);
	tinfo_free(ti);
}

/* The checksum is XXH64: values of its reference implementation. */
static void test_hash(void **unused)
{
	(void)unused;
	assert_true(tinfo_hash("", 0) == 0xef46db3751d8e999u);
	assert_true(tinfo_hash("a", 1) == 0xd24ec4f1a98c6e5bu);
	assert_true(tinfo_hash("abc", 3) == 0x44bc2cf5ad770999u);
	assert_true(tinfo_hash("The quick brown fox jumps over the lazy dog", 43) == 0x0b242d361fda71bcu);
}

/* The letters of a shape add up to the record it says. */
static void test_shapes(void **unused)
{
	(void)unused;
	for (int table = 0; table < TABLE_COUNT; table++) {
		uint32_t size = 0;
		for (const char *field = TABLE_SHAPES[table].fields; *field != 0; field++)
			size += field_width(*field);
		assert_int_equal(size, TABLE_SHAPES[table].size);
	}
}

/* --- bench --- */

struct clocks {
	double wall, cpu; /* ms */
};

static struct clocks clocks_now(void)
{
	struct timespec wall, cpu;
	clock_gettime(CLOCK_MONOTONIC, &wall);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
	return (struct clocks){ (double)wall.tv_sec * 1e3 + (double)wall.tv_nsec / 1e6,
				(double)cpu.tv_sec * 1e3 + (double)cpu.tv_nsec / 1e6 };
}

static void lap(const char *what, struct clocks *since)
{
	struct clocks t = clocks_now();
	printf("%-36s %9.3f ms, %9.3f ms of processor\n", what, t.wall - since->wall, t.cpu - since->cpu);
	*since = clocks_now();
}

static int bench(uint32_t types)
{
	struct tinfo *ti, *again;
	uint32_t first;
	struct clocks t = clocks_now();
	struct tinfo_build *b = large_build(types, 5);
	lap("add (names made included)", &t);
	expect_none(tinfo_build_finish(b, &ti));
	lap("finish", &t);
	expect_none(tinfo_write(ti, file_path));
	lap("write", &t);
	expect_none(tinfo_open(&again, file_path));
	lap("open", &t);
	const char *name = tinfo_type(ti, types / 2).name;
	t = clocks_now();
	tinfo_types_named(again, name, &first);
	lap("first look-up by name", &t);
	for (uint32_t i = 1; i <= 1000; i++)
		tinfo_types_named(again, tinfo_type(ti, i * 7919 % types).name, &first);
	lap("1000 look-ups by name", &t);
	char *text = model_text(again);
	lap("everything as text", &t);
	struct stat st;
	stat(file_path, &st);
	printf("%u types, %u members, %u bytes of names, file %lld bytes\n", tinfo_count(ti, TABLE_TYPES),
	       tinfo_count(ti, TABLE_MEMBERS), tinfo_count(ti, TABLE_STRINGS), (long long)st.st_size);
	free(text);
	tinfo_free(again);
	tinfo_free(ti);
	return 0;
}

static int finish(int status)
{
	unlink(file_path);
	unlink(copy_path);
	rmdir(directory);
	return status;
}

int main(int argc, char **argv)
{
	if (mkdtemp(directory) == NULL)
		return 1;
	snprintf(file_path, sizeof file_path, "%s/a.tinfo", directory);
	snprintf(copy_path, sizeof copy_path, "%s/b.tinfo", directory);
	if (argc > 1 && strcmp(argv[1], "bench") == 0)
		return finish(bench(argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 200000));
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_small), cmocka_unit_test(test_same_bytes), cmocka_unit_test(test_out_of_range),
		cmocka_unit_test(test_dangling_build), cmocka_unit_test(test_sorted), cmocka_unit_test(test_long_text),
		cmocka_unit_test(test_truncated), cmocka_unit_test(test_bit_flips), cmocka_unit_test(test_lying_content),
		cmocka_unit_test(test_references), cmocka_unit_test(test_lying_directory), cmocka_unit_test(test_versions),
		cmocka_unit_test(test_additions), cmocka_unit_test(test_absent), cmocka_unit_test(test_foreign),
		cmocka_unit_test(test_unwritable), cmocka_unit_test(test_large), cmocka_unit_test(test_hash),
		cmocka_unit_test(test_shapes),
	};
	return finish(cmocka_run_group_tests(tests, NULL, NULL));
}
