/* lib/base: errors, arenas, buffers, maps, cursors, UTF-8, numbers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/cursor.h"
#include "base/error.h"
#include "base/map.h"
#include "base/number.h"
#include "base/strbuf.h"
#include "base/utf8.h"

static void errors_gain_context(void **state)
{
	(void)state;
	struct error *err = error_new(ERROR_DATA, "length %d", 7);
	err = error_wrap(err, "note %d", 3);
	err = error_wrap(err, "core.%s", "1");
	assert_string_equal(error_message(err), "core.1: note 3: length 7");
	assert_int_equal(error_code(err), ERROR_DATA);
	error_free(err);
	assert_null(error_wrap(NULL, "nothing"));
	err = error_errno(2, "%s", "file");
	assert_string_equal(error_message(err), "file: No such file or directory");
	assert_int_equal(error_code(err), ERROR_IO);
	error_free(err);
	err = error_wrap(error_memory(), "context");
	assert_string_equal(error_message(err), "out of memory");
	error_free(err);
	error_free(NULL);
}

static void arenas_align_and_zero(void **state)
{
	(void)state;
	struct arena arena = ARENA_INIT;
	for (size_t size = 0; size < 70000; size = size * 3 + 1) {
		unsigned char *at = arena_alloc(&arena, size);
		assert_int_equal((uintptr_t)at % 16, 0);
		for (size_t i = 0; i < size; i++)
			assert_int_equal(at[i], 0);
		memset(at, 0xff, size);
	}
	assert_string_equal(arena_printf(&arena, "%s-%d", "a", 5), "a-5");
	assert_string_equal(arena_strndup(&arena, "hello", 4), "hell");
	assert_string_equal(arena_number(&arena, "task/", 0), "task/0");
	assert_string_equal(arena_number(&arena, "", UINT64_MAX), "18446744073709551615");
	assert_string_equal(arena_address(&arena, "future/", 0x55d0c8), "future/0x55d0c8");
	assert_string_equal(arena_address(&arena, "", UINT64_MAX), "0xffffffffffffffff");
	assert_string_equal(arena_address(&arena, "", 0), "0x0");
	arena_release(&arena);
	assert_string_equal(arena_strdup(&arena, "again"), "again");
	arena_release(&arena);
}

static void buffers_grow_and_cut(void **state)
{
	(void)state;
	struct strbuf sb = STRBUF_INIT;
	assert_string_equal(sb.text, "");
	for (int i = 0; i < 1000; i++)
		strbuf_addf(&sb, "%d,", i % 10);
	assert_int_equal(sb.length, 2000);
	assert_int_equal(strlen(sb.text), 2000);
	strbuf_cut(&sb, 4);
	assert_string_equal(sb.text, "0,1,");
	strbuf_cut(&sb, 100);
	assert_int_equal(sb.length, 4);
	strbuf_add(&sb, "a\0b", 3);
	assert_int_equal(sb.length, 7);
	strbuf_add_number(&sb, 42);
	strbuf_add_address(&sb, 255);
	assert_string_equal(sb.text + 7, "420xff");
	strbuf_release(&sb);
	strbuf_addc(&sb, 'x');
	assert_string_equal(sb.text, "x");
	strbuf_release(&sb);
}

static void maps_hold_every_key(void **state)
{
	(void)state;
	struct map map = MAP_INIT;
	uint64_t value = 0;
	assert_false(map_get(&map, 0, &value));
	for (uint64_t i = 0; i < 20000; i++)
		map_set(&map, i * 0x100000000u, i);
	map_set(&map, UINT64_MAX, 7);
	assert_int_equal(map.count, 20001);
	for (uint64_t i = 0; i < 20000; i++) {
		assert_true(map_get(&map, i * 0x100000000u, &value));
		assert_int_equal(value, i);
	}
	map_set(&map, 0, 99);
	assert_true(map_get(&map, 0, &value));
	assert_int_equal(value, 99);
	assert_int_equal(map.count, 20001);
	assert_true(map_get(&map, UINT64_MAX, &value));
	assert_false(map_get(&map, 1, &value));
	map_release(&map);
}

static void maps_keep_equal_keys(void **state)
{
	(void)state;
	struct map map = MAP_INIT;
	for (uint64_t key = 0; key < 40; key++)
		for (uint64_t n = 0; n < 5; n++)
			map_add(&map, key, key * 10 + n);
	for (uint64_t key = 0; key < 40; key++) {
		uint64_t sum = 0, value;
		size_t cursor = 0, hits = 0;
		while (map_next(&map, key, &cursor, &value)) {
			sum += value;
			hits++;
		}
		assert_int_equal(hits, 5);
		assert_int_equal(sum, key * 50 + 10);
	}
	map_release(&map);
}

static void cursors_stop_at_the_end(void **state)
{
	(void)state;
	static const unsigned char bytes[] = { 0x01, 0x02, 0x03, 0x04, 'h', 'i', 0, 0xe5, 0x8e, 0x26, 0x9b, 0xf1, 0x59, 0x80 };
	struct cursor c = cursor_over(bytes, sizeof bytes);
	assert_int_equal(cursor_u16(&c), 0x0201);
	assert_int_equal(cursor_uint(&c, 2), 0x0403);
	assert_string_equal(cursor_string(&c), "hi");
	assert_int_equal(cursor_uleb(&c), 624485); /* the example of DWARF 5, section 7.6 */
	assert_int_equal(cursor_sleb(&c), -624485);
	assert_false(c.bad);
	assert_int_equal(cursor_uleb(&c), 0); /* a continuation bit and no more bytes */
	assert_true(c.bad);
	assert_int_equal(cursor_left(&c), 0);
	assert_null(cursor_bytes(&c, 1));
	c = cursor_over(bytes, 3);
	assert_int_equal(cursor_u32(&c), 0);
	assert_true(c.bad);
	c = cursor_over(bytes + 4, 2); /* a text without its NUL */
	assert_null(cursor_string(&c));
	assert_true(c.bad);
	c = cursor_over(NULL, 0);
	assert_null(cursor_string(&c));
}

