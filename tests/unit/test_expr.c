/* The path grammar over the small model: steps, ranges, and what is said of paths that lead nowhere. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/error.h"
#include "base/strbuf.h"
#include "value/expr.h"
#include "value_model.h"

/* Collects "LABELADDRESS " of each value. */
static bool note(void *context, const struct expr_result *result)
{
	struct strbuf *out = context;
	if (result->error != NULL)
		strbuf_addf(out, "%s<%s> ", result->label, result->error);
	else
		strbuf_addf(out, "%s%llx ", result->label, (unsigned long long)(result->value.address - BASE));
	return true;
}

static void leads_to(struct value_model *m, uint32_t type, const char *path, const char *where)
{
	struct strbuf out = STRBUF_INIT;
	uint64_t count;
	struct error *err = expr_evaluate(&m->viewer, (struct value){ type, BASE }, path, note, &out, &count);
	if (err != NULL)
		fail_msg("%s: %s", path, error_message(err));
	assert_string_equal(out.text, where);
	strbuf_release(&out);
}

static void fails(struct value_model *m, uint32_t type, const char *path, enum error_code code, const char *says)
{
	struct strbuf out = STRBUF_INIT;
	uint64_t count;
	struct error *err = expr_evaluate(&m->viewer, (struct value){ type, BASE }, path, note, &out, &count);
	assert_non_null(err);
	assert_int_equal(error_code(err), code);
	if (strstr(error_message(err), says) == NULL)
		fail_msg("%s: %s", path, error_message(err));
	error_free(err);
	strbuf_release(&out);
}

static void test_members(void **state)
{
	struct value_model *m = value_model_new();
	(void)state;
	leads_to(m, m->outer, "", "0 ");
	leads_to(m, m->outer, "point.y", "c ");
	leads_to(m, m->outer, ".point .y", "c ");
	leads_to(m, m->newtype, "0", "0 ");
	fails(m, m->outer, "point.z", ERROR_NOT_FOUND, "no member 'z' in shop::Point; it has x, y");
	fails(m, m->outer, "point.", ERROR_USAGE, "a name is missing");
	fails(m, m->outer, "point)", ERROR_NOT_FOUND, "no member 'point)'");
	fails(m, m->outer, "point.x.y.z", ERROR_NOT_FOUND, "no member 'y' in u32");
	value_model_free(m);
}

static void test_through_pointers(void **state)
{
	struct value_model *m = value_model_new();
	(void)state;
	value_model_put(m, BASE, BASE + 0x40, 8);
	leads_to(m, m->reference, "x", "40 ");
	leads_to(m, m->reference, "*", "40 ");
	leads_to(m, m->reference, "*.y", "44 ");
	value_model_put(m, BASE + 0x40, BASE, 8);
	leads_to(m, m->link, "next.next.next", "0 ");
	value_model_put(m, BASE, 0, 8);
	fails(m, m->reference, "x", ERROR_NOT_FOUND, "a null pointer is on the way");
	fails(m, m->reference, "*", ERROR_NOT_FOUND, "the pointer is null");
	fails(m, m->u32, "*", ERROR_NOT_FOUND, "u32 is no pointer");
	value_model_free(m);
}

static void test_variants(void **state)
{
	struct value_model *m = value_model_new();
	(void)state;
	value_model_put(m, BASE, 1, 4);
	leads_to(m, m->shape, "Square.side", "4 ");
	leads_to(m, m->option, "Some.0", "4 ");
	fails(m, m->shape, "Dot", ERROR_NOT_FOUND, "no variant 'Dot' is live in shop::Shape; the live one is Square");
	fails(m, m->shape, "side", ERROR_NOT_FOUND, "the live one is Square");
	value_model_put(m, BASE, 9, 4);
	fails(m, m->shape, "Square", ERROR_UNMAPPED, "no variant has this discriminant");
	value_model_free(m);
}

static void test_ranges(void **state)
{
	struct value_model *m = value_model_new();
	(void)state;
	value_model_put(m, BASE, BASE + 0x100, 8);
	value_model_put(m, BASE + 8, 4, 8);
	leads_to(m, m->slice, "[2]", "108 ");
	leads_to(m, m->slice, "[1..3]", "[1] 104 [2] 108 ");
	leads_to(m, m->slice, "[1..=3]", "[1] 104 [2] 108 [3] 10c ");
	leads_to(m, m->slice, "[..2]", "[0] 100 [1] 104 ");
	leads_to(m, m->slice, "[3..]", "[3] 10c ");
	leads_to(m, m->slice, "[3..99]", "[3] 10c ");
	leads_to(m, m->slice, "[7..]", "");
	leads_to(m, m->slice, "[2..2]", "");
	leads_to(m, m->slice, "[0..1].x", "[0] <no member 'x' in u32; it has none> ");
	fails(m, m->slice, "[4]", ERROR_NOT_FOUND, "[4]: there are 4 elements");
	fails(m, m->slice, "[", ERROR_USAGE, "a number or range is missing");
	fails(m, m->slice, "[1", ERROR_USAGE, "']' is missing");
	fails(m, m->slice, "[3..1]", ERROR_USAGE, "starts past its end");
	fails(m, m->slice, "[1..=]", ERROR_USAGE, "an end is missing");
	fails(m, m->outer, "[0]", ERROR_NOT_FOUND, "shop::Outer has no elements");
	value_model_put(m, BASE, BASE + MODEL_SIZE - 4, 8); /* one element, then nothing */
	leads_to(m, m->slice, "[..]", "[0] 1ffc <unreadable after 1 elements> ");
	value_model_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_members),
		cmocka_unit_test(test_through_pointers),
		cmocka_unit_test(test_variants),
		cmocka_unit_test(test_ranges),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
