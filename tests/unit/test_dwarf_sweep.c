/* The sweep against a plain recursive walk over the same DIEs, on real binaries and on hand-made units. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include <dwarf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/strbuf.h"
#include "core_build.h"
#include "dwarf/sweep.h"
#include "dwarf_build.h"
#include "elf/elf_file.h"

static char directory[256], built[300];

static int setup(void **state)
{
	(void)state;
	temporary_directory(directory, sizeof directory);
	snprintf(built, sizeof built, "%s/file", directory);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	directory_remove(directory);
	return 0;
}

/* The last one is a type's name. Of "std" variables below it are wanted, too. */
static const char *const WANTED[] = { "core::option", "tokio::runtime::task::raw", "std", "made::inner",
	                              "tokio::runtime::scheduler::multi_thread::handle::Handle", "made::Type" };
static const bool BELOW[] = { false, false, true, false, false, false };
enum { WANTED_COUNT = sizeof WANTED / sizeof WANTED[0] };

static const char *const LOOKUPS[] = { "", "core::option", "core", "tokio::sync", "tokio::sync::mutex", "made",
	                               "made::inner", "alloc::vec" };
enum { LOOKUP_COUNT = sizeof LOOKUPS / sizeof LOOKUPS[0] };

struct hit {
	uint64_t die;
	size_t path;
};

struct plain {
	struct dwarf *dw;
	const struct sweep *sweep;
	struct strbuf path; /* of the namespace that the walk is in */
	struct sweep_find *finds;
	size_t find_count, find_capacity;
	struct hit *hits; /* what sweep_lookup must find */
	size_t hit_count, hit_capacity;
	size_t dies, scopes, units;
};

static void expect_find(struct plain *w, const struct die *die, enum find_kind kind, size_t wanted)
{
	w->finds = array_reserve(w->finds, &w->find_capacity, w->find_count, 1, sizeof *w->finds);
	w->finds[w->find_count++] = (struct sweep_find){ die->offset, 0, (uint16_t)kind, (uint16_t)wanted };
}

static bool is_below(const char *path, const char *above)
{
	size_t length = strlen(above);
	return strncmp(path, above, length) == 0 && (path[length] == '\0' || strncmp(path + length, "::", 2) == 0);
}

/* The wanted path that a DIE in w->path belongs to, or WANTED_COUNT. */
static size_t wanted_of(const struct plain *w, bool is_variable)
{
	for (size_t i = 0; i < WANTED_COUNT; i++)
		if (strcmp(w->path.text, WANTED[i]) == 0)
			return i;
	for (size_t i = 0; i < WANTED_COUNT && is_variable; i++)
		if (BELOW[i] && is_below(w->path.text, WANTED[i]))
			return i;
	return WANTED_COUNT;
}

static void check_scope(struct plain *w, const struct die *die)
{
	struct strbuf path = STRBUF_INIT;
	sweep_scope_path(w->sweep, die->offset, &path);
	if (strcmp(path.text, w->path.text) != 0)
		fail_msg("DIE 0x%" PRIx64 ": path %s, not %s", die->offset, path.text, w->path.text);
	strbuf_release(&path);
	w->dies++;
	if (w->path.length > 2 && strcmp(w->path.text + w->path.length - 2, "::") == 0)
		return; /* in a nameless namespace, whose path cannot be written */
	uint64_t hash = sweep_path_hash(w->path.text), parent = 0;
	assert_int_equal(sweep_scope_hash(w->sweep, die->offset), hash);
	const char *name = NULL;
	bool has_scope = sweep_scope_split(w->sweep, die->offset, &parent, &name);
	assert_int_equal(has_scope, w->path.length != 0);
	if (has_scope)
		assert_int_equal(sweep_path_extend(parent, name, strlen(name)), hash);
}

static void check_all_below(struct plain *w, const struct die *die)
{
	struct die child;
	for (bool more = die_child(w->dw, die, &child); more; more = die_next(w->dw, &child, &child)) {
		check_scope(w, &child);
		check_all_below(w, &child);
	}
}

static void expect_function(struct plain *w, const struct die *die, const struct die_values *values)
{
	if ((values->has & DIE_NAME) == 0) {
		if ((values->has & (DIE_LOW_PC | DIE_RANGES)) != 0)
			expect_find(w, die, FIND_CONCRETE, 0);
		return;
	}
	const char *component = w->path.text;
	for (const char *next; (next = strstr(component, "::")) != NULL;)
		component = next + 2;
	size_t wanted = wanted_of(w, false);
	if (wanted != WANTED_COUNT)
		expect_find(w, die, FIND_WANTED, wanted);
	if (strncmp(values->name, "{async_", 7) == 0)
		expect_find(w, die, FIND_RESUME, 0);
	else if (strncmp(component, "{impl#", 6) == 0 && strncmp(values->name, "poll", 4) == 0)
		expect_find(w, die, FIND_POLL, 0);
}

