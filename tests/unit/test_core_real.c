/* Cores of a small C program that prints its own ground truth: from the kernel and from gcore, of all four ways
 * to link it. Parts are skipped, with a word about it, without a compiler, gdb, or leave to dump. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include <dirent.h>
#include <elf.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "core/core.h"
#include "core_build.h"

static void expect_ok(struct error *err)
{
	if (err != NULL)
		fail_msg("%s", error_message(err));
}

static const char PROGRAM[] =
	"#include <pthread.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <unistd.h>\n"
	"#include <sys/syscall.h>\n"
	"_Thread_local char odd_sized[3];\n"
	"_Thread_local struct { long value; } __attribute__((aligned(64))) probe = { 7 };\n"
	"const char text[] = \"read-only text of the program\";\n"
	"long written = 1;\n"
	"static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;\nstatic pthread_barrier_t barrier;\n"
	"static void tell(long v) { probe.value = v; odd_sized[1] = 1; pthread_mutex_lock(&lock);\n"
	"  printf(\"thread %ld %p %ld\\n\", (long)syscall(SYS_gettid), (void *)&probe, v); pthread_mutex_unlock(&lock); }\n"
	"static void *run(void *p) { tell((long)p); pthread_barrier_wait(&barrier); for (;;) pause(); }\n"
	"int main(int argc, char **argv) { pthread_t t; (void)argv; pthread_barrier_init(&barrier, NULL, 4);\n"
	"  for (long i = 1; i < 4; i++) pthread_create(&t, NULL, run, (void *)(i * 1111));\n"
	"  tell(4444); pthread_barrier_wait(&barrier); written = 99;\n"
	"  printf(\"main %p\\ntext %p\\nwritten %p\\n\", (void *)main, (void *)text, (void *)&written);\n"
	"  printf(\"ready\\n\"); fflush(stdout); if (argc == 1) abort(); for (;;) pause(); }\n";

static char work[256]; /* directory of the program */

static bool shell(const char *format, ...) __attribute__((format(printf, 1, 2)));

