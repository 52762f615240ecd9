#include "unwind_frames.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/strbuf.h"
#include "core/core.h"
#include "elf/elf_file.h"
#include "unwind/objects.h"
#include "unwind/unwind.h"

static double seconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void check(struct error *err)
{
	if (err == NULL)
		return;
	fprintf(stderr, "%s\n", error_message(err));
	exit(1);
}

static void registers_print(const struct unwinder *u, const struct unwind_frame *f)
{
	static const char *const names[] = { "rsp", "rbx", "rbp", "r12", "r13", "r14", "r15" };
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		uint64_t value;
		if (frame_register(u, f, names[i], &value))
			printf(" 0x%" PRIx64, value);
		else
			printf(" -");
	}
	putchar('\n');
}

static void frame_print(uint32_t lwp, const struct unwind_frame *f, bool symbols)
{
	struct strbuf name = STRBUF_INIT;
	frame_name(&name, f);
	printf("%" PRIu32 " 0x%" PRIx64 " %s%s%s%s %s\n", lwp, f->pc, f->heuristic ? "h" : "", f->signal ? "s" : "",
	       f->exact ? "e" : "", !f->heuristic && !f->signal && !f->exact ? "-" : "", symbols ? name.text : "");
	strbuf_release(&name);
}

static size_t stacks_print(const struct core *core, struct unwinder *u, size_t max, bool symbols, bool registers,
                           double *walking)
{
	size_t threads, count, all = 0;
	const char *why;
	struct unwind_frame *frames = calloc(max, sizeof *frames);
	const struct core_thread *t = core_threads(core, &threads);
	for (size_t i = 0; frames != NULL && i < threads; i++) {
		double start = seconds();
		unwind_thread(u, &t[i], frames, max, &count, &why);
		*walking += seconds() - start;
		for (size_t k = 0; k < count; k++) {
			if (!registers) {
				frame_print(t[i].lwp, &frames[k], symbols);
				continue;
			}
			printf("%" PRIu32 " 0x%" PRIx64, t[i].lwp, frames[k].pc);
			registers_print(u, &frames[k]);
		}
		if (why != NULL)
			printf("%" PRIu32 " why %s\n", t[i].lwp, why);
		all += count;
	}
	free(frames);
	return all;
}

int unwind_frames_main(int argc, char **argv)
{
	struct core *core;
	struct elf_file *elf = NULL;
	const char *sysroot = NULL;
	size_t max = UNWIND_FRAMES, count;
	bool symbols = true, registers = false;
	for (int option; (option = getopt(argc, argv, "gnm:r:")) != -1;) {
		if (option == 'n')
			symbols = false;
		else if (option == 'g')
			registers = true;
		else if (option == 'm')
			max = (size_t)strtoul(optarg, NULL, 10);
		else if (option == 'r')
			sysroot = optarg;
		else
			return 2;
	}
	if (optind == argc || max == 0)
		return 2;
	check(core_open(&core, argv[optind]));
	if (optind + 1 < argc) {
		check(elf_open(&elf, argv[optind + 1]));
		check(core_back_with_executable(core, elf));
	}
	double start = seconds(), walking = 0;
	struct objects *objects = objects_open(core, elf, sysroot);
	struct unwinder *u = unwinder_open(core, objects);
	unwinder_set_symbols(u, symbols);
	double opened = seconds() - start;
	size_t frames = stacks_print(core, u, max, symbols, registers, &walking);
	const char *const *warnings = objects_warnings(objects, &count);
	for (size_t i = 0; i < count; i++)
		fprintf(stderr, "warning: %s\n", warnings[i]);
	core_threads(core, &count);
	fprintf(stderr, "time: %zu frames of %zu threads, objects %.2f ms, walk %.2f ms\n", frames, count, opened * 1e3,
	        walking * 1e3);
	unwinder_close(u);
	objects_close(objects);
	core_close(core);
	elf_close(elf);
	return 0;
}
