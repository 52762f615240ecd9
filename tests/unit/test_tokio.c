/* lib/tokio without a program: state words, the choice of rows per release, names, and lists of tasks and chains of
 * futures in a small model of tokio with memory made here, damaged in every way a list can be. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/array.h"
#include "base/error.h"
#include "extract/extract.h"
#include "tinfo/tinfo_build.h"
#include "tokio/constants.h"
#include "tokio/frame_plan.h"
#include "tokio/roots.h"
#include "tokio/tokio_internal.h"

/* --- pure parts --- */

static void state_words(void **state)
{
	(void)state;
	assert_int_equal(task_word_state(WORD_INITIAL), TASK_QUEUED);
	assert_int_equal(task_word_state(0x40), TASK_IDLE);
	assert_int_equal(task_word_state(0x40 | WORD_RUNNING), TASK_RUNNING);
	assert_int_equal(task_word_state(0x40 | WORD_RUNNING | WORD_NOTIFIED), TASK_RUNNING);
	assert_int_equal(task_word_state(0x40 | WORD_COMPLETE), TASK_COMPLETE);
	assert_int_equal(task_word_state(0x40 | WORD_COMPLETE | WORD_NOTIFIED), TASK_COMPLETE);
	assert_int_equal(task_word_state(WORD_RUNNING | WORD_COMPLETE), TASK_DAMAGED);
	assert_int_equal(task_word_state(0x40 | WORD_CANCELLED | WORD_JOIN_INTEREST | WORD_JOIN_WAKER), TASK_IDLE);
	assert_string_equal(task_state_text(TASK_QUEUED), "queued");
	assert_string_equal(task_state_text(TASK_IDLE), "idle");
}

static void versions(void **state)
{
	(void)state;
	assert_int_equal(version_parse("1.54.1"), V(1, 54, 1));
	assert_int_equal(version_parse("1.38.0-alpha"), V(1, 38, 0));
	assert_int_equal(version_parse("1.38"), 0);
	assert_int_equal(version_parse(""), 0);
	assert_int_equal(version_parse("v1.2.3"), 0);
	assert_int_equal(version_parse("1.-2.3"), 0);
	assert_int_equal(version_parse("1.5000.3"), 0);
	assert_int_equal(version_parse("99999999999999999999.1.1"), 0);
	assert_int_equal(version_parse(NULL), 0);
	assert_true(V(1, 54, 1) > V(1, 54, 0) && V(1, 54, 0) > V(1, 53, 9) && V(2, 0, 0) > V(1, 999, 999));
	assert_int_equal(version_family(0), V_NEWEST);
	assert_int_equal(version_family(V(1, 60, 0)), V_NEWEST);
	assert_int_equal(version_family(V(1, 20, 0)), V_OLDEST);
	assert_int_equal(version_family(V(1, 47, 3)), V(1, 47, 3));
}

static void rows_per_release(void **state)
{
	(void)state;
	assert_string_equal(path_row(SLEEP_SECONDS, V(1, 38, 0))->text, ".entry.deadline.std.__0.t.tv_sec");
	assert_string_equal(path_row(SLEEP_SECONDS, V(1, 48, 0))->text, ".entry.deadline.std.__0.t.tv_sec");
	assert_string_equal(path_row(SLEEP_SECONDS, V(1, 49, 0))->text, ".entry<*>.__0.deadline.std.__0.t.tv_sec");
	assert_string_equal(path_row(SLEEP_SECONDS, V(1, 52, 4))->text, ".entry<*>.__0.deadline.std.__0.t.tv_sec");
	assert_string_equal(path_row(SLEEP_SECONDS, V(1, 53, 0))->text, ".deadline.std.__0.t.tv_sec");
	assert_null(path_row(VTABLE_SPAWN_OFFSET, V(1, 45, 1)));
	assert_non_null(path_row(VTABLE_SPAWN_OFFSET, V(1, 46, 0)));
}

/* Each role has a name, at most one row for a release, and one root; what the newest release lacks is something that
 * older ones had, and nothing that is required. */
