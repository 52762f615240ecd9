/* Tests of lib/cli. Expected texts follow notes/commands.md 4, notes/records.md and the description's samples. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/strbuf.h"
#include "cli/common.h"
#include "cli/filter.h"
#include "cli/listing.h"
#include "cli/options.h"
#include "cli/refs.h"
#include "cli/status.h"
#include "out/column.h"

#define DASH "\xe2\x80\x94"
#define DOTS "\xe2\x80\xa6"

static const struct column COLUMNS[] = {
	{ "ref", COL_REF, COL_TSV, 0, NULL, NULL, NULL, "reference" },
	{ "id", COL_ID, COL_SHOWN, 0, NULL, NULL, NULL, "task id" },
	{ "state", COL_WORD, COL_SHOWN, 0, NULL, NULL, NULL, "idle, running, ..." },
	{ "runtime", COL_WORD, 0, FILTER_EXACT, "RT", "rt", "handle", "its owner" },
	{ "waiting_on", COL_TEXT, COL_SHOWN | COL_CUT, 0, NULL, "waker slots", NULL, "what for" },
	{ "future", COL_NAME, COL_SHOWN | COL_CUT, 0, NULL, NULL, NULL, "folded name" },
	{ "type", COL_NAME, COL_CUT | COL_KEY, 0, NULL, NULL, "future", "full type name" },
	{ "holds", COL_COUNT, COL_RIGHT, 0, NULL, NULL, NULL, "futures held" },
	{ "handle", COL_ADDRESS, COL_HIDDEN, 0, NULL, NULL, NULL, "handle of the runtime" },
};
enum { COLUMN_COUNT = sizeof COLUMNS / sizeof COLUMNS[0] };

static const struct listing_kind TASKS = { "task", "tasks", "id", COLUMN_LIST(COLUMNS) };

static const struct cell ROWS[][COLUMN_COUNT] = {
	{ { "task/5", NULL, NULL },
	  { "5", NULL, NULL },
	  { "idle", NULL, NULL },
	  { "0", "\"runtime/0\"", NULL },
	  { "timer (deadline 7.500s)", "{\"kind\":\"timer\"}", "timer" },
	  { "async fn shop::dispatcher", NULL, NULL },
	  { "shop::dispatcher::{async_fn_env#0}<u64>", NULL, "T12" },
	  { "0", NULL, NULL },
	  { "0x55d0", NULL, NULL } },
	{ { "task/6", NULL, NULL },
	  { "6", NULL, NULL },
	  { "idle", NULL, NULL },
	  { "1", "\"runtime/1\"", NULL },
	  { "timer (deadline 9.000s)", "{\"kind\":\"timer\"}", "timer" },
	  { "async fn shop::worker", NULL, NULL },
	  { "shop::worker::{async_fn_env#0}", NULL, "T13" },
	  { "2", NULL, NULL },
	  { "0x66d0", NULL, NULL } },
	{ { "task/11", NULL, NULL },
	  { "11", NULL, NULL },
	  { "running", NULL, NULL },
	  { "1", "\"runtime/1\"", NULL },
	  { NULL, NULL, NULL },
	  { "async fn shop::worker", NULL, NULL },
	  { "shop::worker::{async_fn_env#0}", NULL, "T14" }, /* another type of the same name */
	  { "10", NULL, NULL },
	  { "0x66d0", NULL, NULL } },
};
enum { ROW_COUNT = sizeof ROWS / sizeof ROWS[0] };

static const struct option OWN[] = {
	{ "native", 'n', NULL, NULL, "the native stack too" },
	{ "near", 0, "A", NULL, "something" },
};
static const struct option_set OWN_SET = OPTION_SET("Tasks", OWN);
static const struct option_set *const SETS[] = { &OWN_SET, &OPTIONS_LISTING, &OPTIONS_COMMON, NULL };
static const struct program PROGRAM = { "hansei-tasks", "[REFERENCE]" DOTS, "Lists tasks.", SETS, &TASKS };

enum { WORDS = 32 };

/* Parses "a b c" split at spaces; `_` stands for an empty word, `~` in a word for a space. */
struct command {
	struct arena arena;
	struct options options;
	char *words[WORDS + 1];
};

static struct error *command_parse(struct command *c, const struct program *program, const char *line)
{
	*c = (struct command){ .arena = ARENA_INIT };
	int count = 0;
	c->words[count++] = arena_strdup(&c->arena, program->name);
	char *text = arena_strdup(&c->arena, line), *rest = NULL;
	for (char *word = strtok_r(text, " ", &rest); word != NULL; word = strtok_r(NULL, " ", &rest)) {
		assert_true(count < WORDS);
		for (char *at = word; *at != '\0'; at++)
			*at = *at == '~' ? ' ' : *at;
		c->words[count++] = strcmp(word, "_") == 0 ? word + 1 : word;
	}
	return options_parse(&c->options, program, &c->arena, count, c->words);
}

static void expect_error(struct error *err, enum error_code code, const char *message)
{
	assert_non_null(err);
	assert_string_equal(error_message(err), message);
	assert_int_equal(error_code(err), code);
	error_free(err);
}

static void expect_usage(const char *line, const char *message)
{
	struct command c;
	expect_error(command_parse(&c, &PROGRAM, line), ERROR_USAGE, message);
	arena_release(&c.arena);
}

