/* Tests of lib/out. Expected texts follow notes/commands.md 4 and notes/records.md. */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/error.h"
#include "base/strbuf.h"
#include "out/block.h"
#include "out/column.h"
#include "out/json.h"
#include "out/lines.h"
#include "out/out.h"
#include "out/table.h"
#include "out/text.h"

#define DASH "\xe2\x80\x94"
#define DOTS "\xe2\x80\xa6"

/* An output into memory: what has been written is in text after sink_close. */
struct sink {
	struct out out;
	char *text;
	size_t length;
};

static void sink_open(struct sink *s)
{
	*s = (struct sink){ .text = NULL };
	FILE *file = open_memstream(&s->text, &s->length);
	assert_non_null(file);
	out_init(&s->out, "hansei-tasks", file);
	assert_false(s->out.terminal);
	assert_false(s->out.colour);
	assert_int_equal(s->out.width, 0);
}

static void sink_expect(struct sink *s, const char *expected)
{
	int status = 0;
	assert_null(out_close(&s->out, &status));
	assert_string_equal(s->text, expected);
	free(s->text);
}

static const struct column COLUMNS[] = {
	{ "ref", COL_REF, COL_TSV, 0, NULL, NULL, NULL, "" },
	{ "id", COL_ID, COL_SHOWN, 0, NULL, NULL, NULL, "" },
	{ "state", COL_WORD, COL_SHOWN, 0, NULL, NULL, NULL, "" },
	{ "awaiting", COL_SITE, COL_SHOWN, 0, "AWAITING AT", NULL, NULL, "" },
	{ "waiting_on", COL_TEXT, COL_SHOWN | COL_CUT, 0, NULL, "waker slots", NULL, "" },
	{ "future", COL_NAME, COL_SHOWN | COL_CUT, 0, NULL, NULL, NULL, "" },
	{ "holds", COL_COUNT, COL_RIGHT, 0, NULL, NULL, NULL, "" },
	{ "address", COL_ADDRESS, 0, 0, "ADDR", "addr", NULL, "" },
	{ "handle", COL_ADDRESS, COL_HIDDEN, 0, NULL, NULL, NULL, "" },
};
static const struct column_list LIST = COLUMN_LIST(COLUMNS);
enum { REF, ID, STATE, AWAITING, WAITING, FUTURE, HOLDS, ADDRESS, HANDLE };

#define C(i) (&COLUMNS[i])

static const struct column *const FIVE[] = { C(ID), C(STATE), C(AWAITING), C(WAITING), C(FUTURE) };

static void test_table(void **state)
{
	(void)state;
	struct sink s;
	struct table t;
	sink_open(&s);
	table_init(&t, FIVE, 5);
	/* The README form in commands.md section 6. */
	table_row(&t, (const char *[]){ "3", "idle", "src/net.rs:41", "io fd 9 (readable)", "async fn shop::acceptor" });
	table_row(&t, (const char *[]){ "7", "running", "src/pool.rs:88", DASH " (mid-poll on lwp 4121)",
	                                "async block shop::pool::run::{async_fn#0}" });
	table_row(&t, (const char *[]){ "12", "idle", NULL, "task 7", "" });
	table_print(&t, &s.out);
	footer_print(&s.out, 3, 3, "task", "tasks");
	table_release(&t);
	sink_expect(&s, "ID  STATE    AWAITING AT     WAITING ON                FUTURE\n"
	                "3   idle     src/net.rs:41   io fd 9 (readable)        async fn shop::acceptor\n"
	                "7   running  src/pool.rs:88  " DASH " (mid-poll on lwp 4121)  "
	                "async block shop::pool::run::{async_fn#0}\n"
	                "12  idle     " DASH "               task 7                    " DASH "\n"
	                "[3 tasks]\n");
}

static void test_table_alignment(void **state)
{
	(void)state;
	const struct column count = { "tasks", COL_COUNT, COL_RIGHT, 0, NULL, NULL, NULL, "" };
	struct sink s;
	struct table t;
	sink_open(&s);
	table_init(&t, (const struct column *const[]){ C(STATE), C(HOLDS), &count }, 3);
	table_row(&t, (const char *[]){ "idle", "1234567", "5" });
	table_row(&t, (const char *[]){ "queued", NULL, "120000" });
	table_print(&t, &s.out);
	table_release(&t);
	sink_expect(&s, "STATE     HOLDS   TASKS\n"
	                "idle    1234567       5\n"
	                "queued        " DASH "  120000\n");
}