static void rows_are_whole(void **state)
{
	(void)state;
	for (int role = 0; role < PATH_ROLE_COUNT; role++) {
		assert_non_null(path_role_name((enum path_role)role));
		const struct path_row *newest = path_row((enum path_role)role, V_NEWEST);
		const struct path_row *any = newest;
		for (uint32_t minor = 54; any == NULL && minor >= 38; minor--)
			any = path_row((enum path_role)role, V(1, minor, 0));
		assert_non_null(any);
		assert_non_null(path_root_name(any->root));
		for (uint32_t minor = 38; minor <= 54; minor++) {
			const struct path_row *row = path_row((enum path_role)role, V(1, minor, 0));
			if (row != NULL)
				assert_int_equal(row->root, any->root);
			if (row == NULL || newest == NULL)
				assert_int_not_equal(any->need, PATH_REQUIRED);
		}
	}
}

static void roots_make_sense(void **state)
{
	(void)state;
	const struct roots *roots = tokio_roots();
	bool poll = false;
	assert_string_equal(roots->crate, "tokio");
	for (size_t i = 0; i < roots->count; i++) {
		const struct root *r = &roots->items[i];
		assert_true(r->role[0] != '\0' && r->scope[0] != '\0' && r->name[0] != '\0');
		assert_null(strchr(r->name, '<'));
		poll |= strcmp(r->role, "task.poll") == 0 && (r->flags & ROOT_REQUIRED) != 0;
	}
	assert_true(poll);
}

static void adapters(void **state)
{
	(void)state;
	size_t count;
	assert_int_equal(adapter_find("tokio::time::sleep::Sleep", &count)->kind, ADAPTER_LEAF);
	assert_null(adapter_find("tokio::time::sleep::Sleeper", &count));
	assert_int_equal(adapter_find("tokio::sync::oneshot::Receiver<a::B<c::D>>", &count)->kind, ADAPTER_LEAF);
	assert_null(adapter_find("tokio::sync::oneshot::Receiver<a>::inner<b>", &count));
	assert_non_null(adapter_find("futures_util::future::either::Either<A, fn(B) -> C>", &count));
	assert_int_equal(count, 2);
	assert_true(name_is("a::B<c>", "a::B"));
	assert_true(name_is("a::B", "a::B"));
	assert_false(name_is("a::Bc", "a::B"));
}

/* --- a model --- */

enum { HEAP = 0x100000, HEAP_SIZE = 0x40000, IMAGE = 0x10000, IMAGE_SIZE = 0x1000, BIAS = 0x8000 };
enum { VTABLE = IMAGE + 0x100, FUTURE_VTABLE = IMAGE + 0x200, STRANGE_VTABLE = IMAGE + 0x300 };
enum { HANDLE = HEAP + 0x40, SHARDS = HEAP + 0x100, CELLS = HEAP + 0x1000, CELL_SIZE = 0x80 };
enum { AT_ID = 0x28, AT_STAGE = 0x30, AT_TRAILER = 0x60, LIST_ID = 5 };

struct model {
	unsigned char heap[HEAP_SIZE], image[IMAGE_SIZE];
	struct tinfo_build *build;
	struct target target;
	struct tokio *tk;
	uint32_t u8, u32, u64, leaf, coroutine, awaiting, boxed_dyn, ring;
};

static const unsigned char *model_peek(const void *context, uint64_t address, size_t length)
{
	const struct model *m = context;
	if (address >= HEAP && address - HEAP < HEAP_SIZE && length <= HEAP_SIZE - (address - HEAP))
		return m->heap + (address - HEAP);
	if (address >= IMAGE && address - IMAGE < IMAGE_SIZE && length <= IMAGE_SIZE - (address - IMAGE))
		return m->image + (address - IMAGE);
	return NULL;
}

static bool model_read(const void *context, uint64_t address, void *buffer, size_t length)
{
	const unsigned char *at = model_peek(context, address, length);
	if (at != NULL)
		memcpy(buffer, at, length);
	return at != NULL;
}

