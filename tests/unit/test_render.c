/* Values over layouts and memory made here: numbers, texts, structs, enums, lists, cuts, damage, in text and JSON. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/error.h"
#include "base/strbuf.h"
#include "value/number.h"
#include "value_model.h"

static void scalar(const char *name, uint64_t size, enum base_encoding encoding, uint64_t low, uint64_t high,
                   const char *text, const char *json)
{
	struct type type = { .kind = TYPE_BASE, .name = name, .size = size, .encoding = encoding };
	unsigned char bytes[16];
	struct strbuf out = STRBUF_INIT;
	for (int i = 0; i < 16; i++)
		bytes[i] = (unsigned char)((i < 8 ? low : high) >> (8 * (i % 8)));
	scalar_add_text(&out, &type, bytes);
	assert_string_equal(out.text, text);
	strbuf_reset(&out);
	scalar_add_json(&out, &type, bytes);
	assert_string_equal(out.text, json);
	strbuf_release(&out);
}

static uint64_t bits(double value)
{
	uint64_t word;
	memcpy(&word, &value, sizeof word);
	return word;
}

static uint64_t bits32(float value)
{
	uint32_t word;
	memcpy(&word, &value, sizeof word);
	return word;
}

static void test_integers(void **state)
{
	(void)state;
	scalar("u8", 1, BASE_UNSIGNED, 255, 0, "255", "255");
	scalar("i8", 1, BASE_SIGNED, 0x80, 0, "-128", "-128");
	scalar("i32", 4, BASE_SIGNED, 0xffffffff, 0, "-1", "-1");
	scalar("u64", 8, BASE_UNSIGNED, UINT64_C(1) << 53, 0, "9007199254740992", "9007199254740992");
	scalar("u64", 8, BASE_UNSIGNED, (UINT64_C(1) << 53) + 1, 0, "9007199254740993", "\"9007199254740993\"");
	scalar("i64", 8, BASE_SIGNED, (uint64_t)-(INT64_C(1) << 53), 0, "-9007199254740992", "-9007199254740992");
	scalar("i64", 8, BASE_SIGNED, UINT64_C(1) << 63, 0, "-9223372036854775808", "\"-9223372036854775808\"");
	scalar("u128", 16, BASE_UNSIGNED, UINT64_MAX, UINT64_MAX, "340282366920938463463374607431768211455",
	       "\"340282366920938463463374607431768211455\"");
	scalar("i128", 16, BASE_SIGNED, 0, UINT64_C(1) << 63, "-170141183460469231731687303715884105728",
	       "\"-170141183460469231731687303715884105728\"");
	scalar("i128", 16, BASE_SIGNED, UINT64_MAX, UINT64_MAX, "-1", "-1");
	scalar("i128", 16, BASE_SIGNED, 0, 1, "18446744073709551616", "\"18446744073709551616\"");
}

static void test_floats(void **state)
{
	(void)state;
	scalar("f64", 8, BASE_FLOAT, bits(1.0), 0, "1.0", "1.0");
	scalar("f64", 8, BASE_FLOAT, bits(-0.0), 0, "-0.0", "-0.0");
	scalar("f64", 8, BASE_FLOAT, bits(0.1), 0, "0.1", "0.1");
	scalar("f64", 8, BASE_FLOAT, bits(1e16), 0, "1e16", "1e16");
	scalar("f64", 8, BASE_FLOAT, bits(123456.5), 0, "123456.5", "123456.5");
	scalar("f64", 8, BASE_FLOAT, bits(1e-5), 0, "0.00001", "0.00001");
	scalar("f64", 8, BASE_FLOAT, bits(1.5e-7), 0, "1.5e-7", "1.5e-7");
	scalar("f64", 8, BASE_FLOAT, UINT64_C(0x7ff8000000000000), 0, "NaN", "\"NaN\"");
	scalar("f64", 8, BASE_FLOAT, UINT64_C(0xfff0000000000000), 0, "-inf", "\"-inf\"");
	scalar("f32", 4, BASE_FLOAT, bits32(0.1f), 0, "0.1", "0.1");
	scalar("f32", 4, BASE_FLOAT, bits32(3.4e38f), 0, "3.4e38", "3.4e38");
	scalar("f16", 2, BASE_FLOAT, 0x3c00, 0, "1.0", "1.0");
	scalar("f16", 2, BASE_FLOAT, 0xfc00, 0, "-inf", "\"-inf\"");
}

static void test_bools_and_chars(void **state)
{
	(void)state;
	scalar("bool", 1, BASE_BOOL, 1, 0, "true", "true");
	scalar("bool", 1, BASE_BOOL, 2, 0, "<0x2 is no bool>", "{\"$error\":\"0x2 is no bool\"}");
	scalar("char", 4, BASE_CHAR, 'x', 0, "'x'", "\"x\"");
	scalar("char", 4, BASE_CHAR, '\'', 0, "'\\''", "\"'\"");
	scalar("char", 4, BASE_CHAR, '"', 0, "'\"'", "\"\\\"\"");
	scalar("char", 4, BASE_CHAR, 0x1b, 0, "'\\u{1b}'", "\"\\u001b\"");
	scalar("char", 4, BASE_CHAR, 0xd800, 0, "<0xd800 is no char>", "{\"$error\":\"0xd800 is no char\"}");
	scalar("char", 4, BASE_CHAR, 0x110000, 0, "<0x110000 is no char>", "{\"$error\":\"0x110000 is no char\"}");
}

static void test_struct_depth(void **state)
{
	struct value_model *m = value_model_new();
	(void)state;
	value_model_put(m, BASE + 0, 7, 8);
	value_model_put(m, BASE + 8, 3, 4);
	assert_text(m, m->outer, BASE, 2, "shop::Outer {\n    id: 7,\n    point: shop::Point {\n        x: 3,\n        y: 0,\n    },\n}");
	assert_text(m, m->outer, BASE, 1, "shop::Outer {\n    id: 7,\n    point: shop::Point { .. } @ 0x10008,\n}");
	assert_text(m, m->outer, BASE, 0, "shop::Outer { .. } @ 0x10000");
	assert_json(m, m->outer, BASE, "{\"id\":7,\"point\":{\"x\":3,\"y\":0}}");
	value_model_free(m);
}

static void test_pointers(void **state)
{
	struct value_model *m = value_model_new();
	(void)state;
	value_model_put(m, BASE, BASE + 0x100, 8);
	value_model_put(m, BASE + 0x100, 5, 4);
	assert_text(m, m->reference, BASE, 1, "0x10100 -> shop::Point {\n    x: 5,\n    y: 0,\n}");
	assert_text(m, m->reference, BASE, 0, "0x10100 -> shop::Point { .. }");
	assert_json(m, m->reference, BASE, "{\"x\":5,\"y\":0}");
	assert_json(m, m->raw, BASE, "{\"$type\":\"*const shop::Point\",\"$address\":\"0x10100\"}");
	value_model_put(m, BASE, 0, 8);
	assert_text(m, m->reference, BASE, 1, "null");
	assert_false(m->incomplete);
	value_model_put(m, BASE, 0x666, 8);
	assert_text(m, m->reference, BASE, 1, "0x666 -> <unreadable>");
	assert_true(m->incomplete);
	assert_json(m, m->reference, BASE, "{\"$error\":\"unreadable at 0x666\"}");
	value_model_free(m);
}

static void test_cycle(void **state)
{
	struct value_model *m = value_model_new();
	(void)state;
	value_model_put(m, BASE, BASE, 8); /* a link that leads to itself */
	assert_text(m, m->link, BASE, 9, "shop::Link {\n    next: 0x10000 -> <cycle>,\n}");
	assert_json(m, m->link, BASE, "{\"next\":{\"$cycle\":\"0x10000\"}}");
	value_model_free(m);
}

