/* Named paths and discriminants over layouts made with tinfo_build.h and memory made here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/error.h"
#include "model_ids.h"
#include "tinfo/tinfo_build.h"
#include "value/path.h"
#include "value/target.h"

enum { BASE = 0x10000, SIZE = 0x3000 }; /* two whole pages and one cut short by MAPPED */
enum { MAPPED = 0x2800 };

struct fixture {
	unsigned char memory[SIZE];
	struct tinfo_build *build;
	struct tinfo *ti;
	struct target target;
	struct arena arena;
	struct model_ids ids;
	uint32_t u8, u32, u64, u128, unit;
};

static const unsigned char *memory_peek(const void *context, uint64_t address, size_t length)
{
	const struct fixture *f = context;
	if (address < BASE || address - BASE > MAPPED || length > MAPPED - (address - BASE))
		return NULL;
	return f->memory + (address - BASE);
}

static bool memory_read(const void *context, uint64_t address, void *buffer, size_t length)
{
	const unsigned char *at = memory_peek(context, address, length);
	if (at == NULL)
		return false;
	memcpy(buffer, at, length);
	return true;
}

static void put(struct fixture *f, uint64_t address, uint64_t value, size_t width)
{
	for (size_t i = 0; i < width; i++)
		f->memory[address - BASE + i] = (unsigned char)(value >> (8 * i));
}

static uint32_t define(struct fixture *f, uint32_t id, enum type_kind kind, const char *name, uint64_t size,
                       const struct member *members, size_t count)
{
	struct type type = { .kind = kind, .name = name, .size = size, .flags = TYPE_SIZED, .target = TINFO_NONE,
		             .file = "" };
	if (id == TINFO_NONE)
		id = build_type_reserve(f->build);
	model_ids_note(&f->ids, id, name);
	build_type_define(f->build, id, &type, members, count, NULL, 0);
	return id;
}

static uint32_t structure(struct fixture *f, const char *name, uint64_t size, const struct member *members,
                          size_t count)
{
	return define(f, TINFO_NONE, TYPE_STRUCT, name, size, members, count);
}

static uint32_t base(struct fixture *f, const char *name, uint64_t size)
{
	return define(f, TINFO_NONE, TYPE_BASE, name, size, NULL, 0);
}

static uint32_t pointer(struct fixture *f, const char *name, uint32_t to)
{
	struct type type = { .kind = TYPE_POINTER, .name = name, .size = 8, .flags = TYPE_SIZED, .target = to,
		             .file = "" };
	uint32_t id = build_type_reserve(f->build);
	model_ids_note(&f->ids, id, name);
	build_type_define(f->build, id, &type, NULL, 0, NULL, 0);
	return id;
}

static uint32_t enumeration(struct fixture *f, const char *name, uint64_t size, uint32_t discriminant,
                            uint64_t offset, const struct variant *variants, size_t count)
{
	struct type type = { .kind = TYPE_ENUM, .name = name, .size = size, .flags = TYPE_SIZED,
		             .target = discriminant, .extra = offset, .file = "" };
	uint32_t id = build_type_reserve(f->build);
	model_ids_note(&f->ids, id, name);
	build_type_define(f->build, id, &type, NULL, 0, variants, count);
	return id;
}

static struct variant case_of(const char *name, uint32_t payload, uint64_t low, uint64_t high)
{
	return (struct variant){ .name = name, .payload = payload, .value = { low, high }, .flags = VARIANT_VALUE,
		                 .file = "" };
}

static struct variant rest_of(const char *name, uint32_t payload)
{
	return (struct variant){ .name = name, .payload = payload, .file = "" };
}

static struct fixture *begin(void)
{
	struct fixture *f = calloc(1, sizeof *f);
	assert_non_null(f);
	f->build = tinfo_build_new();
	f->u8 = base(f, "u8", 1);
	f->u32 = base(f, "u32", 4);
	f->u64 = base(f, "u64", 8);
	f->u128 = base(f, "u128", 16);
	f->unit = structure(f, "()", 0, NULL, 0);
	return f;
}

static void seal(struct fixture *f)
{
	struct target_memory memory = { memory_peek, memory_read, f };
	assert_null(tinfo_build_finish(f->build, &f->ti));
	target_init(&f->target, memory, f->ti);
}