static void put(struct model *m, uint64_t address, uint64_t value)
{
	unsigned char *at = address >= HEAP ? m->heap + (address - HEAP) : m->image + (address - IMAGE);
	for (size_t i = 0; i < 8; i++)
		at[i] = (unsigned char)(value >> (8 * i));
}

static uint32_t add(struct model *m, enum type_kind kind, const char *name, uint64_t size, uint32_t target,
                    const struct member *members, size_t count)
{
	struct type type = { .kind = kind, .name = name, .size = size, .flags = TYPE_SIZED, .target = target, .file = "" };
	uint32_t id = build_type_reserve(m->build);
	build_type_define(m->build, id, &type, members, count, NULL, 0);
	return id;
}

static uint32_t add_struct(struct model *m, const char *name, uint64_t size, const struct member *members, size_t n)
{
	return add(m, TYPE_STRUCT, name, size, TINFO_NONE, members, n);
}

/* One member at offset 0: most of what std and tokio wrap things in. */
static uint32_t wrap(struct model *m, const char *name, uint64_t size, const char *member, uint32_t type)
{
	struct member only = { member, type, 0, 0 };
	return add_struct(m, name, size, &only, 1);
}

static uint32_t add_pointer(struct model *m, const char *name, uint32_t to)
{
	return add(m, TYPE_POINTER, name, 8, to, NULL, 0);
}

static uint32_t add_enum(struct model *m, uint32_t id, const char *name, uint64_t size, uint32_t flags,
                         const struct variant *variants, size_t count)
{
	struct type type = { .kind = TYPE_ENUM, .name = name, .size = size, .flags = TYPE_SIZED | flags,
		             .target = m->u64, .file = "" };
	if (id == TINFO_NONE)
		id = build_type_reserve(m->build);
	build_type_define(m->build, id, &type, NULL, 0, variants, count);
	return id;
}

static struct variant variant_of(const char *name, uint32_t payload, uint64_t value, const char *file, uint32_t line)
{
	return (struct variant){ .name = name, .payload = payload, .value = { value, 0 }, .flags = VARIANT_VALUE,
		                 .file = file, .line = line };
}

/* Option<T> of one word whose zero is None. */
static uint32_t niche(struct model *m, const char *name, uint32_t inside)
{
	uint32_t some = wrap(m, "Some", 8, "__0", inside), none = add_struct(m, "None", 8, NULL, 0);
	struct variant variants[] = { variant_of("None", none, 0, "", 0), { .name = "Some", .payload = some, .file = "" } };
	return add_enum(m, TINFO_NONE, name, 8, 0, variants, 2);
}

static void model_scheduler(struct model *m, uint32_t node)
{
	uint32_t link = niche(m, "Option<NonNull<Header>>", wrap(m, "NonNull<Header>", 8, "pointer", node));
	struct member pointers[] = { { "prev", link, 0, 0 }, { "next", link, 8, 0 } };
	uint32_t inner = add_struct(m, "PointersInner", 16, pointers, 2);
	struct member trailer = { "owned", wrap(m, "Pointers", 16, "inner", wrap(m, "UnsafeCell", 16, "value", inner)), 0, 0 };
	add_struct(m, "tokio::runtime::task::core::Trailer", 0x20, &trailer, 1);
	uint32_t shard = wrap(m, "LoomMutex<List<Task>>", 16, "__0", wrap(m, "List<Task>", 16, "head", link));
	struct member slice[] = { { "data_ptr", add_pointer(m, "*mut shard", shard), 0, 0 }, { "length", m->u64, 8, 0 } };
	uint32_t lists = add_struct(m, "Box<[shard]>", 16, slice, 2);
	struct member sharded[] = { { "lists", lists, 0, 0 }, { "count", m->u64, 16, 0 } };
	struct member owned[] = { { "list", add_struct(m, "ShardedList", 24, sharded, 2), 0, 0 }, { "id", m->u64, 24, 0 } };
	struct member shared = { "owned", add_struct(m, "OwnedTasks", 32, owned, 2), 0, 0 };
	struct member h = { "shared", add_struct(m, "Shared", 32, &shared, 1), 0, 0 };
	uint32_t handle = add_struct(m, "tokio::runtime::scheduler::current_thread::Handle", 32, &h, 1);
	uint32_t arc = wrap(m, "Arc<Handle>", 8, "ptr", wrap(m, "NonNull<ArcInner>", 8, "pointer",
	                    add_pointer(m, "*const ArcInner", wrap(m, "ArcInner", 32, "data", handle))));
	struct variant flavors[] = { variant_of("CurrentThread", wrap(m, "CurrentThread", 8, "__0", arc), 0, "", 0) };
	uint32_t some = wrap(m, "Some", 16, "__0", add_enum(m, TINFO_NONE, "Handle", 16, 0, flavors, 1));
	struct variant option[] = { variant_of("Some", some, 0, "", 0), variant_of("None", TINFO_NONE, 2, "", 0) };
	uint32_t cell = wrap(m, "UnsafeCell", 16, "value", add_enum(m, TINFO_NONE, "Option<Handle>", 16, 0, option, 2));
	uint32_t current = wrap(m, "HandleCell", 16, "handle", wrap(m, "RefCell", 16, "value", cell));
	uint32_t id = wrap(m, "Cell", 8, "value", wrap(m, "UnsafeCell", 8, "value", niche(m, "Option<Id>", m->u64)));
	struct member context[] = { { "current", current, 0, 0 }, { "current_task_id", id, 16, 0 } };
	add_struct(m, "tokio::runtime::context::Context", 24, context, 2);
}