static void test_options(void **state)
{
	(void)state;
	struct command c;
	assert_null(command_parse(&c, &PROGRAM, "5 -nfl5 --with=type a,b --core x - -w id 7 --lim 9 --no-h -- -n --"));
	assert_true(options_given(&c.options, "native"));
	assert_true(options_given(&c.options, "force"));
	assert_true(options_given(&c.options, "no-header"));
	assert_false(options_given(&c.options, "no-cache"));
	assert_string_equal(options_value(&c.options, "limit"), "9"); /* the last one counts */
	assert_string_equal(options_value(&c.options, "core"), "x");
	assert_null(options_value(&c.options, "columns"));
	const struct option_use *use = options_next(&c.options, "with", NULL);
	assert_string_equal(use->values[0], "type");
	assert_string_equal(use->values[1], "a,b");
	use = options_next(&c.options, "with", use);
	assert_string_equal(use->values[0], "id");
	assert_string_equal(use->values[1], "7");
	assert_null(options_next(&c.options, "with", use));
	assert_int_equal(c.options.operand_count, 4);
	assert_string_equal(c.options.operands[0], "5");
	assert_string_equal(c.options.operands[1], "-");
	assert_string_equal(c.options.operands[2], "-n");
	assert_string_equal(c.options.operands[3], "--");
	uint64_t limit = 0;
	assert_null(options_number(&c.options, "limit", &limit));
	assert_int_equal(limit, 9);
	arena_release(&c.arena);
	assert_null(command_parse(&c, &PROGRAM, "--version --nonsense")); /* the rest is not looked at */
	assert_true(options_given(&c.options, "version"));
	arena_release(&c.arena);
}

static void test_options_wrong(void **state)
{
	(void)state;
	struct command c;
	expect_usage("--nonsense", "--nonsense: no such option");
	expect_usage("--=3", "--: no such option");
	expect_usage("-x", "-x: no such option");
	expect_usage("-nx", "-x: no such option");
	expect_usage("-\xc3\xa9", "-\xc3\xa9: no such option");
	expect_usage("--no", "--no: could be --no-header or --no-cache");
	expect_usage("--co", "--co: could be --columns or --core");
	expect_usage("--ne", "--near: needs a value: A");
	expect_usage("--core", "--core: needs a value: FILE");
	expect_usage("-nc", "-c: needs a value: FILE");
	expect_usage("-w id", "-w: needs two values: FIELD VALUE");
	expect_usage("--with=id", "--with: needs two values: FIELD VALUE");
	expect_usage("--force=3", "--force: takes no value");
	static const struct program plain = { "hansei-census", NULL, "Counts.", SETS, NULL };
	expect_error(command_parse(&c, &plain, "x"), ERROR_USAGE, "'x': no operand is expected");
	arena_release(&c.arena);
	uint64_t limit = 7;
	assert_null(command_parse(&c, &PROGRAM, "-l x"));
	expect_error(options_number(&c.options, "limit", &limit), ERROR_USAGE, "--limit: 'x' is not a number");
	arena_release(&c.arena);
	assert_null(command_parse(&c, &PROGRAM, "-l18446744073709551616"));
	expect_error(options_number(&c.options, "limit", &limit), ERROR_USAGE, "--limit: '18446744073709551616' is too large");
	arena_release(&c.arena);
	assert_null(command_parse(&c, &PROGRAM, "-l -1"));
	expect_error(options_number(&c.options, "limit", &limit), ERROR_USAGE, "--limit: '-1' is not a number");
	assert_int_equal(limit, 7);
	arena_release(&c.arena);
}

static void clear_environment(void)
{
	static const char *const names[] = { "HANSEI_CORE", "HANSEI_TINFO", "HANSEI_DEBUG_INFO", "HANSEI_BINARY",
		                             "HANSEI_FORMAT" };
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		unsetenv(names[i]);
}

static struct error *read_common(const char *line, struct common *common, struct command *c)
{
	assert_null(command_parse(c, &PROGRAM, line));
	return common_read(&c->options, common);
}

static void test_common(void **state)
{
	(void)state;
	struct command c;
	struct common common;
	clear_environment();
	assert_null(read_common("-c core.1 -t a.tinfo -b app -f --no-cache -o json", &common, &c));
	assert_string_equal(common.core, "core.1");
	assert_string_equal(common.tokio_info, "a.tinfo");
	assert_string_equal(common.binary, "app");
	assert_null(common.debug_info);
	assert_true(common.force);
	assert_true(common.no_cache);
	assert_int_equal(common.format, FORMAT_JSON);
	arena_release(&c.arena);
	expect_error(read_common("5", &common, &c), ERROR_USAGE, "no core: give --core FILE or set HANSEI_CORE");
	arena_release(&c.arena);
	expect_error(read_common("-c x -o xml", &common, &c), ERROR_USAGE, "--format: 'xml' is not table, tsv or json");
	arena_release(&c.arena);
	expect_error(read_common("-c x -t a -d b", &common, &c), ERROR_USAGE,
	             "--tokio-info and --debug-info exclude each other: layouts come from one of them");
	arena_release(&c.arena);

	setenv("HANSEI_CORE", "core.env", 1);
	setenv("HANSEI_TINFO", "env.tinfo", 1);
	setenv("HANSEI_BINARY", "", 1); /* empty is unset */
	setenv("HANSEI_FORMAT", "tsv", 1);
	assert_null(read_common("-d app.dbg", &common, &c));
	assert_string_equal(common.core, "core.env");
	assert_string_equal(common.debug_info, "app.dbg");
	assert_null(common.tokio_info); /* the command line is preferred */
	assert_null(common.binary);
	assert_int_equal(common.format, FORMAT_TSV);
	arena_release(&c.arena);
	setenv("HANSEI_FORMAT", "text", 1);
	expect_error(read_common("", &common, &c), ERROR_USAGE, "HANSEI_FORMAT: 'text' is not table, tsv or json");
	arena_release(&c.arena);
	clear_environment();
}