/* The id that a type has in the finished model. */
static uint32_t final(struct fixture *f, uint32_t id)
{
	return model_ids_final(&f->ids, f->ti, id);
}

static void end(struct fixture *f)
{
	tinfo_free(f->ti);
	arena_release(&f->arena);
	free(f);
}

static struct path bound(struct fixture *f, uint32_t root, const char *text)
{
	struct path p;
	path_bind(&p, &f->target, &f->arena, final(f, root), text);
	if (p.state != PATH_BOUND)
		fail_msg("%s", p.message);
	return p;
}

static void refused(struct fixture *f, uint32_t root, const char *text, enum path_state state, const char *message)
{
	struct path p;
	uint64_t value;
	path_bind(&p, &f->target, &f->arena, final(f, root), text);
	assert_int_equal(p.state, state);
	assert_string_equal(p.message, message);
	assert_int_equal(path_load(&p, &f->target, BASE, &value), OUTCOME_ABSENT);
}

static void expect_load(struct fixture *f, const struct path *p, uint64_t root, enum outcome outcome, uint64_t value)
{
	uint64_t got;
	assert_int_equal(path_load(p, &f->target, root, &got), outcome);
	if (outcome == OUTCOME_VALUE || outcome == OUTCOME_FAILURE)
		assert_int_equal(got, value);
}

static void members_and_offsets(void **state)
{
	(void)state;
	struct fixture *f = begin();
	struct member inner[] = { { "low", f->u32, 0, 0 }, { "high", f->u32, 4, 0 } };
	uint32_t in = structure(f, "In", 8, inner, 2);
	struct member outer[] = { { "x", f->u64, 8, 0 }, { "in", in, 16, 0 } };
	uint32_t out = structure(f, "Out", 24, outer, 2);
	seal(f);
	struct path p = bound(f, out, ".in.high");
	uint64_t offset;
	assert_true(path_is_offset(&p, &offset));
	assert_int_equal(offset, 20);
	assert_int_equal(p.type, final(f, f->u32));
	put(f, BASE + 120, 0xdeadbeef, 4);
	expect_load(f, &p, BASE + 100, OUTCOME_VALUE, 0xdeadbeef);
	p = bound(f, out, "");
	assert_int_equal(p.type, final(f, out));
	assert_int_equal(p.width, 0);
	end(f);
}

static void pointers(void **state)
{
	(void)state;
	struct fixture *f = begin();
	struct member m = { "v", f->u64, 8, 0 };
	uint32_t to = structure(f, "To", 16, &m, 1);
	uint32_t ptr = pointer(f, "*const To", to);
	struct member h = { "p", ptr, 0, 0 };
	uint32_t holder = structure(f, "Holder", 8, &h, 1);
	seal(f);
	struct path p = bound(f, holder, ".p->.v");
	put(f, BASE, BASE + 0x100, 8);
	put(f, BASE + 0x108, 77, 8);
	expect_load(f, &p, BASE, OUTCOME_VALUE, 77);
	put(f, BASE, 0, 8);
	expect_load(f, &p, BASE, OUTCOME_NULL, 0);
	put(f, BASE, 0x7fff0000, 8);
	expect_load(f, &p, BASE, OUTCOME_FAILURE, 0x7fff0008);
	put(f, BASE, UINT64_MAX - 3, 8); /* wraps around */
	expect_load(f, &p, BASE, OUTCOME_FAILURE, 4);
	expect_load(f, &p, 0x50, OUTCOME_FAILURE, 0x50);
	put(f, BASE, 0, 8);
	p = bound(f, holder, ".p"); /* a null pointer as the end is a value */
	expect_load(f, &p, BASE, OUTCOME_VALUE, 0);
	end(f);
}