/* leaf <- `async fn` two(awaits &mut, Box<dyn Future>, itself) */
static void model_futures(struct model *m)
{
	m->leaf = add_struct(m, "core::future::pending::Pending<()>", 0, NULL, 0);
	m->coroutine = build_type_reserve(m->build);
	uint32_t again = add_pointer(m, "&mut a::two::{async_fn_env#0}", m->coroutine);
	uint32_t object = add_struct(m, "dyn core::future::future::Future<Output=()>", 0, NULL, 0);
	struct member wide[] = { { "pointer", add_pointer(m, "*mut dyn", object), 0, 0 },
		                 { "vtable", add_pointer(m, "&vtable", m->u64), 8, 0 } };
	m->boxed_dyn = add_struct(m, "alloc::boxed::Box<dyn core::future::future::Future<Output=()>>", 16, wide, 2);
	struct member to_leaf[] = { { "kept", m->u64, 8, 0 }, { "__3", m->u8, 24, 0 }, { "__awaitee", m->leaf, 16, 0 } };
	struct member to_self = { "__awaitee", again, 8, 0 }, to_dyn = { "__awaitee", m->boxed_dyn, 8, 0 };
	struct variant states[] = {
		variant_of("Unresumed", add_struct(m, "U", 32, NULL, 0), 0, "src/a.rs", 1),
		variant_of("Returned", add_struct(m, "R", 32, NULL, 0), 1, "src/a.rs", 9),
		variant_of("Panicked", add_struct(m, "P", 32, NULL, 0), 2, "src/a.rs", 9),
		variant_of("Suspend0", add_struct(m, "S0", 32, to_leaf, 3), 3, "src/a.rs", 3),
		variant_of("Suspend1", add_struct(m, "S1", 32, &to_self, 1), 4, "src/a.rs", 4),
		variant_of("Suspend2", add_struct(m, "S2", 32, &to_dyn, 1), 5, "x-1.0.0/src/b.rs", 5),
	};
	add_enum(m, m->coroutine, "a::two::{async_fn_env#0}", 32, TYPE_COROUTINE, states, 6);
}