static void expect_type(struct plain *w, const struct die *die, const struct die_values *values)
{
	if ((values->has & DIE_DECLARATION) != 0) {
		expect_find(w, die, FIND_DECLARATION, 0);
		return;
	}
	size_t wanted = wanted_of(w, false);
	if (wanted != WANTED_COUNT)
		expect_find(w, die, FIND_WANTED, wanted);
	if (values->name == NULL)
		return;
	struct strbuf path = STRBUF_INIT;
	strbuf_addf(&path, "%s%s%.*s", w->path.text, w->path.length != 0 ? "::" : "", (int)strcspn(values->name, "<"),
	            values->name);
	for (wanted = 0; wanted < WANTED_COUNT && strcmp(WANTED[wanted], path.text) != 0;)
		wanted++;
	struct die method;
	for (bool more = wanted != WANTED_COUNT && die_child(w->dw, die, &method); more;
	     more = die_next(w->dw, &method, &method))
		if (method.abbrev->tag == DW_TAG_subprogram)
			expect_find(w, &method, FIND_WANTED, wanted);
	strbuf_release(&path);
}

static void expect_variable(struct plain *w, const struct die *die, const struct die_values *values)
{
	static const char suffix[] = "::{vtable}";
	size_t wanted = wanted_of(w, true), length = values->name != NULL ? strlen(values->name) : 0;
	if (wanted != WANTED_COUNT)
		expect_find(w, die, FIND_WANTED, wanted);
	if (w->path.length == 0 && length >= sizeof suffix &&
	    strcmp(values->name + length - (sizeof suffix - 1), suffix) == 0)
		expect_find(w, die, FIND_VTABLE, 0);
}

static void walk(struct plain *w, const struct die *scope)
{
	struct die die;
	w->scopes++;
	for (bool more = die_child(w->dw, scope, &die); more; more = die_next(w->dw, &die, &die)) {
		struct die_values values;
		assert_true(die_read(w->dw, &die, &values));
		check_scope(w, &die);
		bool is_item = true;
		switch (die.abbrev->tag) {
		case DW_TAG_namespace: {
			size_t length = w->path.length;
			strbuf_addf(&w->path, "%s%s", length != 0 ? "::" : "", values.name != NULL ? values.name : "");
			if (die.abbrev->has_children)
				walk(w, &die);
			strbuf_cut(&w->path, length);
			continue;
		}
		case DW_TAG_subprogram: expect_function(w, &die, &values); break;
		case DW_TAG_variable: expect_variable(w, &die, &values); break;
		case DW_TAG_structure_type: case DW_TAG_class_type: case DW_TAG_union_type: case DW_TAG_enumeration_type:
			expect_type(w, &die, &values);
			break;
		default: is_item = false;
		}
		for (size_t i = 0; i < LOOKUP_COUNT && is_item; i++) {
			if (strcmp(LOOKUPS[i], w->path.text) != 0)
				continue;
			w->hits = array_reserve(w->hits, &w->hit_capacity, w->hit_count, 1, sizeof *w->hits);
			w->hits[w->hit_count++] = (struct hit){ die.offset, i };
		}
		check_all_below(w, &die);
	}
}

struct lookup {
	const struct plain *plain;
	size_t next;
};

static void looked_up(void *context, uint64_t hash, const struct die *die)
{
	struct lookup *l = context;
	assert_true(l->next < l->plain->hit_count);
	const struct hit *hit = &l->plain->hits[l->next++];
	assert_int_equal(die->offset, hit->die);
	assert_int_equal(hash, sweep_path_hash(LOOKUPS[hit->path]));
}

static int hash_order(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;
	return *x < *y ? -1 : *x > *y;
}

static void compare_finds(const struct plain *w, const struct sweep *sweep)
{
	size_t count;
	const struct sweep_find *finds = sweep_finds(sweep, &count);
	for (size_t i = 0; i < count && i < w->find_count; i++)
		if (finds[i].die != w->finds[i].die || finds[i].kind != w->finds[i].kind ||
		    finds[i].wanted != w->finds[i].wanted)
			fail_msg("find %zu: DIE 0x%" PRIx64 " kind %u wanted %u, not 0x%" PRIx64 " kind %u wanted %u", i,
			         finds[i].die, finds[i].kind, finds[i].wanted, w->finds[i].die, w->finds[i].kind,
			         w->finds[i].wanted);
	assert_int_equal(count, w->find_count);
}