/* Output and messages in memory. */
struct sink {
	struct out out;
	char *text, *said;
	size_t length, said_length;
};

static void sink_open(struct sink *s)
{
	*s = (struct sink){ .text = NULL };
	out_init(&s->out, "hansei-tasks", open_memstream(&s->text, &s->length));
	s->out.messages = open_memstream(&s->said, &s->said_length);
}

static void sink_expect(struct sink *s, const char *text, const char *said)
{
	assert_int_equal(out_shut(&s->out, 3), 3);
	fclose(s->out.messages);
	assert_string_equal(s->text, text);
	assert_string_equal(s->said, said);
	free(s->text);
	free(s->said);
}

static void test_help(void **state)
{
	(void)state;
	struct command c;
	struct sink s;
	sink_open(&s);
	assert_null(command_parse(&c, &PROGRAM, "-h"));
	assert_true(options_answered(&c.options, &s.out));
	fflush(s.out.file);
	static const char *const lines[] = {
		"usage: hansei-tasks [OPTION]" DOTS " [REFERENCE]" DOTS "\nLists tasks.\n\nTasks:\n",
		"\n  -n, --native                the native stack too\n",
		"\n      --near A                something\n",
		"\nListing:\n  -w, --with FIELD VALUE      only rows",
		"\n  -o, --format FORMAT         table, tsv or json [HANSEI_FORMAT]\n",
		"\nOther:\n  -h, --help                  print this text\n",
		"\n  * id                        task id (exact)\n",
		"\n    runtime, rt               its owner (exact)\n",
		"\n  * waiting_on, waker, slots  what for\n",
		"\n    holds                     futures held (>N, <N, =N)\n",
	};
	for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
		if (strstr(s.text, lines[i]) == NULL)
			fail_msg("not in --help: %s\n%s", lines[i], s.text);
	arena_release(&c.arena);
	out_shut(&s.out, 0);
	fclose(s.out.messages);
	free(s.text);
	free(s.said);
	sink_open(&s);
	assert_null(command_parse(&c, &PROGRAM, "-V"));
	assert_true(options_answered(&c.options, &s.out));
	arena_release(&c.arena);
	sink_expect(&s, "hansei-tasks " HANSEI_VERSION "\n", "");
	sink_open(&s);
	assert_null(command_parse(&c, &PROGRAM, "5"));
	assert_false(options_answered(&c.options, &s.out));
	arena_release(&c.arena);
	sink_expect(&s, "", "");
}

/* Whether each row passes: "101" for the first and the third. */
static void expect_filter(bool keep, const char *field, const char *value, const char *passed)
{
	struct filters f = filters_over(TASKS.columns);
	char result[ROW_COUNT + 1] = "";
	assert_null(filters_add(&f, keep, field, value));
	for (size_t i = 0; i < ROW_COUNT; i++)
		result[i] = filters_match(&f, ROWS[i]) ? '1' : '0';
	if (strcmp(result, passed) != 0)
		fail_msg("%s %s %s: %s, not %s", keep ? "with" : "without", field, value, result, passed);
	filters_release(&f);
}

static void test_filter(void **state)
{
	(void)state;
	expect_filter(true, "state", "RUN", "001");
	expect_filter(true, "state", "run,idle", "111");
	expect_filter(false, "state", "^idle$", "001");
	expect_filter(true, "state", "e$|g$", "111");
	expect_filter(true, "state", "a\\,b,run", "001");        /* \, is a comma and splits nothing */
	expect_filter(true, "future", "shop\\.worker", "000");   /* other backslashes are the expression's */
	expect_filter(true, "future", "shop..worker", "011");
	expect_filter(true, "id", "5", "100");                   /* exact: 5 does not match 15 or 55 */
	expect_filter(true, "id", "1", "000");
	expect_filter(true, "id", "11,5", "101");
	expect_filter(false, "id", "11,5", "010");
	expect_filter(true, "ref", "task/6", "010");
	expect_filter(true, "holds", ">0", "011");
	expect_filter(true, "holds", "<10", "110");
	expect_filter(true, "holds", "=0,=10", "101");
	expect_filter(true, "waiting-on", "deadline", "110");
	expect_filter(true, "slots", "^timer$", "110");          /* by kind, as --group shows it */
	expect_filter(true, "waiting_on", ".", "110");           /* nothing there matches nothing */
	expect_filter(false, "waiting_on", ".", "001");
	expect_filter(true, "type", "dispatcher::{async_fn_env#0}<", "100"); /* the full name */
	expect_filter(true, "type", "^async fn", "111");         /* or the folded one */
	expect_filter(true, "type", "T12", "000");               /* keys are no text */
	expect_filter(true, "type", "o{2}|{async", "111");       /* { is only a repetition before a digit */
	expect_filter(true, "type", "[{]async[]_]fn", "111");
	expect_filter(true, "rt", "1", "011");
	expect_filter(true, "rt", "runtime/0", "100");
	expect_filter(true, "rt", "0x066D0", "011");             /* the handle, as a number */
	expect_filter(true, "rt", "@0x55d0", "100");
	expect_filter(true, "handle", "0x55d", "000");

	struct filters f = filters_over(TASKS.columns); /* all of them */
	assert_null(filters_add(&f, true, "state", "idle"));
	assert_null(filters_add(&f, false, "id", "5"));
	assert_false(filters_match(&f, ROWS[0]));
	assert_true(filters_match(&f, ROWS[1]));
	assert_false(filters_match(&f, ROWS[2]));
	assert_true(filters_need(&f, &COLUMNS[1]));
	assert_false(filters_need(&f, &COLUMNS[5]));
	assert_null(filters_add(&f, true, "type", "x"));
	assert_true(filters_need(&f, &COLUMNS[5]));
	filters_release(&f);
}