static void model_task(struct model *m)
{
	static const char *const SLOTS[] = { "poll", "trailer_offset", "id_offset" };
	struct member slots[3];
	for (size_t i = 0; i < 3; i++)
		slots[i] = (struct member){ SLOTS[i], m->u64, 8 * i, 0 };
	uint32_t vtable = add_struct(m, "tokio::runtime::task::raw::Vtable", 24, slots, 3);
	struct member header[] = {
		{ "state", m->u64, 0, 0 },
		{ "vtable", add_pointer(m, "&Vtable", vtable), 8, 0 },
		{ "owner_id", wrap(m, "Loom", 8, "__0", wrap(m, "UnsafeCell", 8, "value", niche(m, "Option<u64>", m->u64))), 16, 0 },
	};
	uint32_t head = add_struct(m, "tokio::runtime::task::core::Header", 32, header, 3);
	model_scheduler(m, add_pointer(m, "*const Header", head));
	uint32_t scheduler = add_struct(m, "S", 8, NULL, 0);
	struct variant stages[] = {
		variant_of("Running", wrap(m, "Running", 40, "__0", m->coroutine), 0, "", 0),
		variant_of("Finished", wrap(m, "Finished", 40, "__0", m->u64), 1, "", 0),
		variant_of("Consumed", TINFO_NONE, 2, "", 0),
	};
	for (size_t i = 0; i < 2; i++)
		stages[i].offset = 8;
	uint32_t stage = add_enum(m, TINFO_NONE, "Stage", 48, 0, stages, 3);
	uint32_t core_stage = wrap(m, "CoreStage", 48, "stage", wrap(m, "Loom", 48, "__0", wrap(m, "UnsafeCell", 48, "value", stage)));
	struct member core[] = { { "scheduler", scheduler, 0, 0 }, { "task_id", m->u64, 8, 0 }, { "stage", core_stage, 16, 0 } };
	struct member cell[] = { { "header", head, 0, 0 }, { "core", add_struct(m, "Core", 64, core, 3), 32, 0 },
		                 { "trailer", m->u64, AT_TRAILER, 0 } };
	add_struct(m, "tokio::runtime::task::core::Cell<a::two::{async_fn_env#0}, S>", CELL_SIZE, cell, 3);
	struct function poll = { .kind = FUNCTION_ROLE, .role = "task.poll", .name = "poll", .address = 0x9000,
		                 .type = m->coroutine, .type2 = scheduler, .file = "" };
	uint32_t id = build_function(m->build, &poll);
	struct instance instance = { .address = VTABLE - BIAS, .function = id };
	build_instance(m->build, &instance, NULL, 0);
	struct vtable future = { .address = FUTURE_VTABLE - BIAS, .type = m->coroutine, .slots = 4,
		                 .trait = "core::future::future::Future<Output=()>" };
	build_vtable(m->build, &future);
}

/* The builder's ids are provisional. */
static uint32_t final(struct tinfo *ti, const char *name)
{
	uint32_t first;
	assert_int_equal(tinfo_types_named(ti, name, &first), 1);
	return tinfo_nth_named(ti, first);
}

static struct model *model_new(void)
{
	struct model *m = calloc(1, sizeof *m);
	assert_non_null(m);
	struct target_memory memory = { model_peek, model_read, m };
	struct tinfo *ti;
	m->build = tinfo_build_new();
	m->u8 = add(m, TYPE_BASE, "u8", 1, TINFO_NONE, NULL, 0);
	m->u64 = add(m, TYPE_BASE, "u64", 8, TINFO_NONE, NULL, 0);
	model_futures(m);
	model_task(m);
	build_meta(m->build, "subject_version", "1.54.1");
	assert_null(tinfo_build_finish(m->build, &ti));
	m->coroutine = final(ti, "a::two::{async_fn_env#0}");
	m->leaf = final(ti, "core::future::pending::Pending<()>");
	m->boxed_dyn = final(ti, "alloc::boxed::Box<dyn core::future::future::Future<Output=()>>");
	target_init(&m->target, memory, ti);
	m->target.bias = BIAS;
	m->target.has_bias = true;
	m->tk = calloc(1, sizeof *m->tk);
	m->tk->target = &m->target;
	m->tk->version = V_NEWEST;
	const char *message = tokio_bind_paths(m->tk);
	if (message != NULL)
		fail_msg("%s", message);
	m->tk->runtimes = array_reserve(NULL, &m->tk->runtime_capacity, 0, 1, sizeof *m->tk->runtimes);
	m->tk->runtimes[m->tk->runtime_count++] = (struct runtime){ .flavor = FLAVOR_CURRENT_THREAD, .handle = HANDLE,
		                                                    .list_id = LIST_ID };
	put(m, HANDLE, SHARDS);
	put(m, HANDLE + 8, 2);
	put(m, HANDLE + 24, LIST_ID);
	put(m, VTABLE, BIAS + 0x9000);
	put(m, VTABLE + 8, AT_TRAILER);
	put(m, VTABLE + 16, AT_ID);
	put(m, FUTURE_VTABLE + 8, 32);
	put(m, STRANGE_VTABLE + 8, 32);
	return m;
}

