/* test_names.c - lib/rust/names.h by the groups of lines in tests/unit/data, by hostile inputs, and by mutations of
 * real names. The real ones are from a program with tokio 1.54.1, rustc 1.95, -C symbol-mangling-version=v0. */
#include "base/strbuf.h"
#include "rust/names.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char DATA[] = "tests/unit/data/";

enum { MAX_LINES = 4 };

struct group {
	char *lines[MAX_LINES];
	size_t count, number; /* number: the line it begins at */
};

struct data {
	FILE *file;
	char *line[MAX_LINES];
	size_t capacity[MAX_LINES];
	size_t number;
	const char *name;
};

static void data_open(struct data *d, const char *name)
{
	char path[256];
	memset(d, 0, sizeof *d);
	d->name = name;
	snprintf(path, sizeof path, "%s%s", DATA, name);
	d->file = fopen(path, "r");
	if (d->file == NULL)
		fail_msg("%s: cannot be opened; run from the top of the tree", path);
}

/* The next lines up to a blank one, without those that begin with "# ". */
static bool data_next(struct data *d, struct group *g)
{
	g->count = 0;
	while (g->count < MAX_LINES) {
		char **line = &d->line[g->count];
		ssize_t length = getline(line, &d->capacity[g->count], d->file);
		if (length < 0)
			break;
		d->number++;
		if (length > 0 && (*line)[length - 1] == '\n')
			(*line)[--length] = '\0';
		if (strncmp(*line, "# ", 2) == 0)
			continue;
		if (length == 0 && g->count != 0)
			break;
		if (length == 0)
			continue;
		if (g->count == 0)
			g->number = d->number;
		g->lines[g->count++] = *line;
	}
	return g->count != 0;
}

static void data_close(struct data *d)
{
	fclose(d->file);
	for (size_t i = 0; i < MAX_LINES; i++)
		free(d->line[i]);
}

static void expect(const struct data *d, const struct group *g, const char *got, const char *wanted)
{
	if (strcmp(got, wanted) != 0)
		fail_msg("%s%s:%zu: %s\n  got:    %s\n  wanted: %s", DATA, d->name, g->number, g->lines[0], got, wanted);
}

/* Runs one function over all groups of a file: it appends what it makes of the group to `out`. The last line of
 * the group is what is wanted. */
typedef void (*answer)(struct strbuf *out, const struct group *g);

static void data_run(const char *name, size_t lines, answer ask)
{
	struct data d;
	struct group g;
	struct strbuf out = STRBUF_INIT;
	size_t groups = 0;
	data_open(&d, name);
	for (; data_next(&d, &g); groups++) {
		if (g.count != lines)
			fail_msg("%s%s:%zu: a group of %zu lines", DATA, name, g.number, g.count);
		strbuf_reset(&out);
		ask(&out, &g);
		expect(&d, &g, out.text, g.lines[lines - 1]);
	}
	assert_true(groups > 0);
	strbuf_release(&out);
	data_close(&d);
}

static const char *resolve(void *context, const char *impl_path, size_t length)
{
	static const char *const KNOWN[][2] = {
		{ "shop::{impl#2}", "shop::Shop" },
		{ "shop::pool::{impl#2}", "shop::pool::Pool" },
		{ "tokio::sync::mutex::{impl#10}", "tokio::sync::mutex::Mutex" },
		{ "rama_tcp::server::listener::{impl#3}", "rama_tcp::server::listener::TcpListener" },
		{ "tokio_graceful::shutdown::{impl#1}", "tokio_graceful::shutdown::ShutdownBuilder" },
	};
	if (context != NULL)
		++*(size_t *)context;
	for (size_t i = 0; i < sizeof KNOWN / sizeof KNOWN[0]; i++)
		if (length == strlen(KNOWN[i][0]) && memcmp(impl_path, KNOWN[i][0], length) == 0)
			return KNOWN[i][1];
	return NULL;
}

static void ask_demangle(struct strbuf *out, const struct group *g)
{
	struct strbuf name = STRBUF_INIT;
	bool rust = rust_demangle_to(&name, g->lines[0]);
	strbuf_addf(out, "%s|%s", rust ? "rust" : "other", name.text);
	strbuf_release(&name);
}

static void ask_mangling(struct strbuf *out, const struct group *g)
{
	static const char *const NAMES[] = { "none", "legacy", "v0" };
	strbuf_addf(out, "%s %zu", NAMES[symbol_mangling(g->lines[0])], symbol_base_length(g->lines[0]));
}

static void ask_key(struct strbuf *out, const struct group *g)
{
	uint64_t one = 0, two = 0;
	if (!v0_key(g->lines[0], &one))
		strbuf_adds(out, "the first is bad, ");
	strbuf_adds(out, !v0_key(g->lines[1], &two) ? "bad" : one == two ? "same" : "other");
}