static void compare_lookups(const struct plain *w, struct sweep *sweep)
{
	uint64_t hashes[LOOKUP_COUNT];
	for (size_t i = 0; i < LOOKUP_COUNT; i++)
		hashes[i] = sweep_path_hash(LOOKUPS[i]);
	qsort(hashes, LOOKUP_COUNT, sizeof hashes[0], hash_order);
	struct lookup l = { w, 0 };
	sweep_lookup(sweep, hashes, LOOKUP_COUNT, looked_up, &l);
	assert_int_equal(l.next, w->hit_count);
}

/* The same finds and scopes for any number of threads, scope numbers included. */
static void compare_threads(struct dwarf *dw, struct sweep_options options, const struct sweep *first)
{
	static const unsigned THREADS[] = { 2, 7, 0 };
	size_t first_count, count;
	const struct sweep_find *first_finds = sweep_finds(first, &first_count);
	for (size_t i = 0; i < sizeof THREADS / sizeof THREADS[0]; i++) {
		uint64_t done = 0;
		options.threads = THREADS[i];
		options.done = &done;
		struct sweep *sweep = sweep_run(dw, &options);
		const struct sweep_find *finds = sweep_finds(sweep, &count);
		assert_int_equal(count, first_count);
		assert_memory_equal(finds, first_finds, count * sizeof *finds);
		assert_int_equal(sweep_scope_count(sweep), sweep_scope_count(first));
		assert_int_equal(done, dwarf_info(dw).size); /* units lie side by side */
		for (size_t j = 0; j < count; j += 97)
			assert_int_equal(sweep_scope_hash(sweep, finds[j].die), sweep_scope_hash(first, finds[j].die));
		sweep_free(sweep);
	}
}

static void compare_binary(const char *path, bool is_real)
{
	struct elf_file *elf;
	struct plain w = { .path = STRBUF_INIT };
	struct error *err = elf_open(&elf, path);
	if (err == NULL)
		err = dwarf_open(&w.dw, elf);
	if (err != NULL)
		fail_msg("%s", error_message(err));
	struct sweep_options options = { WANTED, BELOW, WANTED_COUNT, 1, NULL };
	struct sweep *sweep = sweep_run(w.dw, &options);
	w.sweep = sweep;
	size_t unit_count, kinds[FIND_CONCRETE + 1] = { 0 };
	const struct dwarf_unit *units = dwarf_units(w.dw, &unit_count);
	for (size_t i = 0; i < unit_count; i++) {
		struct die die;
		if (units[i].language != DW_LANG_Rust && units[i].language != 0)
			continue;
		assert_true(die_at(w.dw, units[i].first_die, &die));
		w.units++;
		w.dies++;
		walk(&w, &die);
	}
	assert_int_equal(sweep_damaged_units(sweep), 0);
	assert_int_equal(sweep_swept_units(sweep), w.units);
	assert_int_equal(sweep_scope_count(sweep), w.scopes);
	compare_finds(&w, sweep);
	compare_lookups(&w, sweep);
	compare_threads(w.dw, options, sweep);
	for (size_t i = 0; i < w.find_count; i++)
		kinds[w.finds[i].kind]++;
	print_message("# %s: %zu units, %zu DIEs, %zu scopes, finds: %zu wanted, %zu resume, %zu poll, %zu vtable, "
	              "%zu declarations, %zu concrete; %zu looked up\n", path, w.units, w.dies, w.scopes, kinds[0],
	              kinds[1], kinds[2], kinds[3], kinds[4], kinds[5], w.hit_count);
	assert_true(!is_real || (w.dies > 0 && kinds[FIND_RESUME] > 0 && kinds[FIND_POLL] > 0 && kinds[FIND_VTABLE] > 0 &&
	                         kinds[FIND_WANTED] > 0 && w.hit_count > 0));
	sweep_free(sweep);
	dwarf_close(w.dw);
	elf_close(elf);
	strbuf_release(&w.path);
	free(w.finds);
	free(w.hits);
}