static void model_free(struct model *m)
{
	struct tinfo *ti = m->target.tinfo;
	tokio_free(m->tk);
	tinfo_free(ti);
	free(m);
}

static uint64_t cell_at(unsigned index)
{
	return CELLS + (uint64_t)index * CELL_SIZE;
}

/* A task with id 10 + index, idle, running its coroutine in Suspend0, followed by `next`. */
static void task_put(struct model *m, unsigned index, uint64_t next)
{
	uint64_t at = cell_at(index);
	put(m, at, 0x40);
	put(m, at + 8, VTABLE);
	put(m, at + 16, LIST_ID);
	put(m, at + AT_ID, 10 + index);
	put(m, at + AT_STAGE, 0);
	put(m, at + AT_STAGE + 8, 3);
	put(m, at + AT_TRAILER + 8, next);
}

static void expect_warning(struct model *m, const char *part)
{
	size_t count;
	const char *const *warnings = tokio_warnings(m->tk, &count);
	for (size_t i = 0; i < count; i++)
		if (strstr(warnings[i], part) != NULL)
			return;
	fail_msg("no warning says \"%s\" (%zu; first: %s)", part, count, count > 0 ? warnings[0] : "-");
}

static void two_shards(struct model *m)
{
	put(m, SHARDS, cell_at(0));
	put(m, SHARDS + 16, cell_at(3));
	task_put(m, 0, cell_at(1));
	task_put(m, 1, cell_at(2));
	task_put(m, 2, 0);
	task_put(m, 3, 0);
}

static void lists_all_tasks(void **state)
{
	(void)state;
	struct model *m = model_new();
	size_t count;
	two_shards(m);
	put(m, cell_at(2) + AT_ID, 7); /* order is by id */
	const struct task *tasks = tokio_tasks(m->tk, &count);
	assert_int_equal(count, 4);
	assert_int_equal(tasks[0].id, 7);
	assert_int_equal(tasks[1].id, 10);
	assert_int_equal(tasks[3].id, 13);
	assert_string_equal(tasks[0].class->name, "async fn a::two");
	assert_int_equal(tasks[0].class->state, CLASS_KNOWN);
	assert_ptr_equal(tokio_task_by_id(m->tk, 13), &tasks[3]);
	assert_ptr_equal(tokio_task_by_address(m->tk, cell_at(1)), &tasks[2]);
	assert_null(tokio_task_by_id(m->tk, 0));
	assert_false(tokio_incomplete(m->tk));
	struct task_record record;
	struct chain chain;
	task_record_fill(m->tk, &tasks[0], &record, &chain);
	assert_string_equal(record.awaiting, "src/a.rs:3");
	assert_string_equal(record.state, "idle");
	assert_string_equal(record.wait.text, "never ready");
	assert_int_equal(chain.count, 2);
	assert_int_equal(chain.frames[0].locals, 1); /* the drop flag is none */
	assert_int_equal(record.size, 32);
	model_free(m);
}

/* Damages one shard; the other is whole. */
static void expect_damage(struct model *m, size_t tasks, const char *warning)
{
	size_t count;
	tokio_tasks(m->tk, &count);
	assert_int_equal(count, tasks);
	assert_non_null(tokio_task_by_id(m->tk, 13));
	assert_true(tokio_incomplete(m->tk));
	expect_warning(m, warning);
	model_free(m);
}