static void test_enum(void **state)
{
	struct value_model *m = value_model_new();
	(void)state;
	value_model_put(m, BASE, 1, 4);
	value_model_put(m, BASE + 4, 9, 4);
	assert_text(m, m->option, BASE, 1, "Some(9)");
	assert_text(m, m->option, BASE, 0, "Some(9)");
	assert_json(m, m->option, BASE, "9");
	value_model_put(m, BASE, 0, 4);
	assert_text(m, m->option, BASE, 1, "None");
	assert_json(m, m->option, BASE, "null");
	value_model_put(m, BASE, 2, 4);
	assert_text(m, m->option, BASE, 1, "<no variant has this discriminant>");
	assert_true(m->incomplete);
	value_model_put(m, BASE, 1, 4);
	assert_text(m, m->shape, BASE, 1, "shop::Shape::Square {\n    side: 9,\n}");
	assert_json(m, m->shape, BASE, "{\"Square\":{\"side\":9}}");
	value_model_put(m, BASE, 0, 4);
	assert_text(m, m->shape, BASE, 0, "shop::Shape::Dot");
	assert_json(m, m->shape, BASE, "\"Dot\"");
	value_model_free(m);
}

static void test_texts(void **state)
{
	struct value_model *m = value_model_new();
	(void)state;
	value_model_put(m, BASE, BASE + 0x100, 8);
	value_model_put(m, BASE + 8, 4, 8);
	memcpy(m->memory + 0x100, "a\x1b\"\xff", 4);
	assert_text(m, m->str, BASE, 0, "\"a\\u{1b}\\\"\\xff\"");
	assert_json(m, m->str, BASE, "\"a\\u001b\\\"\xef\xbf\xbd\"");
	value_model_put(m, BASE + 8, UINT64_C(1) << 60, 8);
	assert_text(m, m->str, BASE, 0, "<unreadable at 0x10100>");
	value_model_put(m, BASE + 8, UINT64_MAX, 8);
	assert_text(m, m->str, BASE, 0, "<length 18446744073709551615 cannot be>");
	value_model_free(m);
}

