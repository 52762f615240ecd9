#include "extract/extract.h"

#include <dwarf.h>
#include <elf.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "extract/extract_internal.h"

#define CARGO_HINT \
	"build with `debug = true` under [profile.release] in Cargo.toml (or CARGO_PROFILE_RELEASE_DEBUG=2), " \
	"or name a file with debug information by --debug-info"

static struct error *no_debug_info(struct elf_file *debug, struct error *err)
{
	if (error_code(err) != ERROR_NOT_FOUND)
		return err;
	error_free(err);
	bool stripped = !elf_has_symtab(debug);
	return error_new(ERROR_NOT_FOUND, "%s: %s; " CARGO_HINT, elf_path(debug),
	                 stripped ? "is stripped: it has neither debug information nor symbols"
	                          : "has no debug information (.debug_info)");
}

/* The wanted namespaces: each scope of the roots once. */
static void wanted_scopes(struct extractor *x, struct sweep_options *sweep)
{
	const char **paths = arena_array(&x->arena, x->roots->count + 2, sizeof *paths);
	bool *below = arena_array(&x->arena, x->roots->count + 2, sizeof *below);
	x->root_scopes = arena_array(&x->arena, x->roots->count + 1, sizeof *x->root_scopes);
	size_t count = 0;
	for (size_t i = 0; i < x->roots->count; i++) {
		size_t at = 0;
		while (at < count && strcmp(paths[at], x->roots->items[i].scope) != 0)
			at++;
		if (at == count)
			paths[count++] = x->roots->items[i].scope;
		x->root_scopes[i] = (uint16_t)at;
		below[at] |= (x->roots->items[i].flags & ROOT_BELOW) != 0;
	}
	x->drop_scope = (uint16_t)count;
	paths[count++] = "core::ptr";
	sweep->wanted = paths;
	sweep->wanted_below = below;
	sweep->wanted_count = count;
}

/* Why a required function is missing: the units say which level of debug information they have. */
static struct error *check_required(struct extractor *x)
{
	for (size_t i = 0; i < x->roots->count; i++) {
		const struct root *root = &x->roots->items[i];
		size_t hits = 0, typed = 0;
		if (root->kind != ROOT_FUNCTION || (root->flags & ROOT_REQUIRED) == 0)
			continue;
		for (size_t r = 0; r < x->role_count; r++) {
			hits += x->roles[r].root == root;
			typed += x->roles[r].root == root && x->roles[r].type != TINFO_NONE;
		}
		if (typed != 0)
			continue;
		size_t skipped = sweep_damaged_units(x->sweep);
		if (hits != 0)
			return error_new(ERROR_NOT_FOUND,
			                 "%s: its debug information has functions but no types (debug level 1, \"limited\"); "
			                 CARGO_HINT, elf_path(x->debug));
		if (sweep_swept_units(x->sweep) == 0)
			return error_new(ERROR_NOT_FOUND, "%s: none of its debug information is of Rust code",
			                 elf_path(x->debug));
		return error_new(ERROR_NOT_FOUND,
		                 "%s: no function %s::%s in its debug information: either no %s program, or built with "
		                 "line tables only%s; " CARGO_HINT,
		                 elf_path(x->debug), root->scope, root->name,
		                 x->roots->crate != NULL ? x->roots->crate : "such",
		                 skipped != 0 ? " (and part of it is damaged)" : "");
	}
	return NULL;
}

static void meta_number(struct extractor *x, const char *key, uint64_t value)
{
	char text[24];
	snprintf(text, sizeof text, "%llu", (unsigned long long)value);
	build_meta(x->build, key, text);
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash != NULL ? slash + 1 : path;
}

/* The compiler as the first Rust unit of the program names it: "clang LLVM (rustc version 1.95.0 (…))". */
static void meta_compiler(struct extractor *x)
{
	static const char marker[] = "rustc version ";
	size_t count;
	const struct dwarf_unit *units = dwarf_units(x->dw, &count);
	for (size_t i = 0; i < count; i++) {
		const char *at = units[i].producer != NULL ? strstr(units[i].producer, marker) : NULL;
		if (at == NULL)
			continue;
		at += sizeof marker - 1;
		char *version = arena_strdup(&x->arena, at);
		/* One closing bracket belongs to "(rustc version". */
		size_t length = strlen(version);
		if (length != 0 && version[length - 1] == ')')
			version[length - 1] = '\0';
		build_meta(x->build, "rustc", version);
		return;
	}
}