static void list_with_a_ring(void **state)
{
	(void)state;
	struct model *m = model_new();
	two_shards(m);
	put(m, cell_at(2) + AT_TRAILER + 8, cell_at(0));
	expect_damage(m, 4, "was already met");
}

static void list_with_a_wild_pointer(void **state)
{
	(void)state;
	struct model *m = model_new();
	two_shards(m);
	put(m, cell_at(1) + AT_TRAILER + 8, 0xdeadbeef000);
	expect_damage(m, 3, "no task at 0xdeadbeef000: not mapped");
}

static void list_with_an_odd_pointer(void **state)
{
	(void)state;
	struct model *m = model_new();
	two_shards(m);
	put(m, cell_at(1) + AT_TRAILER + 8, cell_at(2) + 4);
	expect_damage(m, 3, "not aligned");
}

static void list_with_a_foreign_vtable(void **state)
{
	(void)state;
	struct model *m = model_new();
	two_shards(m);
	put(m, cell_at(1) + 8, HEAP + 0x8); /* a word that is no table */
	expect_damage(m, 2, "its vtable pointer is implausible");
}

static void list_with_damaged_words(void **state)
{
	(void)state;
	struct model *m = model_new();
	two_shards(m);
	put(m, cell_at(0), WORD_RUNNING | WORD_COMPLETE);
	put(m, cell_at(1) + AT_ID, 0);
	put(m, cell_at(2) + 16, 6);
	size_t count;
	const struct task *tasks = tokio_tasks(m->tk, &count);
	assert_int_equal(count, 4);
	assert_int_equal(tasks[3].id, 0); /* last */
	assert_true(tokio_task_by_id(m->tk, 12)->stray);
	expect_warning(m, "both running and complete");
	expect_warning(m, "says it belongs to list 6");
	expect_warning(m, "has no readable id");
	model_free(m);
}

static void lists_that_lie(void **state)
{
	(void)state;
	size_t count;
	struct model *m = model_new();
	put(m, HANDLE + 8, UINT64_MAX);
	tokio_tasks(m->tk, &count);
	assert_int_equal(count, 0);
	expect_warning(m, "claims 18446744073709551615 shards");
	model_free(m);
	m = model_new();
	two_shards(m);
	put(m, HANDLE + 8, 3); /* one shard too many: what lies behind is no list */
	put(m, SHARDS + 32, 0x1234567);
	expect_damage(m, 4, "no task at 0x1234567");
}

static void vtable_that_contradicts(void **state)
{
	(void)state;
	struct model *m = model_new();
	two_shards(m);
	put(m, VTABLE + 16, AT_ID + 8);
	size_t count;
	const struct task *tasks = tokio_tasks(m->tk, &count);
	assert_int_equal(tasks[0].class->state, CLASS_MISMATCH);
	assert_true(tokio_incomplete(m->tk));
	expect_warning(m, "wrong debug information?");
	struct task_record record;
	task_record_fill(m->tk, &tasks[0], &record, NULL);
	assert_null(record.awaiting);
	model_free(m);
}

/* --- chains --- */

enum { F = HEAP + 0x8000 };

static void chain_states(void **state)
{
	(void)state;
	static const struct {
		uint64_t value;
		enum chain_end end;
		const char *name;
	} CASES[] = { { 0, CHAIN_UNRESUMED, "Unresumed" }, { 1, CHAIN_RETURNED, "Returned" },
		      { 2, CHAIN_PANICKED, "Panicked" }, { 3, CHAIN_NEVER, "Suspend0" } };
	struct model *m = model_new();
	struct chain c;
	for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
		put(m, F, CASES[i].value);
		chain_follow(m->tk, F, m->coroutine, &c);
		assert_int_equal(c.end, CASES[i].end);
		assert_string_equal(c.frames[0].state, CASES[i].name);
		assert_true((c.frames[0].file != NULL) == (i == 3)); /* only Suspend states wait */
	}
	put(m, F, 77);
	chain_follow(m->tk, F, m->coroutine, &c);
	assert_int_equal(c.end, CHAIN_UNREADABLE);
	assert_int_equal(c.count, 1);
	chain_follow(m->tk, 0x10, m->coroutine, &c);
	assert_int_equal(c.end, CHAIN_UNREADABLE);
	assert_int_equal(c.fault, 0x10);
	model_free(m);
}