static void expect_bad_filter(const char *field, const char *value, const char *message)
{
	struct filters f = filters_over(TASKS.columns);
	expect_error(filters_add(&f, true, field, value), ERROR_USAGE, message);
	filters_release(&f);
}

static void test_filter_wrong(void **state)
{
	(void)state;
	expect_bad_filter("colour", "x",
	                  "no field 'colour'; fields: ref, id, state, runtime, waiting_on, future, type, holds, handle");
	expect_bad_filter("state", "", "state: the value is empty");
	expect_bad_filter("state", "a,,b", "state: an alternative is empty in 'a,,b'");
	expect_bad_filter("state", "a,", "state: an alternative is empty in 'a,'");
	expect_bad_filter("state", ",", "state: an alternative is empty in ','");
	expect_bad_filter("holds", "3", "holds: '3' is not >N, <N or =N, as in '>0'");
	expect_bad_filter("holds", ">", "holds: '>' is not >N, <N or =N, as in '>0'");
	expect_bad_filter("holds", ">=3", "holds: '>=3' is not >N, <N or =N, as in '>0'");
	expect_bad_filter("holds", "=1,x", "holds: 'x' is not >N, <N or =N, as in '>0'");
	struct filters f = filters_over(TASKS.columns);
	struct error *err = filters_add(&f, true, "state", "idle,(");
	assert_non_null(err); /* the reason is the C library's */
	assert_memory_equal(error_message(err), "state: '(' is no regular expression: ", 37);
	error_free(err);
	assert_int_equal(f.count, 0);
	filters_release(&f);
}

static void push(struct listing *l)
{
	for (size_t i = 0; i < ROW_COUNT; i++)
		assert_true(listing_row(l, ROWS[i]));
	listing_close(l);
}

static void expect_listing(enum format format, const char *line, const char *text, const char *said)
{
	struct command c;
	struct sink s;
	struct listing *l;
	sink_open(&s);
	assert_null(command_parse(&c, &PROGRAM, line));
	assert_null(listing_open(&l, &TASKS, &c.options, &s.out, format));
	push(l);
	arena_release(&c.arena);
	sink_expect(&s, text, said);
}

#define W "waiting_on"
#define HEADER "ref\tid\tstate\t" W "\tfuture\n"
#define TSV5 "task/5\t5\tidle\ttimer (deadline 7.500s)\tasync fn shop::dispatcher\n"
#define TSV6 "task/6\t6\tidle\ttimer (deadline 9.000s)\tasync fn shop::worker\n"
#define TSV11 "task/11\t11\trunning\t\tasync fn shop::worker\n"

static void test_listing_table(void **state)
{
	(void)state;
	expect_listing(FORMAT_TABLE, "",
	               "ID  STATE    WAITING ON               FUTURE\n"
	               "5   idle     timer (deadline 7.500s)  async fn shop::dispatcher\n"
	               "6   idle     timer (deadline 9.000s)  async fn shop::worker\n"
	               "11  running  " DASH "                        async fn shop::worker\n"
	               "[3 tasks]\n",
	               "");
	expect_listing(FORMAT_TABLE, "-w type dispatcher --columns future,ref,id,id",
	               "FUTURE                     REF     ID\n"
	               "async fn shop::dispatcher  task/5  5\n"
	               "[1 task]\n",
	               "");
	expect_listing(FORMAT_TABLE, "-l 1 --columns id,holds",
	               "ID  HOLDS\n"
	               "5       0\n"
	               "[3 tasks, 1 shown]\n",
	               "");
	expect_listing(FORMAT_TABLE, "--limit 0", "[3 tasks, 0 shown]\n", "");
	expect_listing(FORMAT_TABLE, "-w state nothing", "[0 tasks]\n", "");
}