static void real_binaries(void **state)
{
	(void)state;
	const char *const *paths = dwarf_test_binaries();
	if (*paths == NULL) {
		print_message("# no binary: build example/, or set HANSEI_TEST_BINARIES\n");
		skip();
	}
	for (; *paths != NULL; paths++)
		compare_binary(*paths, getenv("HANSEI_TEST_BINARIES") == NULL);
}

static void flagged(struct dwarf_build *b, uint16_t tag, bool has_children, const char *name, uint16_t flag)
{
	struct build_attr attrs[2] = { { .name = DW_AT_name, .form = DW_FORM_strp, .text = name },
		                       { .name = flag, .form = DW_FORM_flag_present } };
	dwarf_build_die(b, tag, has_children, attrs, 2);
}

/* One unit of all that the sweep looks at, in an order that a compiler would not choose. */
static void build_unit(struct dwarf_build *b)
{
	struct build_attr pc = { .name = DW_AT_low_pc, .form = DW_FORM_addr, .number = 0x1000 };
	dwarf_build_rust_unit(b);
	dwarf_build_named(b, DW_TAG_variable, false, "<A as T>::{vtable}");
	dwarf_build_named(b, DW_TAG_variable, false, "T::{vtable}");
	dwarf_build_named(b, DW_TAG_variable, false, "::{vtable}"); /* no type before it */
	dwarf_build_named(b, DW_TAG_namespace, true, "made");
	dwarf_build_named(b, DW_TAG_structure_type, false, "Before");
	dwarf_build_named(b, DW_TAG_namespace, true, "inner");
	dwarf_build_named(b, DW_TAG_enumeration_type, false, "Inner");
	flagged(b, DW_TAG_structure_type, false, "Declared", DW_AT_declaration);
	dwarf_build_named(b, DW_TAG_namespace, true, "{impl#3}");
	dwarf_build_named(b, DW_TAG_subprogram, true, "poll_next");
	dwarf_build_named(b, DW_TAG_namespace, true, "hidden"); /* in a function: not a scope of the sweep */
	dwarf_build_named(b, DW_TAG_subprogram, false, "poll");
	dwarf_build_null(b);
	dwarf_build_null(b);
	dwarf_build_die(b, DW_TAG_subprogram, false, &pc, 1);
	dwarf_build_die(b, DW_TAG_subprogram, false, NULL, 0);
	dwarf_build_null(b);
	dwarf_build_named(b, DW_TAG_namespace, false, "childless");
	dwarf_build_named(b, DW_TAG_namespace, true, "empty");
	dwarf_build_null(b);
	dwarf_build_named(b, DW_TAG_subprogram, false, "{async_fn#0}");
	dwarf_build_null(b);
	dwarf_build_named(b, DW_TAG_structure_type, true, "Type<u8>");
	dwarf_build_named(b, DW_TAG_member, false, "field");
	dwarf_build_named(b, DW_TAG_subprogram, false, "method");
	dwarf_build_null(b);
	dwarf_build_named(b, DW_TAG_namespace, true, NULL);
	dwarf_build_named(b, DW_TAG_variable, false, "static_of_a_nameless_namespace");
	dwarf_build_null(b);
	dwarf_build_named(b, DW_TAG_union_type, false, "After");
	dwarf_build_null(b);
	dwarf_build_named(b, DW_TAG_namespace, true, "std");
	dwarf_build_named(b, DW_TAG_namespace, true, "deep");
	dwarf_build_named(b, DW_TAG_variable, false, "BELOW");
	dwarf_build_null(b);
	dwarf_build_null(b);
	dwarf_build_null(b);
	dwarf_build_unit_end(b);
}

static void hand_made(void **state)
{
	(void)state;
	struct dwarf_build *b = dwarf_build_new();
	for (int i = 0; i < 20; i++) {
		b->version = i % 2 == 0 ? 4 : 5;
		b->offset_size = i % 3 == 0 ? 8 : 4;
		build_unit(b);
	}
	/* A unit of C: not swept, but its DIEs can be walked. */
	dwarf_build_unit(b);
	const struct build_attr language = { .name = DW_AT_language, .form = DW_FORM_data1, .number = DW_LANG_C99 };
	dwarf_build_die(b, DW_TAG_compile_unit, true, &language, 1);
	dwarf_build_named(b, DW_TAG_subprogram, false, "{async_fn#0}");
	dwarf_build_null(b);
	dwarf_build_unit_end(b);
	dwarf_build_write(b, built);
	compare_binary(built, false);
	dwarf_build_free(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(hand_made, setup, teardown),
		cmocka_unit_test(real_binaries),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