static void chain_through_pointers(void **state)
{
	(void)state;
	struct model *m = model_new();
	struct chain c;
	put(m, F, 4);
	put(m, F + 8, F + 0x100); /* &mut two in Suspend2 */
	put(m, F + 0x100, 5);
	put(m, F + 0x108, F + 0x200); /* Box<dyn Future>: two in Suspend0 */
	put(m, F + 0x110, FUTURE_VTABLE);
	put(m, F + 0x200, 3);
	chain_follow(m->tk, F, m->coroutine, &c);
	assert_int_equal(c.end, CHAIN_NEVER);
	assert_int_equal(c.count, 4);
	assert_false(c.frames[1].dyn);
	assert_true(c.frames[2].dyn);
	assert_false(c.frames[3].dyn);
	assert_int_equal(c.frames[2].address, F + 0x200);
	assert_true(c.frames[1].foreign);
	assert_int_equal(chain_site(&c, true)->line, 4);
	assert_int_equal(chain_site(&c, false)->line, 3);
	put(m, F + 0x110, STRANGE_VTABLE);
	chain_follow(m->tk, F, m->coroutine, &c);
	assert_int_equal(c.end, CHAIN_DYN_UNKNOWN);
	assert_int_equal(c.fault, STRANGE_VTABLE);
	assert_int_equal(c.count, 2);
	put(m, F + 0x110, 0);
	chain_follow(m->tk, F, m->coroutine, &c);
	assert_int_equal(c.end, CHAIN_DYN_UNKNOWN);
	model_free(m);
}

static void chain_rings(void **state)
{
	(void)state;
	struct model *m = model_new();
	struct chain c;
	put(m, F, 4);
	put(m, F + 8, F + 0x100);
	put(m, F + 0x100, 4);
	put(m, F + 0x108, F);
	chain_follow(m->tk, F, m->coroutine, &c);
	assert_int_equal(c.end, CHAIN_CYCLE);
	assert_int_equal(c.count, 2);
	for (uint64_t i = 0; i < CHAIN_DEPTH + 10; i++) {
		put(m, F + i * 0x40, 4);
		put(m, F + i * 0x40 + 8, F + (i + 1) * 0x40);
	}
	chain_follow(m->tk, F, m->coroutine, &c);
	assert_int_equal(c.end, CHAIN_DEEP);
	assert_int_equal(c.count, CHAIN_DEPTH);
	model_free(m);
}

static void sites(void **state)
{
	(void)state;
	struct chain c = { .count = 0 };
	assert_null(chain_site(&c, false));
	c.count = 2;
	c.frames[0] = (struct frame){ .file = "tokio-1.0.0/a.rs", .line = 1, .foreign = true };
	c.frames[1] = (struct frame){ .file = "library/b.rs", .line = 2, .foreign = true };
	assert_int_equal(chain_site(&c, false)->line, 1); /* none is the user's: the outermost */
	c.frames[0].file = NULL;
	assert_int_equal(chain_site(&c, true)->line, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(state_words),
		cmocka_unit_test(versions),
		cmocka_unit_test(rows_per_release),
		cmocka_unit_test(rows_are_whole),
		cmocka_unit_test(roots_make_sense),
		cmocka_unit_test(adapters),
		cmocka_unit_test(lists_all_tasks),
		cmocka_unit_test(list_with_a_ring),
		cmocka_unit_test(list_with_a_wild_pointer),
		cmocka_unit_test(list_with_an_odd_pointer),
		cmocka_unit_test(list_with_a_foreign_vtable),
		cmocka_unit_test(list_with_damaged_words),
		cmocka_unit_test(lists_that_lie),
		cmocka_unit_test(vtable_that_contradicts),
		cmocka_unit_test(chain_states),
		cmocka_unit_test(chain_through_pointers),
		cmocka_unit_test(chain_rings),
		cmocka_unit_test(sites),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