static void test_listing_lines(void **state)
{
	(void)state;
	expect_listing(FORMAT_DEFAULT, "", HEADER TSV5 TSV6 TSV11, ""); /* no terminal: TSV */
	expect_listing(FORMAT_TSV, "--no-header -W id 6", TSV5 TSV11, "");
	expect_listing(FORMAT_TSV, "--columns state,ref,holds", /* ref is first whatever was asked for */
	               "ref\tstate\tholds\ntask/5\tidle\t0\ntask/6\tidle\t2\ntask/11\trunning\t10\n", "");
	expect_listing(FORMAT_TSV, "--limit 2", HEADER TSV5 TSV6, "hansei-tasks: 2 of 3 tasks shown (--limit)\n");
	expect_listing(FORMAT_TSV, "--limit 3", HEADER TSV5 TSV6 TSV11, "");
	expect_listing(FORMAT_TSV, "-l0", HEADER, "hansei-tasks: 0 of 3 tasks shown (--limit)\n");
	expect_listing(FORMAT_TSV, "-w state nothing", HEADER, "");
	expect_listing(FORMAT_JSON, "-w id 11 --columns id", /* all fields, but not the hidden one */
	               "{\"ref\":\"task/11\",\"id\":11,\"state\":\"running\",\"runtime\":\"runtime/1\",\"waiting_on\":null,"
	               "\"future\":\"async fn shop::worker\",\"type\":\"shop::worker::{async_fn_env#0}\",\"holds\":10}\n",
	               "");
	expect_listing(FORMAT_JSON, "-w state nothing", "", "");
}

static void test_listing_group(void **state)
{
	(void)state;
	expect_listing(FORMAT_TABLE, "-g state",
	               "COUNT  STATE    TASKS\n"
	               "    2  idle     5, 6\n"
	               "    1  running  11\n"
	               "[2 groups]\n",
	               "");
	expect_listing(FORMAT_TABLE, "-g waiting-on", /* by kind */
	               "COUNT  WAITING ON  TASKS\n"
	               "    2  timer       5, 6\n"
	               "    1  <empty>     11\n"
	               "[2 groups]\n",
	               "");
	expect_listing(FORMAT_TABLE, "-g holds", /* ties by number */
	               "COUNT  HOLDS  TASKS\n"
	               "    1      0  5\n"
	               "    1      2  6\n"
	               "    1     10  11\n"
	               "[3 groups]\n",
	               "");
	expect_listing(FORMAT_TABLE, "-g type -w id 6,11", /* same-named types stay apart */
	               "COUNT  TYPE                            TASKS\n"
	               "    1  shop::worker::{async_fn_env#0}  6\n"
	               "    1  shop::worker::{async_fn_env#0}  11\n"
	               "[2 groups]\n",
	               "");
	expect_listing(FORMAT_TABLE, "-g state -l 1", "COUNT  STATE  TASKS\n    2  idle   5, 6\n[2 groups, 1 shown]\n", "");
	expect_listing(FORMAT_TABLE, "-g state -l 0", "[2 groups, 0 shown]\n", "");
	expect_listing(FORMAT_TABLE, "-g state -w id 999", "[0 groups]\n", "");
	expect_listing(FORMAT_TSV, "-g waiting_on", "waiting_on\tcount\tsample\ntimer\t2\ttask/5,task/6\n\t1\ttask/11\n", "");
	expect_listing(FORMAT_TSV, "-g state --no-header -l1", "idle\t2\ttask/5,task/6\n",
	               "hansei-tasks: 1 of 2 groups shown (--limit)\n");
	expect_listing(FORMAT_JSON, "-g waiting_on",
	               "{\"waiting_on\":\"timer\",\"count\":2,\"sample\":[\"task/5\",\"task/6\"]}\n"
	               "{\"waiting_on\":null,\"count\":1,\"sample\":[\"task/11\"]}\n",
	               "");
	expect_listing(FORMAT_JSON, "-g rt",
	               "{\"runtime\":\"runtime/1\",\"count\":2,\"sample\":[\"task/6\",\"task/11\"]}\n"
	               "{\"runtime\":\"runtime/0\",\"count\":1,\"sample\":[\"task/5\"]}\n",
	               "");
	expect_listing(FORMAT_JSON, "-g holds -w id 11", "{\"holds\":10,\"count\":1,\"sample\":[\"task/11\"]}\n", "");
}

/* The description's sample: 22499 tasks by state. */
static void test_listing_sample(void **state)
{
	(void)state;
	struct command c;
	struct sink s;
	struct listing *l;
	sink_open(&s);
	assert_null(command_parse(&c, &PROGRAM, "--group state"));
	assert_null(listing_open(&l, &TASKS, &c.options, &s.out, FORMAT_TABLE));
	for (unsigned id = 129; id < 129 + 22499; id++) {
		struct cell cells[COLUMN_COUNT] = { { NULL, NULL, NULL } };
		char text[16];
		snprintf(text, sizeof text, "%u", id);
		bool running = id == 2436 || id == 2439 || id == 2445;
		cells[1] = CELL_TEXT(text);
		cells[2] = CELL_TEXT(id == 765 ? "blocking" : running ? "running" : "idle");
		listing_row(l, cells);
	}
	listing_close(l);
	arena_release(&c.arena);
	sink_expect(&s,
	            "COUNT  STATE     TASKS\n"
	            "22495  idle      129, 130, 131, " DOTS "\n"
	            "    3  running   2436, 2439, 2445\n"
	            "    1  blocking  765\n"
	            "[3 groups]\n",
	            "");
}