static void reads_at_borders(void **state)
{
	(void)state;
	struct fixture *f = begin();
	struct member m = { "v", f->u64, 0, 0 };
	uint32_t s = structure(f, "S", 8, &m, 1);
	seal(f);
	struct path p = bound(f, s, ".v");
	put(f, BASE + 0xffc, 0x1122334455667788, 8); /* across two pages */
	expect_load(f, &p, BASE + 0xffc, OUTCOME_VALUE, 0x1122334455667788);
	put(f, BASE + MAPPED - 8, 5, 8); /* in a page that is only there in part */
	expect_load(f, &p, BASE + MAPPED - 8, OUTCOME_VALUE, 5);
	expect_load(f, &p, BASE + MAPPED - 7, OUTCOME_FAILURE, BASE + MAPPED - 7);
	end(f);
}

static void niche_option(void **state)
{
	(void)state;
	struct fixture *f = begin();
	uint32_t target = structure(f, "Node", 8, NULL, 0);
	uint32_t ptr = pointer(f, "*const Node", target);
	struct member inside = { "pointer", ptr, 0, 0 };
	uint32_t nonnull = structure(f, "NonNull<Node>", 8, &inside, 1);
	struct member payload = { "__0", nonnull, 0, 0 };
	uint32_t some = structure(f, "Some", 8, &payload, 1), none = structure(f, "None", 8, NULL, 0);
	struct variant variants[] = { case_of("None", none, 0, 0), rest_of("Some", some) };
	uint32_t option = enumeration(f, "Option<NonNull<Node>>", 8, f->u64, 0, variants, 2);
	struct member h = { "head", option, 8, 0 };
	uint32_t list = structure(f, "List", 16, &h, 1);
	struct member only = { "head", option, 0, 0 };
	uint32_t wrapper = structure(f, "Wrapper", 8, &only, 1);
	seal(f);
	struct path p = bound(f, list, ".head<Some>.__0.pointer");
	put(f, BASE + 8, 0, 8);
	expect_load(f, &p, BASE, OUTCOME_VARIANT, 0);
	put(f, BASE + 8, 0xabc0, 8);
	expect_load(f, &p, BASE, OUTCOME_VALUE, 0xabc0);
	p = bound(f, list, ".head<None>");
	expect_load(f, &p, BASE, OUTCOME_VARIANT, 0);
	refused(f, wrapper, "~w", PATH_BROKEN,
	        "`~w` on Wrapper: peeling does not end as `~w` asks in `Option<NonNull<Node>>` (it has None, Some)");
	refused(f, list, ".head<Many>", PATH_ABSENT,
	        "`.head<Many>` on List: no variant `Many` in `Option<NonNull<Node>>` (it has None, Some)");
	end(f);
}

static void wide_discriminants(void **state)
{
	(void)state;
	struct fixture *f = begin();
	struct member m = { "__0", f->u8, 16, 0 };
	uint32_t a = structure(f, "A", 32, &m, 1), b = structure(f, "B", 32, &m, 1);
	struct variant variants[] = { case_of("A", a, 5, UINT64_MAX), case_of("B", b, 5, 0) };
	uint32_t wide = enumeration(f, "Wide", 32, f->u128, 0, variants, 2);
	struct variant negative[] = { case_of("Minus", f->unit, 0xffffffffffffffff, 0), case_of("One", f->unit, 1, 0) };
	uint32_t byte = enumeration(f, "Byte", 1, f->u8, 0, negative, 2);
	seal(f);
	struct path pa = bound(f, wide, "<A>.__0"), pb = bound(f, wide, "<B>.__0");
	put(f, BASE, 5, 8);
	put(f, BASE + 8, UINT64_MAX, 8);
	put(f, BASE + 16, 9, 1);
	expect_load(f, &pa, BASE, OUTCOME_VALUE, 9);
	expect_load(f, &pb, BASE, OUTCOME_VARIANT, 0);
	put(f, BASE + 8, 0, 8);
	expect_load(f, &pb, BASE, OUTCOME_VALUE, 9);
	put(f, BASE + 8, 1, 8); /* no variant: a failure, never a guess */
	expect_load(f, &pa, BASE, OUTCOME_FAILURE, BASE);
	struct enum_plan plan;
	uint32_t live;
	assert_true(enum_plan_make(&plan, &f->target, &f->arena, final(f, byte)));
	put(f, BASE, 0xff, 1);
	assert_int_equal(enum_plan_live(&plan, &f->target, BASE, &live), OUTCOME_VALUE);
	assert_int_equal(live, 0);
	put(f, BASE, 2, 1);
	assert_int_equal(enum_plan_live(&plan, &f->target, BASE, &live), OUTCOME_FAILURE);
	end(f);
}