static void test_table_unicode(void **state)
{
	(void)state;
	struct sink s;
	struct table t;
	sink_open(&s);
	table_init(&t, (const struct column *const[]){ C(STATE), C(ID) }, 2);
	table_row(&t, (const char *[]){ "\xe5\x8f\x8d\xe7\x9c\x81", "1" });   /* 反省: four columns */
	table_row(&t, (const char *[]){ "e\xcc\x81tat cinq", "2" });          /* a combining accent: nine */
	table_row(&t, (const char *[]){ "a\033[31mb\nc\"\\", "3" });
	table_print(&t, &s.out);
	table_release(&t);
	sink_expect(&s, "STATE              ID\n"
	                "\xe5\x8f\x8d\xe7\x9c\x81               1\n"
	                "e\xcc\x81tat cinq          2\n"
	                "a\\u{1b}[31mb\\nc\"\\  3\n");
}

static void test_table_empty(void **state)
{
	(void)state;
	struct sink s;
	struct table t;
	sink_open(&s);
	table_init(&t, FIVE, 5);
	table_print(&t, &s.out);
	table_release(&t);
	footer_print(&s.out, 0, 0, "task", "tasks");
	footer_print(&s.out, 1, 1, "task", "tasks");
	footer_print(&s.out, 22499, 50, "task", "tasks");
	footer_print(&s.out, 4, 0, "task", "tasks");
	sink_expect(&s, "[0 tasks]\n[1 task]\n[22499 tasks, 50 shown]\n[4 tasks, 0 shown]\n");
}

static void test_table_cut(void **state)
{
	(void)state;
	struct sink s;
	struct table t;
	sink_open(&s);
	s.out.terminal = true;
	s.out.width = 32;
	table_init(&t, (const struct column *const[]){ C(ID), C(WAITING), C(FUTURE) }, 3);
	table_row(&t, (const char *[]){ "5", "a tokio::sync::Mutex", "async fn shop::checkout" });
	table_row(&t, (const char *[]){ "6", "task 7", "async fn f" });
	table_print(&t, &s.out);
	table_release(&t);
	/* 32 - 2 (ID) - 4 (gaps) = 26 for two columns: 13 each. */
	sink_expect(&s, "ID  WAITING ON     FUTURE\n"
	                "5   a tokio::syn" DOTS "  async fn sho" DOTS "\n"
	                "6   task 7         async fn f\n");
}

static void test_table_fit(void **state)
{
	(void)state;
	const struct column *const columns[] = { C(ID), C(WAITING), C(FUTURE), C(FUTURE) };
	const size_t headings[] = { 2, 10, 6, 6 };
	size_t spare[] = { 4, 12, 100, 100 }; /* 6 for gaps, 4 fixed: 90 to share; 12 fits, the others get 39 each */
	table_fit(spare, headings, columns, 4, 100);
	assert_int_equal(spare[0], 4);
	assert_int_equal(spare[1], 12);
	assert_int_equal(spare[2], 39);
	assert_int_equal(spare[3], 39);
	size_t odd[] = { 4, 100, 100, 100 }; /* 91 for three: 31, 30, 30 */
	table_fit(odd, headings, columns, 4, 101);
	assert_int_equal(odd[1], 31);
	assert_int_equal(odd[2], 30);
	assert_int_equal(odd[3], 30);
	size_t tight[] = { 4, 100, 100, 8 }; /* never below eleven, narrow ones stay, the line overflows */
	table_fit(tight, headings, columns, 4, 20);
	assert_int_equal(tight[1], 11);
	assert_int_equal(tight[2], 11);
	assert_int_equal(tight[3], 8);
	const size_t wide_heading[] = { 2, 15, 6, 6 }; /* a heading is never cut */
	size_t heading[] = { 4, 100, 100, 100 };
	table_fit(heading, wide_heading, columns, 4, 46); /* 36: 15 for the heading, then 21 for two, at least 11 each */
	assert_int_equal(heading[1], 15);
	assert_int_equal(heading[2], 11);
	assert_int_equal(heading[3], 11);
	size_t roomy[] = { 4, 12, 13, 14 };
	table_fit(roomy, headings, columns, 4, 200);
	assert_int_equal(roomy[1], 12);
	assert_int_equal(roomy[3], 14);
}

static void test_table_colour(void **state)
{
	(void)state;
	struct sink s;
	struct table t;
	sink_open(&s);
	s.out.terminal = s.out.colour = true;
	table_init(&t, (const struct column *const[]){ C(AWAITING), C(FUTURE) }, 2);
	table_row(&t, (const char *[]){ "src/a.rs:1", "async fn f" });
	table_row(&t, (const char *[]){ NULL, NULL });
	table_print(&t, &s.out);
	table_release(&t);
	sink_expect(&s, "AWAITING AT  FUTURE\n"
	                "\033[32msrc/a.rs:1\033[0m   \033[36masync fn f\033[0m\n" DASH "            " DASH "\n");
}