static void expect_bad_listing(const char *line, const char *message)
{
	struct command c;
	struct sink s;
	struct listing *l;
	sink_open(&s);
	assert_null(command_parse(&c, &PROGRAM, line));
	expect_error(listing_open(&l, &TASKS, &c.options, &s.out, FORMAT_TABLE), ERROR_USAGE, message);
	assert_null(l);
	arena_release(&c.arena);
	sink_expect(&s, "", "");
}

static void test_listing_wrong(void **state)
{
	(void)state;
	expect_bad_listing("-w foo x",
	                   "--with: no field 'foo'; fields: ref, id, state, runtime, waiting_on, future, type, holds, handle");
	expect_bad_listing("-W state _", "--without: state: the value is empty");
	expect_bad_listing("-W holds 3", "--without: holds: '3' is not >N, <N or =N, as in '>0'");
	expect_bad_listing("-g ref", "--group: no field 'ref'; fields: id, state, runtime, waiting_on, future, type, holds, handle");
	expect_bad_listing("--columns id,,state",
	                   "--columns: no field ''; fields: ref, id, state, runtime, waiting_on, future, type, holds");
	expect_bad_listing("--columns handle",
	                   "--columns: no field 'handle'; fields: ref, id, state, runtime, waiting_on, future, type, holds");
	expect_bad_listing("--columns id -g state", "--columns: groups have columns of their own; leave it out or --group");
	expect_bad_listing("-l five", "--limit: 'five' is not a number");
}

static void test_listing_needs(void **state)
{
	(void)state;
	struct command c;
	struct sink s;
	struct listing *l;
	sink_open(&s);
	assert_null(command_parse(&c, &PROGRAM, "-l 1"));
	assert_null(listing_open(&l, &TASKS, &c.options, &s.out, FORMAT_TABLE));
	assert_true(listing_needs(l, "future"));
	assert_false(listing_needs(l, "runtime"));
	listing_show(l, "rt");
	assert_true(listing_needs(l, "runtime"));
	assert_false(listing_needs(l, "type"));
	assert_true(listing_wants(l));
	listing_row(l, ROWS[0]);
	assert_false(listing_wants(l));
	listing_row(l, NULL);
	listing_close(l);
	arena_release(&c.arena);
	assert_null(command_parse(&c, &PROGRAM, "-g state -w type x -l 0"));
	assert_null(listing_open(&l, &TASKS, &c.options, &s.out, FORMAT_JSON));
	assert_true(listing_needs(l, "id"));
	assert_true(listing_needs(l, "future")); /* a filter on type looks at it */
	assert_false(listing_needs(l, "waiting_on"));
	assert_true(listing_wants(l));
	listing_free(l);
	arena_release(&c.arena);
	sink_expect(&s,
	            "ID  STATE  RT  WAITING ON               FUTURE\n"
	            "5   idle   0   timer (deadline 7.500s)  async fn shop::dispatcher\n"
	            "[2 tasks, 1 shown]\n",
	            "");
}

static void expect_ref(const char *text, const char *full, enum ref_kind kind)
{
	struct ref ref;
	struct strbuf sb = STRBUF_INIT;
	assert_null(ref_parse(text, &ref));
	assert_int_equal(ref.kind, kind);
	ref_format(&sb, &ref);
	assert_string_equal(sb.text, full);
	strbuf_release(&sb);
}

static void test_ref(void **state)
{
	(void)state;
	expect_ref("5", "task/5", REF_TASK);
	expect_ref("task/5", "task/5", REF_TASK);
	expect_ref("task/0x55d0C8", "task/0x55d0c8", REF_TASK);
	expect_ref("0x55d0c8", "0x55d0c8", REF_ADDRESS);
	expect_ref("future/0x55d0c8", "future/0x55d0c8", REF_FUTURE);
	expect_ref("thread/2040415", "thread/2040415", REF_THREAD);
	expect_ref("conn/0x11216010", "conn/0x11216010", REF_CONN);
	expect_ref("stream/0x11216010.3", "stream/0x11216010.3", REF_STREAM);
	expect_ref("runtime/0", "runtime/0", REF_RUNTIME);
	expect_ref("runtime/0x5629d639a9a0", "runtime/0x5629d639a9a0", REF_RUNTIME);
	expect_ref("localset/0x10", "localset/0x10", REF_LOCALSET);
	expect_ref("mutex/0x10", "mutex/0x10", REF_RESOURCE);
	expect_ref("barrier/0x10", "barrier/0x10", REF_RESOURCE);
	expect_ref("frame/5.2", "frame/5.2", REF_FRAME);
	expect_ref("frame/0x55d0c8.2", "frame/0x55d0c8.2", REF_FRAME);
	expect_ref("frame/5.0:1.3", "frame/5.0:1.3", REF_FRAME);
	expect_ref("frame/5.0:1.3:0.0", "frame/5.0:1.3:0.0", REF_FRAME);
	struct ref ref;
	assert_null(ref_parse("frame/0x1f.4:1.3", &ref));
	assert_true(ref.by_address);
	assert_int_equal(ref.address, 0x1f);
	assert_int_equal(ref.frame, 4);
	assert_int_equal(ref.branch_count, 1);
	assert_int_equal(ref.branches[0].branch, 1);
	assert_int_equal(ref.branches[0].frame, 3);
	assert_null(ref_parse("stream/0xff.7", &ref));
	assert_int_equal(ref.address, 0xff);
	assert_int_equal(ref.id, 7);
	assert_null(ref_parse("watch/0xffffffffffffffff", &ref));
	assert_int_equal(ref.address, UINT64_MAX);
	assert_string_equal(ref.word, "watch");
	assert_string_equal(ref.text, "watch/0xffffffffffffffff");
}