static bool shell(const char *format, ...)
{
	char command[2000];
	va_list args;
	va_start(args, format);
	vsnprintf(command, sizeof command, format, args);
	va_end(args);
	int status = system(command);
	return status != -1 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* The one file whose name begins with `prefix`. */
static bool find_file(const char *prefix, char *out, size_t size)
{
	bool found = false;
	DIR *d = opendir(work);
	for (struct dirent *e; d != NULL && (e = readdir(d)) != NULL;)
		if (strncmp(e->d_name, prefix, strlen(prefix)) == 0) {
			snprintf(out, size, "%s/%s", work, e->d_name);
			found = true;
		}
	if (d != NULL)
		closedir(d);
	return found;
}

static bool kernel_core(char *out, size_t size)
{
	char pattern[200] = "";
	FILE *f = fopen("/proc/sys/kernel/core_pattern", "r");
	if (f != NULL) {
		if (fgets(pattern, sizeof pattern, f) == NULL)
			pattern[0] = '\0';
		fclose(f);
	}
	if (strncmp(pattern, "core", 4) != 0) {
		print_message("skipped: core_pattern sends cores elsewhere: %s\n", pattern);
		return false;
	}
	shell("cd %s && ulimit -c unlimited && rm -f core* && { ./program > out 2>/dev/null; } 2>/dev/null", work);
	if (find_file("core", out, size))
		return true;
	print_message("skipped: the kernel wrote no core (limits?)\n");
	return false;
}

static bool gdb_core(char *out, size_t size)
{
	if (!shell("command -v gdb gcore > /dev/null")) {
		print_message("skipped: gdb is not installed\n");
		return false;
	}
	if (shell("cd %s && rm -f gcore*; { ./program stay > out & } ; p=$!; n=0;"
	          " until grep -q ready out || [ $n = 100 ]; do sleep 0.1; n=$((n+1)); done;"
	          " gcore -o gcore $p > gdb.log 2>&1; s=$?; kill $p; exit $s", work) &&
	    find_file("gcore", out, size))
		return true;
	print_message("skipped: gcore may not dump this program\n");
	return false;
}

static uint64_t tls_address(const struct core *core, struct elf_file *elf, const struct core_thread *t)
{
	size_t count;
	uint64_t address = 0;
	const struct elf_segment *s = elf_segments(elf, &count), *tls = NULL;
	for (size_t i = 0; i < count; i++)
		if (s[i].type == PT_TLS)
			tls = &s[i];
	assert_non_null(tls);
	const struct elf_symbol *symbols = elf_tls_symbols(elf, &count);
	for (size_t i = 0; i < count; i++)
		if (strcmp(symbols[i].name, "probe") == 0)
			assert_true(core_tls_address(core, t, tls->vaddr, tls->memory_size, tls->alignment, symbols[i].value, &address));
	return address;
}

static uint64_t symbol_value(struct elf_file *elf, const char *name)
{
	size_t count;
	const struct elf_symbol *s = elf_symbols(elf, &count);
	for (size_t i = 0; i < count; i++)
		if (strcmp(s[i].name, name) == 0)
			return s[i].value;
	fail_msg("no symbol %s", name);
	return 0;
}

/* Each line of the program's output against the core. Returns the number of threads compared. */
static size_t check_truth(const struct core *core, struct elf_file *elf)
{
	char line[200], name[400], word[20];
	uint64_t bias = core_executable(core)->bias, address, value, size;
	unsigned lwp;
	size_t threads = 0;
	long expected;
	snprintf(name, sizeof name, "%s/out", work);
	FILE *f = fopen(name, "r");
	assert_non_null(f);
	const unsigned char *image;
	while (fgets(line, sizeof line, f) != NULL) {
		if (sscanf(line, "thread %u %" SCNx64 " %ld", &lwp, &address, &expected) == 3) {
			const struct core_thread *t = core_thread_by_lwp(core, lwp);
			assert_non_null(t);
			assert_int_equal(tls_address(core, elf, t), address);
			assert_true(core_read_uint(core, address, 8, &value));
			assert_int_equal(value, expected);
			threads++;
		} else if (sscanf(line, "%19s %" SCNx64, word, &address) == 2) {
			assert_int_equal(address, bias + symbol_value(elf, word));
			assert_true(core_read_uint(core, address, 8, &value));
			image = elf_image(elf, address - bias, &size);
			assert_true(image != NULL && size >= 8);
			if (strcmp(word, "written") == 0)
				assert_int_equal(value, 99);
			else
				assert_memory_equal(image, &value, 8);
		}
	}
	fclose(f);
	return threads;
}

/* Program counters, stack pointers and fs_base of all threads, as gdb has them. */
static void check_registers(const struct core *core, const char *path)
{
	char command[2000];
	uint64_t pc, sp, fs;
	size_t seen = 0, count, right = 0;
	if (!shell("command -v gdb > /dev/null")) {
		print_message("registers not compared: gdb is not installed\n");
		return;
	}
	snprintf(command, sizeof command,
	         "gdb -nx -batch -ex 'thread apply all -q printf \"R %%lx %%lx %%lx\\n\", $pc, $sp, $fs_base' %s/program %s 2>/dev/null",
	         work, path);
	FILE *f = popen(command, "r");
	assert_non_null(f);
	const struct core_thread *t = core_threads(core, &count);
	for (char line[300]; fgets(line, sizeof line, f) != NULL;) {
		if (sscanf(line, "R %" SCNx64 " %" SCNx64 " %" SCNx64, &pc, &sp, &fs) != 3)
			continue;
		seen++;
		for (size_t i = 0; i < count; i++)
			right += t[i].pc == pc && t[i].sp == sp && t[i].tls_base == fs;
	}
	pclose(f);
	assert_int_equal(seen, count);
	assert_int_equal(right, count);
}

static void check_real(const char *path, bool from_kernel)
{
	struct core *core;
	struct elf_file *elf;
	char program[400];
	uint64_t value;
	size_t count;
	snprintf(program, sizeof program, "%s/program", work);
	expect_ok(core_open(&core, path));
	expect_ok(elf_open(&elf, program));
	const struct core_executable *exe = core_executable(core);
	assert_string_equal(exe->path, program);
	assert_true(exe->bias_known);
	assert_true(build_id_equal(&exe->build_id, elf_build_id(elf)));
	assert_true(core_auxv(core, AT_ENTRY, &value));
	assert_int_equal(value - exe->bias, elf_entry(elf));
	if (from_kernel)
		assert_false(core_is_mapped(core, exe->bias + symbol_value(elf, "main")));
	expect_ok(core_back_with_executable(core, elf));
	assert_int_equal(exe->bias, value - elf_entry(elf));
	assert_int_equal(check_truth(core, elf), 4);
	core_threads(core, &count);
	assert_int_equal(count, 4);
	const struct core_process *p = core_process(core);
	assert_string_equal(p->command, "program");
	assert_int_equal(p->has_signal, from_kernel);
	if (from_kernel)
		assert_int_equal(p->signal, SIGABRT);
	assert_int_equal(core_missing_bytes(core), 0);
	const char *const *warnings = core_warnings(core, &count);
	if (count != 0)
		fail_msg("warning: %s", warnings[0]);
	check_registers(core, path);
	core_close(core);
	elf_close(elf);
}

static void test_real(void **state)
{
	static const char *const flags[] = { "-pie -fPIE", "-no-pie -fno-pie", "-static -no-pie", "-static-pie -fPIE" };
	(void)state;
	char path[600];
	if (!shell("command -v cc > /dev/null")) {
		print_message("skipped: no C compiler\n");
		skip();
	}
	temporary_directory(work, sizeof work);
	snprintf(path, sizeof path, "%s/program.c", work);
	file_write(path, PROGRAM, sizeof PROGRAM - 1);
	for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++) {
		if (!shell("cd %s && cc -g -O1 -w -pthread -Wl,--build-id %s -o program program.c 2> cc.log", work, flags[i])) {
			print_message("skipped: cc cannot link with %s\n", flags[i]);
			continue;
		}
		if (kernel_core(path, sizeof path))
			check_real(path, true);
		if (gdb_core(path, sizeof path))
			check_real(path, false);
	}
	directory_remove(work);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_real) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