static void expect_text(void (*add)(struct strbuf *, const char *), const char *text, const char *expected)
{
	struct strbuf sb = STRBUF_INIT;
	add(&sb, text);
	assert_string_equal(sb.text, expected);
	strbuf_release(&sb);
}

static void add_json_text(struct strbuf *to, const char *text)
{
	text_add_json(to, text, strlen(text));
}

static void test_text(void **state)
{
	(void)state;
	expect_text(text_add_plain, "", "");
	expect_text(text_add_plain, "say \"hi\" C:\\", "say \"hi\" C:\\");
	expect_text(text_add_plain, "\033]0;x\007\177", "\\u{1b}]0;x\\u{7}\\u{7f}");
	expect_text(text_add_plain, "\xc2\x9b" "31m", "\\u{9b}31m"); /* the one-character CSI */
	expect_text(text_add_plain, "\xff\xe5\x8f", "\\xff\\xe5\\x8f");
	expect_text(text_add_plain, "caf\xc3\xa9\t", "caf\xc3\xa9\\t");
	expect_text(text_add_tsv, "a\tb\nc\\d\"", "a\\tb\\nc\\\\d\"");
	expect_text(text_add_tsv, "\033", "\\u{1b}");
	expect_text(add_json_text, "a\"b\\c\n\033", "a\\\"b\\\\c\\n\\u001b");
	expect_text(add_json_text, "\xc2\x9b" "1\xc2\x80\xc2\xa9", "\\u009b1\\u0080\xc2\xa9");
	expect_text(add_json_text, "x\xffy", "x\xef\xbf\xbdy");
}

static void test_json(void **state)
{
	(void)state;
	struct strbuf sb = STRBUF_INIT;
	struct json j = json_into(&sb);
	json_object(&j);
	json_key(&j, "ref");
	json_string(&j, "task/5");
	json_key(&j, "name");
	json_string(&j, NULL);
	json_key(&j, "empty");
	json_array(&j);
	json_array_end(&j);
	json_key(&j, "nested");
	json_array(&j);
	json_object(&j);
	json_key(&j, "a\"b");
	json_bool(&j, true);
	json_object_end(&j);
	json_bool(&j, false);
	json_array_end(&j);
	json_key(&j, "raw");
	json_raw(&j, "[1]");
	json_object_end(&j);
	assert_string_equal(sb.text, "{\"ref\":\"task/5\",\"name\":null,\"empty\":[],"
	                             "\"nested\":[{\"a\\\"b\":true},false],\"raw\":[1]}");
	strbuf_reset(&sb);
	j = json_into(&sb);
	json_array(&j);
	json_u64(&j, 9007199254740992);
	json_u64(&j, 9007199254740993);
	json_number(&j, UINT64_MAX);
	json_i64(&j, -9007199254740992);
	json_i64(&j, INT64_MIN);
	json_address(&j, 0x55b3521b0cf0);
	json_bytes(&j, "a\0b", 3);
	json_array_end(&j);
	assert_string_equal(sb.text, "[9007199254740992,\"9007199254740993\",18446744073709551615,-9007199254740992,"
	                             "\"-9223372036854775808\",\"0x55b3521b0cf0\",\"a\\u0000b\"]");
	strbuf_release(&sb);
}

static void test_columns(void **state)
{
	(void)state;
	assert_ptr_equal(column_find(LIST, "waiting-on", 10), C(WAITING));
	assert_ptr_equal(column_find(LIST, "waiting_on", 10), C(WAITING));
	assert_ptr_equal(column_find(LIST, "slots", 5), C(WAITING));
	assert_ptr_equal(column_find(LIST, "addr", 4), C(ADDRESS));
	assert_null(column_find(LIST, "slot", 4));
	assert_null(column_find(LIST, "", 0));
	assert_null(column_find(LIST, "waker slots", 11));
	struct strbuf sb = STRBUF_INIT;
	column_heading(&sb, C(WAITING));
	assert_string_equal(sb.text, "WAITING ON");
	strbuf_reset(&sb);
	column_names(&sb, LIST, USE_SHOW);
	assert_string_equal(sb.text, "ref, id, state, awaiting, waiting_on, future, holds, address");
	strbuf_reset(&sb);
	column_names(&sb, LIST, USE_GROUP);
	assert_string_equal(sb.text, "id, state, awaiting, waiting_on, future, holds, address, handle");
	strbuf_release(&sb);
}