static void expect_bad_ref(const char *text, const char *message)
{
	struct ref ref;
	expect_error(ref_parse(text, &ref), ERROR_USAGE, message);
}

#define FRAME_HELP \
	"is no reference: expected frame/TASK.N, as in frame/5.2, or frame/ADDRESS.N, as in frame/0x55d0c8.2; " \
	":B.I behind it for a branch"
#define BARE_HELP \
	"is no reference: expected KIND/KEY as in task/5, a task id as in 5, or an address as in 0x55d0c8"

static void test_ref_wrong(void **state)
{
	(void)state;
	expect_bad_ref("", "'' " BARE_HELP);
	expect_bad_ref("dispatcher", "'dispatcher' " BARE_HELP);
	expect_bad_ref("55d0c8", "'55d0c8' " BARE_HELP);
	expect_bad_ref("0x", "'0x' " BARE_HELP);
	expect_bad_ref("-5", "'-5' " BARE_HELP);
	expect_bad_ref("5.2", "'5.2' " BARE_HELP);
	expect_bad_ref("18446744073709551616", "'18446744073709551616' " BARE_HELP);
	expect_bad_ref("tsk/5", "'tsk/5' is no reference: nothing is called 'tsk'; expected KIND/KEY as in task/5");
	expect_bad_ref("/5", "'/5' is no reference: nothing is called ''; expected KIND/KEY as in task/5");
	expect_bad_ref("task/", "'task/' is no reference: expected task/ID, as in task/5, or task/ADDRESS");
	expect_bad_ref("task/5x", "'task/5x' is no reference: expected task/ID, as in task/5, or task/ADDRESS");
	expect_bad_ref("future/5", "'future/5' is no reference: expected future/ADDRESS, as in future/0x55d0c8");
	expect_bad_ref("thread/0x5", "'thread/0x5' is no reference: expected thread/LWP, as in thread/2040415");
	expect_bad_ref("conn/1", "'conn/1' is no reference: expected conn/ADDRESS, as in conn/0x11216010");
	expect_bad_ref("stream/0x1", "'stream/0x1' is no reference: expected stream/ADDRESS.ID, as in stream/0x11216010.3");
	expect_bad_ref("mutex/3", "'mutex/3' is no reference: expected mutex/ADDRESS, as in mutex/0x55d0c8");
	expect_bad_ref("frame/5", "'frame/5' " FRAME_HELP);
	expect_bad_ref("frame/5.", "'frame/5.' " FRAME_HELP);
	expect_bad_ref("frame/5.0:1", "'frame/5.0:1' " FRAME_HELP);
	expect_bad_ref("frame/5.0:", "'frame/5.0:' " FRAME_HELP);
	expect_bad_ref("frame/5.0:1.2:1.2:1.2:1.2:1.2:1.2:1.2:1.2:1.2",
	               "'frame/5.0:1.2:1.2:1.2:1.2:1.2:1.2:1.2:1.2:1.2' " FRAME_HELP);
}

/* All references of an input, or messages for bad ones, one a line. */
static void expect_refs(const char *input, const char *expected)
{
	struct arena arena = ARENA_INIT;
	struct strbuf got = STRBUF_INIT;
	struct ref ref;
	struct error *err;
	FILE *file = fmemopen((void *)(uintptr_t)input, strlen(input), "r");
	struct ref_source source = refs_open(&arena, NULL, 0, file);
	assert_true(refs_given(&source));
	while (refs_next(&source, &ref, &err)) {
		if (err != NULL)
			strbuf_adds(&got, error_message(err));
		else
			ref_format(&got, &ref);
		strbuf_addc(&got, '\n');
		error_free(err);
	}
	assert_string_equal(got.text, expected);
	fclose(file);
	strbuf_release(&got);
	arena_release(&arena);
}

static void test_refs_input(void **state)
{
	(void)state;
	expect_refs("ref\tid\tstate\ntask/5\t5\tidle\n\ntask/6\t6\trunning", "task/5\ntask/6\n");
	expect_refs("ref\n", "");
	expect_refs("task/5\r\n7  idle\n  0x10\n", "task/5\ntask/7\n0x10\n");
	expect_refs("{\"id\":5,\"ref\":\"task/5\"}\n{ \"ref\" : \"frame\\/5.2\" , \"x\":1}\n", "task/5\nframe/5.2\n");
	/* What looks like the member inside other values is not it. */
	expect_refs("{\"waiting_on\":{\"ref\":\"task/1\",\"q\":[{\"ref\":\"}\"},\"]\"]},\"a\":\"\\\"ref\\\":\\\"x\\\"\","
	            "\"\\u0072ef\":\"task\\u002f9\"}\n",
	            "task/9\n");
	expect_refs("task/1\nbad\ntask/2\n", "task/1\nstandard input, line 2: 'bad' " BARE_HELP "\ntask/2\n");
	expect_refs("{\"id\":5}\n{\"ref\":5}\n{\"ref\":\"task/5\n{\"id\":[1\n{\n{\"ref\":\"\\ud800\\q\"}\ntask/3\n",
	            "standard input, line 1: no JSON object with a member \"ref\"\n"
	            "standard input, line 2: no JSON object with a member \"ref\"\n"
	            "standard input, line 3: no JSON object with a member \"ref\"\n"
	            "standard input, line 4: no JSON object with a member \"ref\"\n"
	            "standard input, line 5: no JSON object with a member \"ref\"\n"
	            "standard input, line 6: no JSON object with a member \"ref\"\n"
	            "task/3\n");
}

