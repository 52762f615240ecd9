/* Native stacks: expressions, call-frame information made by hand, steps over synthetic cores. Called with
 * arguments it prints the stacks of a core instead (unwind_frames.h). */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "unwind_frames.h"
static void test_nothing(void **s) { (void)s; }

int main(int argc, char **argv)
{
	if (argc > 1)
		return unwind_frames_main(argc, argv);
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_nothing) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