static void ask_impl(struct strbuf *out, const struct group *g)
{
	struct impl_parts parts;
	if (!impl_split(g->lines[0], &parts)) {
		strbuf_adds(out, "no");
		return;
	}
	strbuf_add(out, parts.self.at, parts.self.length);
	strbuf_addc(out, '|');
	strbuf_add(out, parts.trait.at, parts.trait.length);
	strbuf_addc(out, '|');
	strbuf_add(out, parts.method.at, parts.method.length);
}

static void ask_kind(struct strbuf *out, const struct group *g)
{
	strbuf_adds(out, future_kind_text(future_kind_of(g->lines[0])));
}

static void ask_normalize(struct strbuf *out, const struct group *g)
{
	name_normalize(out, g->lines[0], strlen(g->lines[0]));
}

static void ask_fold(struct strbuf *out, const struct group *g)
{
	struct strbuf plain = STRBUF_INIT;
	name_fold(out, g->lines[0], resolve, NULL);
	/* without the kind word it is the same text */
	name_fold_plain(&plain, g->lines[0], resolve, NULL);
	assert_string_equal(out->text + out->length - plain.length, plain.text);
	strbuf_release(&plain);
}

static void ask_path(struct strbuf *out, const struct group *g)
{
	struct text_span crate, version;
	struct strbuf shown = STRBUF_INIT;
	path_fold(&shown, g->lines[0]);
	assert_string_equal(shown.text, g->lines[1]);
	strbuf_adds(out, path_is_foreign(shown.text) ? "foreign" : "own");
	if (path_crate(g->lines[0], &crate, &version)) {
		strbuf_addc(out, ' ');
		strbuf_add(out, crate.at, crate.length);
		strbuf_addc(out, ' ');
		strbuf_add(out, version.at, version.length);
	}
	strbuf_release(&shown);
}

static void test_demangle(void **state)
{
	(void)state;
	data_run("demangle.test", 2, ask_demangle);
}

static void test_mangling(void **state)
{
	(void)state;
	data_run("mangling.test", 2, ask_mangling);
}

static void test_v0_key(void **state)
{
	(void)state;
	data_run("v0_key.test", 3, ask_key);
}

static void test_impl(void **state)
{
	(void)state;
	data_run("impl.test", 2, ask_impl);
}

static void test_kind(void **state)
{
	(void)state;
	data_run("kind.test", 2, ask_kind);
}

static void test_normalize(void **state)
{
	(void)state;
	data_run("normalize.test", 2, ask_normalize);
}

static void test_fold(void **state)
{
	(void)state;
	data_run("fold.test", 2, ask_fold);
}

static void test_paths(void **state)
{
	(void)state;
	data_run("path.test", 3, ask_path);
}

/* What the functions append to is the caller's: they may neither look at nor cut what is there already. */
static void test_append(void **state)
{
	(void)state;
	struct strbuf out = STRBUF_INIT;
	strbuf_adds(&out, "x::");
	name_fold_plain(&out, "{async_fn_env#0}", NULL, NULL);
	assert_string_equal(out.text, "x::{async_fn_env#0}");
	strbuf_reset(&out);
	strbuf_adds(&out, "u8,alloc::alloc::Global");
	name_normalize(&out, ">", 1);
	assert_string_equal(out.text, "u8,alloc::alloc::Global>");
	strbuf_reset(&out);
	strbuf_adds(&out, "at ");
	assert_false(rust_demangle_to(&out, "_RNvC4shop9main"));
	assert_string_equal(out.text, "at _RNvC4shop9main");
	strbuf_release(&out);
}

static void test_without_resolver(void **state)
{
	(void)state;
	struct strbuf out = STRBUF_INIT;
	size_t calls = 0;
	name_fold(&out, "shop::{impl#2}::run::{async_fn_env#0}<T>", NULL, NULL);
	assert_string_equal(out.text, "async fn shop::{impl#2}::run<T>");
	strbuf_reset(&out);
	name_fold(&out, "a::B<shop::{impl#2}::f::{closure_env#0}>", resolve, &calls);
	assert_int_equal(calls, 1);
	strbuf_release(&out);
}

/* Everything there is, on one text; the answers do not matter. Copied to its exact length for the sanitizers. */
static void run_all(struct strbuf *out, const char *text, size_t length)
{
	struct impl_parts parts;
	struct text_span crate, version;
	uint64_t key;
	char *copy = malloc(length + 1);
	assert_non_null(copy);
	memcpy(copy, text, length);
	copy[length] = '\0';
	strbuf_reset(out);
	v0_key(copy, &key);
	symbol_mangling(copy);
	symbol_base_length(copy);
	rust_demangle_to(out, copy);
	if (impl_split(copy, &parts))
		assert_true(parts.method.at + parts.method.length <= copy + length);
	if (impl_split(out->text, &parts))
		assert_true(parts.method.at + parts.method.length <= out->text + out->length);
	strbuf_reset(out);
	name_fold(out, copy, resolve, NULL);
	/* a resolved name may be longer than {impl#N}; nothing else grows */
	assert_true(out->length <= 64 + 8 * length);
	name_normalize(out, copy, length);
	path_fold(out, copy);
	path_is_foreign(copy);
	path_crate(copy, &crate, &version);
	free(copy);
}