static void test_refs_source(void **state)
{
	(void)state;
	struct arena arena = ARENA_INIT;
	struct ref ref;
	struct error *err;
	FILE *null = fopen("/dev/null", "r");
	struct ref_source source = refs_open(&arena, NULL, 0, null);
	assert_false(refs_given(&source)); /* a listing program shows everything */
	assert_false(refs_next(&source, &ref, &err));
	source = refs_open(&arena, NULL, 0, NULL);
	assert_false(refs_given(&source));

	char lines[] = "task/8\ntask/9\n";
	FILE *file = fmemopen(lines, strlen(lines), "r");
	const char *const operands[] = { "5", "-", "thread/7", "x" };
	source = refs_open(&arena, operands, 4, file);
	assert_true(refs_given(&source));
	const uint64_t ids[] = { 5, 8, 9, 7 };
	for (size_t i = 0; i < 4; i++) {
		assert_true(refs_next(&source, &ref, &err));
		assert_null(err);
		assert_int_equal(ref.id, ids[i]);
	}
	assert_true(refs_next(&source, &ref, &err));
	expect_error(err, ERROR_USAGE, "'x' " BARE_HELP);
	assert_false(refs_next(&source, &ref, &err));
	fclose(file);
	fclose(null);
	arena_release(&arena);
}

static void test_status(void **state)
{
	(void)state;
	struct sink s;
	sink_open(&s);
	assert_int_equal(status_error(&s.out, error_new(ERROR_USAGE, "--limit: 'x' is not a number")), 2);
	assert_int_equal(status_error(&s.out, error_new(ERROR_DATA, "core.4011: note 3: bad \033[2J")), 1);
	status_warn(&s.out, "task %d is running on lwp %d; its state may be torn", 2439, 124);
	assert_int_equal(status_tally(3, 0), 0);
	assert_int_equal(status_tally(0, 0), 0);
	assert_int_equal(status_tally(0, 2), 1);
	assert_int_equal(status_tally(1, 1), 3);
	sink_expect(&s, "",
	            "hansei-tasks: --limit: 'x' is not a number\n"
	            "try 'hansei-tasks --help'\n"
	            "hansei-tasks: core.4011: note 3: bad \\u{1b}[2J\n"
	            "warning: task 2439 is running on lwp 124; its state may be torn\n");
	FILE *full = fopen("/dev/full", "w");
	if (full == NULL)
		skip();
	char *said = NULL;
	size_t length;
	struct out out;
	out_init(&out, "hansei-tasks", full);
	out.messages = open_memstream(&said, &length);
	out_text(&out, "lost\n");
	assert_int_equal(out_shut(&out, 0), 1);
	fclose(out.messages);
	assert_string_equal(said, "hansei-tasks: standard output: No space left on device\n");
	free(said);
}

/* 100,000 rows: the first is there at once, and all take well under 0.2 s (not asserted under sanitizers). */
static void test_listing_speed(void **state)
{
	(void)state;
	struct command c;
	struct listing *l;
	struct out out;
	FILE *file = tmpfile();
	int fd = dup(fileno(file));
	out_init(&out, "hansei-tasks", file);
	assert_null(command_parse(&c, &PROGRAM, "--columns ref,id,state,runtime,waiting_on,future,type,holds"));
	assert_null(listing_open(&l, &TASKS, &c.options, &out, FORMAT_TSV));
	struct timespec from, to;
	clock_gettime(CLOCK_MONOTONIC, &from);
	for (size_t i = 0; i < 100000; i++) {
		listing_row(l, ROWS[i % ROW_COUNT]);
		if (i == 0)
			assert_true(lseek(fd, 0, SEEK_END) > 100);
	}
	listing_close(l);
	assert_int_equal(out_shut(&out, 0), 0);
	clock_gettime(CLOCK_MONOTONIC, &to);
	close(fd);
	arena_release(&c.arena);
	double seconds = (double)(to.tv_sec - from.tv_sec) + (double)(to.tv_nsec - from.tv_nsec) / 1e9;
	print_message("100000 rows x 8 columns of TSV: %.3f s\n", seconds);
	assert_true(seconds < 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_options),       cmocka_unit_test(test_options_wrong),
		cmocka_unit_test(test_common),        cmocka_unit_test(test_help),
		cmocka_unit_test(test_filter),        cmocka_unit_test(test_filter_wrong),
		cmocka_unit_test(test_listing_table), cmocka_unit_test(test_listing_lines),
		cmocka_unit_test(test_listing_group), cmocka_unit_test(test_listing_sample),
		cmocka_unit_test(test_listing_wrong), cmocka_unit_test(test_listing_needs),
		cmocka_unit_test(test_ref),           cmocka_unit_test(test_ref_wrong),
		cmocka_unit_test(test_refs_input),    cmocka_unit_test(test_refs_source),
		cmocka_unit_test(test_status),        cmocka_unit_test(test_listing_speed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