static void test_lines(void **state)
{
	(void)state;
	const struct cell cells[] = {
		[REF] = CELL_TEXT("task/5"),
		[ID] = CELL_TEXT("5"),
		[STATE] = CELL_TEXT("idle"),
		[AWAITING] = CELL_TEXT(NULL),
		[WAITING] = { "timer\t1", "{\"kind\":\"timer\"}", "timer" },
		[FUTURE] = CELL_TEXT("a\\b"),
		[HOLDS] = CELL_TEXT("0"),
		[ADDRESS] = CELL_TEXT("0x55d0c8"),
		[HANDLE] = CELL_TEXT("0x1"),
	};
	const struct column *const chosen[] = { C(REF), C(AWAITING), C(WAITING), C(FUTURE) };
	struct strbuf sb = STRBUF_INIT;
	tsv_header(&sb, chosen, 4);
	tsv_row(&sb, LIST, chosen, 4, cells);
	json_row(&sb, LIST, cells);
	assert_string_equal(sb.text, "ref\tawaiting\twaiting_on\tfuture\n"
	                             "task/5\t\ttimer\\t1\ta\\\\b\n"
	                             "{\"ref\":\"task/5\",\"id\":5,\"state\":\"idle\",\"awaiting\":null,"
	                             "\"waiting_on\":{\"kind\":\"timer\"},\"future\":\"a\\\\b\",\"holds\":0,"
	                             "\"address\":\"0x55d0c8\"}\n");
	strbuf_reset(&sb);
	struct json j = json_into(&sb);
	json_array(&j);
	json_typed(&j, C(ID), "007");
	json_typed(&j, C(ID), "?");
	json_typed(&j, C(HOLDS), "9007199254740993");
	json_typed(&j, C(HOLDS), "18446744073709551616");
	json_typed(&j, C(STATE), "5");
	json_array_end(&j);
	assert_string_equal(sb.text, "[\"007\",\"?\",\"9007199254740993\",\"18446744073709551616\",\"5\"]");
	strbuf_release(&sb);
}

static void test_block(void **state)
{
	(void)state;
	struct sink s;
	sink_open(&s);
	struct block b = block_into(&s.out);
	block_heading(&b, "task %d", 7);
	block_field(&b, 1, "state", "running");
	block_field(&b, 1, "spawned at", NULL);
	block_fieldf(&b, 1, "held futures", "%u", 1u);
	block_heading(&b, "task %d", 8);
	block_field(&b, 1, "route", "");
	block_line(&b, 2, "0x11216088 shop::\033Conn");
	sink_expect(&s, "task 7\n"
	                "    state: running\n"
	                "    held futures: 1\n"
	                "\n"
	                "task 8\n"
	                "    route:\n"
	                "        0x11216088 shop::\\u{1b}Conn\n");
}

static void test_out_errors(void **state)
{
	(void)state;
	struct out out;
	int ends[2], status = 3;
	assert_int_equal(pipe(ends), 0);
	close(ends[0]);
	out_init(&out, "hansei-tasks", fdopen(ends[1], "w"));
	out_text(&out, "lost\n");
	out_flush(&out);
	assert_true(out_failed(&out));
	assert_int_equal(out.error, EPIPE);
	out_text(&out, "more\n");
	assert_null(out_close(&out, &status));
	assert_int_equal(status, 0);

	FILE *full = fopen("/dev/full", "w");
	if (full == NULL)
		skip();
	status = 0;
	out_init(&out, "hansei-tasks", full);
	out_text(&out, "lost\n"); /* noticed when closing only */
	assert_false(out_failed(&out));
	struct error *err = out_close(&out, &status);
	assert_non_null(err);
	assert_int_equal(status, 1);
	assert_int_equal(error_code(err), ERROR_IO);
	assert_string_equal(error_message(err), "standard output: No space left on device");
	error_free(err);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table),       cmocka_unit_test(test_table_alignment),
		cmocka_unit_test(test_table_unicode), cmocka_unit_test(test_table_empty),
		cmocka_unit_test(test_table_cut),   cmocka_unit_test(test_table_fit),
		cmocka_unit_test(test_table_colour), cmocka_unit_test(test_text),
		cmocka_unit_test(test_json),        cmocka_unit_test(test_columns),
		cmocka_unit_test(test_lines),       cmocka_unit_test(test_block),
		cmocka_unit_test(test_out_errors),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