static const char *const REAL[] = {
	"_RINvNtNtNtCshRpKNlcjNJ5_5tokio7runtime4task3raw4pollINtNtNtB6_8blocking4task12BlockingTaskNCNvMNtNtNtB6_"
	"9scheduler12multi_thread6workerNtB1v_6Launch6launch0ENtNtBT_8schedule16BlockingScheduleEB8_"
	".llvm.5469898870860972681",
	"_RINvNtNtNtCshRpKNlcjNJ5_5tokio7runtime4task3raw4pollNCINvCs1m5iOBvIKkW_4shop5applyNCNCNvBT_4main0s0_0E0"
	"INtNtCslNYArtu3iFV_5alloc4sync3ArcNtNtNtNtB6_9scheduler12multi_thread6handle6HandleEEBT_",
	"_RINvC4shop1fFG_UK8C_unwindRL0_hEbDG_INtC4core2FnTRL0_hEEp6OutputuEL_ANtB2_1Aj4_E",
	"_RINvC4shop1fKRe616263_KVNtB2_1ES1xj1_1yb0_EKanff_KpKTj1_c61_EE",
	"_RNvC4shopu7caf_dma",
	"_ZN49_$LT$shop..Shop$u20$as$u20$core..clone..Clone$GT$5clone17h0123456789abcdefE.llvm.12",
	"<shop::Arr<3, true, '>'> as shop::Act<fn(&u8) -> alloc::vec::Vec<\"x>\">>>::act::<u8>::{closure#0}",
	"&mut alloc::boxed::Box<tokio::runtime::task::core::Cell<shop::apply::{async_fn_env#0}<shop::main::"
	"{async_block#0}::{closure_env#2}>, alloc::sync::Arc<tokio::runtime::scheduler::multi_thread::handle::"
	"Handle, alloc::alloc::Global>>, alloc::alloc::Global>",
	"tokio::sync::mutex::{impl#10}::lock::{async_fn#0}::{async_block_env#0}<shop::{impl#2}::run::"
	"{async_fn_env#0}<(dyn core::any::Any + core::marker::Send)>>",
	"/root/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/tokio-1.54.1/src/sync/mutex.rs",
	"/rustc/59807616e1fa2540724bfbac14d7976d7e4a3860/library/core/src/ptr/mod.rs",
	"/home/wfc/.cargo/git/checkouts/omicron-0a1b2c3d4e5f6789/de608e0/nexus/src/lib.rs",
};
enum { REAL_COUNT = sizeof REAL / sizeof REAL[0] };

static uint32_t random_next(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u; /* Knuth's MMIX */
	return (uint32_t)(*seed >> 33);
}

/* One to four changes: a byte anew, a byte of the text's kind, a piece cut, a piece of another text put in. */
static size_t mutate(char *text, size_t length, size_t room, uint64_t *seed)
{
	static const char LIKELY[] = "_BTEIKNCMXYRQSAFDGLspu0129az<>()[]{}\"'\\:-,; .";
	for (uint32_t n = 1 + random_next(seed) % 4; n > 0; n--) {
		size_t at = random_next(seed) % (length + 1), piece = 1 + random_next(seed) % 24;
		const char *other = REAL[random_next(seed) % REAL_COUNT];
		size_t from = random_next(seed) % strlen(other);
		switch (random_next(seed) % 5) {
		case 0:
			if (at < length)
				text[at] = (char)(1 + random_next(seed) % 255);
			break;
		case 1: case 2:
			if (at < length)
				text[at] = LIKELY[random_next(seed) % (sizeof LIKELY - 1)];
			break;
		case 3:
			piece = piece < length - at ? piece : length - at;
			memmove(text + at, text + at + piece, length - at - piece);
			length -= piece;
			break;
		default:
			piece = piece < strlen(other) - from ? piece : strlen(other) - from;
			if (length + piece > room)
				break;
			memmove(text + at + piece, text + at, length - at);
			memcpy(text + at, other + from, piece);
			length += piece;
			break;
		}
	}
	return length;
}