static void odd_enums(void **state)
{
	(void)state;
	struct fixture *f = begin();
	struct member m = { "__0", f->u64, 0, 0 };
	uint32_t payload = structure(f, "Only", 8, &m, 1);
	struct variant only = rest_of("Only", payload);
	uint32_t univariant = enumeration(f, "Univariant", 8, TINFO_NONE, 0, &only, 1);
	uint32_t never = enumeration(f, "Never", 0, TINFO_NONE, 0, NULL, 0);
	uint32_t odd = base(f, "u24", 3);
	struct variant one = case_of("Only", payload, 0, 0);
	uint32_t broken = enumeration(f, "Broken", 8, odd, 0, &one, 1);
	uint32_t outside = enumeration(f, "Outside", 8, f->u64, 4, &one, 1);
	seal(f);
	struct path p = bound(f, univariant, "<Only>.__0");
	uint64_t offset;
	assert_true(path_is_offset(&p, &offset)); /* nothing to check */
	struct enum_plan plan;
	uint32_t live;
	assert_true(enum_plan_make(&plan, &f->target, &f->arena, final(f, never)));
	assert_int_equal(enum_plan_live(&plan, &f->target, BASE, &live), OUTCOME_FAILURE);
	assert_false(enum_plan_make(&plan, &f->target, &f->arena, final(f, broken)));
	assert_false(enum_plan_make(&plan, &f->target, &f->arena, final(f, outside)));
	assert_false(enum_plan_make(&plan, &f->target, &f->arena, final(f, f->u64)));
	refused(f, broken, "<Only>.__0", PATH_BROKEN,
	        "`<Only>.__0` on Broken: discriminant of no readable size before `Only` in `Broken` (it has Only)");
	end(f);
}

static void any_variant(void **state)
{
	(void)state;
	struct fixture *f = begin();
	struct member left[] = { { "when", f->u64, 16, 0 } }, right[] = { { "when", f->u64, 8, 0 } };
	struct member other[] = { { "when", f->u32, 8, 0 } };
	uint32_t l = structure(f, "Left", 24, left, 1), r = structure(f, "Right", 24, right, 1);
	uint32_t o = structure(f, "Other", 24, other, 1), nothing = structure(f, "Nothing", 24, NULL, 0);
	struct variant variants[] = { case_of("Left", l, 0, 0), case_of("Right", r, 1, 0) };
	uint32_t both = enumeration(f, "Both", 24, f->u8, 0, variants, 2);
	struct member at = { "timer", both, 8, 0 };
	uint32_t holder = structure(f, "Holder", 32, &at, 1);
	struct variant differing[] = { case_of("Left", l, 0, 0), case_of("Other", o, 1, 0) };
	uint32_t mixed = enumeration(f, "Mixed", 24, f->u8, 0, differing, 2);
	struct variant lacking[] = { case_of("Left", l, 0, 0), case_of("Nothing", nothing, 1, 0) };
	uint32_t partial = enumeration(f, "Partial", 24, f->u8, 0, lacking, 2);
	seal(f);
	struct path p = bound(f, holder, ".timer<*>.when");
	assert_int_equal(p.type, final(f, f->u64));
	put(f, BASE + 8, 0, 1);
	put(f, BASE + 16, 222, 8);
	put(f, BASE + 24, 111, 8);
	expect_load(f, &p, BASE, OUTCOME_VALUE, 111);
	put(f, BASE + 8, 1, 1);
	expect_load(f, &p, BASE, OUTCOME_VALUE, 222);
	put(f, BASE + 8, 2, 1);
	expect_load(f, &p, BASE, OUTCOME_FAILURE, BASE + 8);
	refused(f, mixed, "<*>.when", PATH_BROKEN,
	        "`<*>.when` on Mixed: `<*>` ends at several types in `Mixed` (it has Left, Other)");
	refused(f, partial, "<*>.when", PATH_BROKEN, "`.when` on Nothing: no member `when` in `Nothing` (it has nothing)");
	end(f);
}