static void leb_bounds(void **state)
{
	(void)state;
	static const struct {
		unsigned char bytes[12];
		size_t length;
		uint64_t value;
		bool bad;
	} CASES[] = {
		{ { 0x7f }, 1, 127, false },
		{ { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01 }, 10, UINT64_MAX, false },
		{ { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02 }, 10, 0, true },
		{ { 0x81, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00 }, 12, 1, false },
	};
	for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
		struct cursor c = cursor_over(CASES[i].bytes, CASES[i].length);
		assert_int_equal(cursor_uleb(&c), CASES[i].value);
		assert_int_equal(c.bad, CASES[i].bad);
	}
	struct cursor c = cursor_over("\x80\x7f", 2);
	assert_int_equal(cursor_sleb(&c), -128);
	c = cursor_over("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x7f", 10);
	assert_int_equal(cursor_sleb(&c), INT64_MIN);
}

static void escapes(void **state)
{
	(void)state;
	static const struct {
		const char *from, *text, *json;
	} CASES[] = {
		{ "plain", "plain", "plain" },
		{ "a\"b\\c\n\t\r", "a\\\"b\\\\c\\n\\t\\r", "a\\\"b\\\\c\\n\\t\\r" },
		{ "\x1b[31m", "\\u{1b}[31m", "\\u001b[31m" },
		{ "\xc2\x9b", "\\u{9b}", "\\u009b" },                         /* CSI as one character */
		{ "\xe4\xb8\xad", "\xe4\xb8\xad", "\xe4\xb8\xad" },           /* a letter */
		{ "\xff\xfe", "\\xff\\xfe", "\xef\xbf\xbd\xef\xbf\xbd" },
		{ "\xc0\xaf", "\\xc0\\xaf", "\xef\xbf\xbd\xef\xbf\xbd" },     /* over-long */
		{ "\xed\xa0\x80", "\\xed\\xa0\\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd" }, /* a surrogate */
		{ "\xe2\x80\xae", "\\u{202e}", "\\u202e" },                   /* right-to-left override */
		{ "\xf3\xa0\x80\x81", "\\u{e0001}", "\\udb40\\udc01" },       /* a tag character */
		{ "\xe4\xb8", "\\xe4\\xb8", "\xef\xbf\xbd\xef\xbf\xbd" },     /* cut */
	};
	for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
		struct strbuf text = STRBUF_INIT, json = STRBUF_INIT;
		utf8_escape(&text, CASES[i].from, strlen(CASES[i].from));
		utf8_escape_json(&json, CASES[i].from, strlen(CASES[i].from));
		assert_string_equal(text.text, CASES[i].text);
		assert_string_equal(json.text, CASES[i].json);
		strbuf_release(&text);
		strbuf_release(&json);
	}
}

static void widths(void **state)
{
	(void)state;
	assert_int_equal(utf8_width("abc"), 3);
	assert_int_equal(utf8_width("\xe4\xb8\xad\xe6\x96\x87"), 4); /* two wide letters */
	assert_int_equal(utf8_width("e\xcc\x81"), 1);                /* a combining accent */
	assert_int_equal(utf8_prefix("abcdef", 3), 3);
	assert_int_equal(utf8_prefix("\xe4\xb8\xad\xe6\x96\x87", 3), 3); /* half a wide letter does not fit */
	assert_int_equal(utf8_prefix("ab", 10), 2);
	char out[4];
	for (uint32_t c = 1; c < 0x110000; c += 37) {
		uint32_t back = 0;
		if (c >= 0xd800 && c < 0xe000)
			continue;
		size_t length = utf8_encode(c, out);
		assert_int_equal(utf8_decode((const unsigned char *)out, length, &back), length);
		assert_int_equal(back, c);
	}
}

static void arrays_grow(void **state)
{
	(void)state;
	uint32_t *items = NULL;
	size_t capacity = 0;
	for (uint32_t i = 0; i < 1000; i++) {
		items = array_reserve(items, &capacity, i, 1, sizeof *items);
		items[i] = i;
	}
	items = array_reserve(items, &capacity, 1000, 5000, sizeof *items);
	assert_true(capacity >= 6000);
	for (uint32_t i = 0; i < 1000; i++)
		assert_int_equal(items[i], i);
	free(items);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(errors_gain_context),     cmocka_unit_test(arenas_align_and_zero),
		cmocka_unit_test(buffers_grow_and_cut),    cmocka_unit_test(maps_hold_every_key),
		cmocka_unit_test(maps_keep_equal_keys),    cmocka_unit_test(cursors_stop_at_the_end),
		cmocka_unit_test(leb_bounds),              cmocka_unit_test(escapes),
		cmocka_unit_test(widths),                  cmocka_unit_test(arrays_grow),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