static void test_mutations(void **state)
{
	(void)state;
	static const size_t ROUNDS = 200000;
	uint64_t seed = 20250917;
	char text[1024];
	struct strbuf out = STRBUF_INIT;
	for (size_t round = 0; round < ROUNDS; round++) {
		const char *real = REAL[round % REAL_COUNT];
		size_t length = strlen(real);
		memcpy(text, real, length);
		run_all(&out, text, mutate(text, length, sizeof text, &seed));
	}
	strbuf_release(&out);
}

/* head, then `unit` again and again up to 100 KB, then `tail` as often, then `last`. */
static void test_hostile(void **state)
{
	(void)state;
	static const struct {
		const char *head, *unit, *middle, *tail;
	} SHAPES[] = {
		{ "", "<", "", "" },
		{ "", ">", "", "" },
		{ "", "(", "u8", ")" },
		{ "", "core::option::Option<", "u8", ">" },
		{ "", "a::{async_fn_env#0}<", "u8", ">" },
		{ "", "a::{async_fn_env#0}<", "u8", ">::b" },
		{ "a", "::{impl#0}", "", "" },
		{ "", "shop::{impl#2}<", "", ">" },
		{ "", "{", "", "}" },
		{ "", "{\"", "", "" },
		{ "", "\\\"", "", "" },
		{ "{", "'", "", "" },
		{ "", "\xff\xc3", "", "" },
		{ "", ", alloc::alloc::Global", "", "" },
		{ "<", "<", "u8", " as a>::b" },
		{ "", "/registry/src/", "", "" },
		{ "", "/git/checkouts/", "", "" },
		{ "/", "/lib/rustlib/src/rus/src/rustc-x/", "", "" },
		{ "", "-1.2", "", "" },
		{ "_R", "N", "", "" },
		{ "_R", "Nv", "C1a", "1b" },
		{ "_RINvC1a1f", "S", "h", "" },
		{ "_RINvC1a1f", "T", "", "E" },
		{ "_RINvC1a1f", "RL_", "h", "" },
		{ "_RINvC1a1f", "F", "E", "uE" },
		{ "_RINvC1a1fKV", "A", "", "E" },
		{ "_RINvC1a1f", "DG_", "", "E" },
		{ "_RINvC1a1f", "B2_", "E", "" },
		{ "_RINvC1a1f", "TB8_B8_E", "E", "" },
		{ "_RNvC1a", "9", "", "" },
		{ "_RNvC1a", "u", "", "" },
		{ "_ZN", "17h", "", "" },
		{ "a", ".llvm.1", "", "" },
	};
	struct strbuf text = STRBUF_INIT, out = STRBUF_INIT;
	for (size_t i = 0; i < sizeof SHAPES / sizeof SHAPES[0]; i++) {
		size_t times = 100000 / strlen(SHAPES[i].unit);
		strbuf_reset(&text);
		strbuf_adds(&text, SHAPES[i].head);
		for (size_t n = 0; n < times; n++)
			strbuf_adds(&text, SHAPES[i].unit);
		strbuf_adds(&text, SHAPES[i].middle);
		for (size_t n = 0; n < times; n++)
			strbuf_adds(&text, SHAPES[i].tail);
		run_all(&out, text.text, text.length);
	}
	strbuf_release(&text);
	strbuf_release(&out);
}

/* Each tuple names the one before twice: 2^60 bytes when followed. The key does not follow; the demangler would. */
static void test_doubling(void **state)
{
	(void)state;
	static const char DIGITS[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
	struct strbuf name = STRBUF_INIT, out = STRBUF_INIT;
	uint64_t key;
	strbuf_adds(&name, "_RINvC1a1f");
	size_t last = name.length - 2;
	strbuf_adds(&name, "ThE");
	for (int i = 0; i < 60; i++) {
		size_t at = name.length - 2, number = last - 1;
		char reference[8];
		if (number >= 62)
			snprintf(reference, sizeof reference, "B%c%c_", DIGITS[number / 62], DIGITS[number % 62]);
		else
			snprintf(reference, sizeof reference, "B%c_", DIGITS[number]);
		strbuf_addf(&name, "T%s%sE", reference, reference);
		last = at;
	}
	strbuf_addc(&name, 'E');
	assert_true(v0_key(name.text, &key));
	assert_false(rust_demangle_to(&out, name.text));
	assert_string_equal(out.text, name.text);
	strbuf_release(&name);
	strbuf_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_demangle),
		cmocka_unit_test(test_mangling),
		cmocka_unit_test(test_v0_key),
		cmocka_unit_test(test_impl),
		cmocka_unit_test(test_kind),
		cmocka_unit_test(test_normalize),
		cmocka_unit_test(test_fold),
		cmocka_unit_test(test_paths),
		cmocka_unit_test(test_append),
		cmocka_unit_test(test_without_resolver),
		cmocka_unit_test(test_mutations),
		cmocka_unit_test(test_hostile),
		cmocka_unit_test(test_doubling),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