static void generic_argument(void **state)
{
	(void)state;
	struct fixture *f = begin();
	struct member v = { "v", f->u64, 0, 0 };
	uint32_t shard = structure(f, "a::Shard<b::X, (u8, u8)>", 8, &v, 1);
	struct member data = { "value", shard, 0, 0 };
	uint32_t cell = structure(f, "UnsafeCell<a::Shard<b::X, (u8, u8)>>", 8, &data, 1);
	struct member parts[] = { { "raw", f->u8, 0, 0 }, { "data", cell, 8, 0 } };
	uint32_t real = structure(f, "lock::Mutex<Raw, a::Shard<b::X, (u8, u8)>>", 16, parts, 2);
	uint32_t phantom = structure(f, "PhantomData<a::Shard<b::X, (u8, u8)>>", 0, NULL, 0);
	struct member m[] = { { "__0", phantom, 0, 0 }, { "__1", real, 8, 0 } };
	uint32_t mutex = structure(f, "loom::Mutex<a::Shard<b::X, (u8, u8)>>", 24, m, 2);
	seal(f);
	struct path p = bound(f, mutex, "?T.v");
	uint64_t offset;
	assert_true(path_is_offset(&p, &offset));
	assert_int_equal(offset, 16);
	refused(f, real, "?T.v", PATH_BROKEN,
	        "`?T.v` on lock::Mutex<Raw, a::Shard<b::X, (u8, u8)>>: no sole generic argument in "
	        "`lock::Mutex<Raw, a::Shard<b::X, (u8, u8)>>` (it has raw, data)");
	refused(f, phantom, "?T", PATH_BROKEN,
	        "`?T` on PhantomData<a::Shard<b::X, (u8, u8)>>: no member of type `a::Shard<b::X, (u8, u8)>` in "
	        "`PhantomData<a::Shard<b::X, (u8, u8)>>` (it has nothing)");
	end(f);
}

static void sole_arguments(void **state)
{
	(void)state;
	static const struct {
		const char *name, *argument;
	} CASES[] = {
		{ "A<B>", "B" },
		{ "A<B<C, D>>", "B<C, D>" },
		{ "A<(B, C)>", "(B, C)" },
		{ "A<fn(B, C) -> D>", "fn(B, C) -> D" },
		{ "A<dyn Fn(B) -> C<D>>", "dyn Fn(B) -> C<D>" },
		{ "A<B, C>", "" },
		{ "A", "" },
		{ "A<B>::C<D>", "" },
		{ "A<>", "" },
		{ ">", "" },
		{ "", "" },
	};
	for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
		uint32_t length;
		const char *at = type_sole_argument(CASES[i].name, &length);
		assert_int_equal(length, strlen(CASES[i].argument));
		assert_memory_equal(at, CASES[i].argument, length);
	}
}

static void peeling(void **state)
{
	(void)state;
	struct fixture *f = begin();
	struct member w = { "value", f->u64, 0, 0 };
	uint32_t cell = structure(f, "UnsafeCell<u64>", 8, &w, 1);
	struct member a[] = { { "marker", f->unit, 8, 0 }, { "v", cell, 0, 0 } };
	uint32_t atomic = structure(f, "Atomic<u64>", 8, a, 2);
	struct member shifted = { "v", cell, 8, 0 };
	uint32_t padded = structure(f, "Padded", 16, &shifted, 1);
	uint32_t ptr = pointer(f, "*const u8", f->u8);
	struct member p1 = { "p", ptr, 0, 0 };
	uint32_t atomic_pointer = structure(f, "AtomicPtr<u8>", 8, &p1, 1);
	struct member b = { "b", f->u8, 0, 0 };
	uint32_t flag = structure(f, "AtomicBool", 1, &b, 1);
	seal(f);
	struct path p = bound(f, atomic, "~w");
	assert_int_equal(p.width, 8);
	p = bound(f, atomic_pointer, "~p");
	p = bound(f, flag, "~1");
	assert_int_equal(p.width, 1);
	refused(f, flag, "~w", PATH_BROKEN, "`~w` on AtomicBool: peeling does not end as `~w` asks in `u8`");
	refused(f, padded, "~w", PATH_BROKEN,
	        "`~w` on Padded: peeling does not end as `~w` asks in `Padded` (it has v)");
	refused(f, atomic, "~p", PATH_BROKEN, "`~p` on Atomic<u64>: peeling does not end as `~p` asks in `u64`");
	assert_int_equal(type_peel(&f->target, final(f, atomic)), final(f, f->u64));
	end(f);
}