static void test_lists(void **state)
{
	struct value_model *m = value_model_new();
	(void)state;
	value_model_put(m, BASE, BASE + 0x100, 8);
	value_model_put(m, BASE + 8, 3, 8);
	for (unsigned i = 0; i < 3; i++)
		value_model_put(m, BASE + 0x100 + 4 * i, i + 1, 4);
	assert_text(m, m->slice, BASE, 1, "[\n    1,\n    2,\n    3,\n]");
	assert_text(m, m->slice, BASE, 0, "[..] @ 0x10000");
	assert_json(m, m->slice, BASE, "[1,2,3]");
	m->max_array = 2;
	assert_text(m, m->slice, BASE, 1, "[\n    1,\n    2,\n    … 1 more\n]");
	assert_json(m, m->slice, BASE, "[1,2,{\"$more\":1}]");
	m->max_array = UINT64_MAX;
	value_model_put(m, BASE + 8, UINT64_C(1) << 60, 8);
	value_model_put(m, BASE, BASE + MODEL_SIZE - 8, 8); /* two elements, then nothing is mapped */
	assert_text(m, m->slice, BASE, 1, "[\n    0,\n    0,\n    <unreadable at 0x12000: 2 of 1152921504606846976 shown>\n]");
	assert_true(m->incomplete);
	assert_json(m, m->slice, BASE, "[0,0,{\"$error\":\"unreadable: 2 of 1152921504606846976 shown\"}]");
	value_model_put(m, BASE + 8, 0, 8);
	assert_text(m, m->slice, BASE, 0, "[]");
	value_model_free(m);
}

static void test_newtypes(void **state)
{
	struct value_model *m = value_model_new();
	(void)state;
	value_model_put(m, BASE, 42, 4);
	assert_text(m, m->newtype, BASE, 0, "42");
	assert_json(m, m->newtype, BASE, "42");
	assert_text(m, m->unit, BASE, 0, "shop::Unit");
	assert_json(m, m->unit, BASE, "null");
	m->ugly = true;
	assert_text(m, m->newtype, BASE, 1, "shop::Id(42)");
	value_model_free(m);
}

static void test_unmapped(void **state)
{
	struct value_model *m = value_model_new();
	(void)state;
	assert_text(m, m->outer, 0x40, 2, "shop::Outer {\n    id: <unreadable>,\n    point: shop::Point {\n        x: <unreadable>,\n        y: <unreadable>,\n    },\n}");
	assert_true(m->incomplete);
	assert_text(m, m->option, 0x40, 2, "<unreadable>");
	assert_text(m, TINFO_NONE, BASE, 2, "<unknown type>");
	value_model_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_integers),
		cmocka_unit_test(test_floats),
		cmocka_unit_test(test_bools_and_chars),
		cmocka_unit_test(test_struct_depth),
		cmocka_unit_test(test_pointers),
		cmocka_unit_test(test_cycle),
		cmocka_unit_test(test_enum),
		cmocka_unit_test(test_texts),
		cmocka_unit_test(test_lists),
		cmocka_unit_test(test_newtypes),
		cmocka_unit_test(test_unmapped),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