static void meta_record(struct extractor *x)
{
	char id[2 * BUILD_ID_MAX + 1];
	struct elf_file *program = x->image != NULL ? x->image : x->debug;
	build_id_text(elf_build_id(program), id);
	if (elf_build_id(program)->length != 0)
		build_meta(x->build, "build_id", id);
	build_meta(x->build, "binary", base_name(elf_path(program)));
	if (x->debug != program)
		build_meta(x->build, "debug_info", base_name(elf_path(x->debug)));
	build_meta(x->build, "machine", elf_machine(program) == EM_AARCH64 ? "aarch64" : "x86_64");
	build_meta(x->build, "tool", HANSEI_VERSION);
	meta_compiler(x);
	if (x->subject_version != NULL)
		build_meta(x->build, "subject_version", x->subject_version);
	if (x->roots->crate != NULL)
		build_meta(x->build, "subject", x->roots->crate);
	size_t count;
	const struct elf_segment *segments = elf_segments(program, &count);
	for (size_t i = 0; i < count; i++) {
		if (segments[i].type == PT_TLS) {
			meta_number(x, "tls_address", segments[i].vaddr);
			meta_number(x, "tls_size", segments[i].memory_size);
			meta_number(x, "tls_align", segments[i].alignment);
		}
	}
	if (sweep_damaged_units(x->sweep) != 0)
		meta_number(x, "units_skipped", sweep_damaged_units(x->sweep));
	if (dwarf_damage(x->dw) != NULL)
		build_meta(x->build, "damage", dwarf_damage(x->dw));
}

/* Progress is told by one thread, a few times a second; workers only add to a counter. */
struct progress {
	const struct extract_options *options;
	uint64_t done, total;
	bool stop;
	pthread_mutex_t lock;
	pthread_cond_t stopped;
	pthread_t thread;
	bool running;
};

static void *progress_run(void *argument)
{
	struct progress *p = argument;
	pthread_mutex_lock(&p->lock);
	while (!p->stop) {
		struct timespec until;
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += 200 * 1000 * 1000;
		if (until.tv_nsec >= 1000 * 1000 * 1000) {
			until.tv_nsec -= 1000 * 1000 * 1000;
			until.tv_sec++;
		}
		pthread_cond_timedwait(&p->stopped, &p->lock, &until);
		if (!p->stop)
			p->options->progress(p->options->context, "reading debug information",
			                     __atomic_load_n(&p->done, __ATOMIC_RELAXED), p->total);
	}
	pthread_mutex_unlock(&p->lock);
	return NULL;
}

static void progress_start(struct progress *p)
{
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->stopped, NULL);
	p->running = p->options->progress != NULL && pthread_create(&p->thread, NULL, progress_run, p) == 0;
}

static void progress_end(struct progress *p)
{
	if (p->running) {
		pthread_mutex_lock(&p->lock);
		p->stop = true;
		pthread_cond_signal(&p->stopped);
		pthread_mutex_unlock(&p->lock);
		pthread_join(p->thread, NULL);
	}
	pthread_cond_destroy(&p->stopped);
	pthread_mutex_destroy(&p->lock);
}

static void run_sweep(struct extractor *x)
{
	struct progress progress = { .options = x->options, .total = dwarf_info(x->dw).size };
	struct sweep_options sweep = { .threads = x->options->threads, .done = &progress.done };
	wanted_scopes(x, &sweep);
	progress_start(&progress);
	x->sweep = sweep_run(x->dw, &sweep);
	progress_end(&progress);
}

/* The phases; their order matters where a later one needs what an earlier one indexed. */
static struct error *extract(struct extractor *x)
{
	struct error *err;
	run_sweep(x);
	declarations_resolve(x);
	resumes_index(x);
	concretes_index(x);
	functions_extract(x);
	if ((err = check_required(x)) != NULL)
		return err;
	roots_extract(x);
	vtables_extract(x);
	drops_extract(x);
	statics_extract(x);
	types_drain(x);
	definition_sites(x);
	if ((err = instances_extract(x)) != NULL)
		return err;
	meta_record(x);
	return NULL;
}

static void extractor_release(struct extractor *x)
{
	types_release(x);
	map_release(&x->resumes);
	map_release(&x->concretes);
	map_release(&x->dropped);
	map_release(&x->impl_index);
	map_release(&x->crates);
	map_release(&x->site_texts);
	free(x->ranges);
	free(x->roles);
	free(x->impls);
	sweep_free(x->sweep);
	line_files_close(x->lines);
	tinfo_build_free(x->build);
	dwarf_close(x->dw);
	arena_release(&x->arena);
}

struct error *extract_layouts(struct tinfo **out, struct elf_file *debug, struct elf_file *image,
                              const struct roots *roots, const struct extract_options *options)
{
	static const struct extract_options defaults = { 0 };
	struct extractor x = { .debug = debug, .image = image, .roots = roots,
		               .options = options != NULL ? options : &defaults };
	struct error *err = dwarf_open(&x.dw, debug);
	if (err != NULL)
		return no_debug_info(debug, err);
	x.build = tinfo_build_new();
	err = line_files_open(&x.lines, x.dw);
	if (err == NULL)
		err = extract(&x);
	if (err == NULL) {
		err = tinfo_build_finish(x.build, out);
		x.build = NULL;
	}
	extractor_release(&x);
	return err;
}