static void self_containing_types(void **state)
{
	(void)state;
	struct fixture *f = begin();
	uint32_t ring = build_type_reserve(f->build);
	struct member m = { "again", ring, 0, 0 }; /* by value in itself: only damage says so */
	define(f, ring, TYPE_STRUCT, "Ring<Nowhere>", 8, &m, 1);
	uint32_t bush = build_type_reserve(f->build);
	struct member twigs[8];
	for (int i = 0; i < 8; i++)
		twigs[i] = (struct member){ "twig", bush, 0, 0 };
	define(f, bush, TYPE_STRUCT, "Bush<Nowhere>", 8, twigs, 8);
	seal(f);
	assert_int_equal(type_peel(&f->target, final(f, ring)), final(f, ring));
	refused(f, ring, "?T", PATH_BROKEN,
	        "`?T` on Ring<Nowhere>: no member of type `Nowhere` in `Ring<Nowhere>` (it has again)");
	uint64_t offset;
	uint32_t found;
	assert_false(type_find_inside(&f->target, final(f, bush), TINFO_NONE, "Nowhere", &offset, &found));
	end(f);
}

static void binding_messages(void **state)
{
	(void)state;
	struct fixture *f = begin();
	struct member m[] = { { "a", f->u64, 0, 0 }, { "b", f->u64, 8, 0 } };
	uint32_t s = structure(f, "crate::S", 16, m, 2);
	uint32_t unknown = build_type_reserve(f->build); /* opaque */
	struct member h = { "o", unknown, 0, 0 };
	uint32_t holder = structure(f, "Holder", 8, &h, 1);
	seal(f);
	refused(f, s, ".c.d", PATH_BROKEN, "`.c.d` on crate::S: no member `c` in `crate::S` (it has a, b)");
	refused(f, s, ".a.d", PATH_BROKEN, "`.a.d` on crate::S: no member `d` in `u64`");
	refused(f, s, ".a->", PATH_BROKEN, "`.a->` on crate::S: no pointer to follow in `u64`");
	refused(f, s, "<V>", PATH_BROKEN, "`<V>` on crate::S: no enum with a variant `V` in `crate::S` (it has a, b)");
	refused(f, s, "a", PATH_BROKEN, "`a` on crate::S: bad path syntax at `a` in `crate::S` (it has a, b)");
	refused(f, s, ".", PATH_BROKEN, "`.` on crate::S: bad path syntax at `` in `crate::S` (it has a, b)");
	refused(f, TINFO_NONE, ".a", PATH_ABSENT, "`.a`: its root type is not in this build");
	struct path p;
	path_bind(&p, &f->target, &f->arena, final(f, holder), ".o.x");
	assert_int_equal(p.state, PATH_ABSENT);
	end(f);
}

static void alternatives(void **state)
{
	(void)state;
	struct fixture *f = begin();
	struct member m[] = { { "old", f->u32, 4, 0 } };
	uint32_t s = structure(f, "S", 8, m, 1);
	seal(f);
	struct path p = bound(f, s, ".new | .newer | .old");
	uint64_t offset;
	assert_true(path_is_offset(&p, &offset));
	assert_int_equal(offset, 4);
	refused(f, s, ".new | .newer", PATH_BROKEN, "`.new` on S: no member `new` in `S` (it has old)");
	end(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(members_and_offsets), cmocka_unit_test(pointers),
		cmocka_unit_test(reads_at_borders),    cmocka_unit_test(niche_option),
		cmocka_unit_test(wide_discriminants),  cmocka_unit_test(odd_enums),
		cmocka_unit_test(any_variant),         cmocka_unit_test(generic_argument),
		cmocka_unit_test(sole_arguments),      cmocka_unit_test(peeling),
		cmocka_unit_test(self_containing_types), cmocka_unit_test(binding_messages),
		cmocka_unit_test(alternatives),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
