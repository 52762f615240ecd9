#include "attach/attach.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attach/attach_internal.h"
#include "base/array.h"
#include "base/error.h"
#include "base/strbuf.h"
#include "core/core.h"
#include "core/unpack.h"
#include "extract/extract.h"
#include "tinfo/tinfo.h"
#include "tokio/roots.h"

static void add_message(struct message_list *list, const char *format, va_list args)
{
	va_list copy;
	va_copy(copy, args);
	int length = vsnprintf(NULL, 0, format, copy);
	va_end(copy);
	char *text = length >= 0 ? malloc((size_t)length + 1) : NULL;
	if (text == NULL)
		return;
	vsnprintf(text, (size_t)length + 1, format, args);
	list->items = array_reserve(list->items, &list->capacity, list->count, 1, sizeof *list->items);
	list->items[list->count++] = text;
}

void attach_warn(struct attachment *a, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	add_message(&a->warnings, format, args);
	va_end(args);
}

void attach_note(struct attachment *a, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	add_message(&a->notes, format, args);
	va_end(args);
}

/* A refusal, which `force` turns into a warning. Consumes err. */
static struct error *refuse(struct attachment *a, const struct attach_request *request, struct error *err)
{
	if (err == NULL || !request->force)
		return err;
	attach_warn(a, "%s: answers may be wrong", error_message(err));
	error_free(err);
	return NULL;
}

static void warn_about_core(struct attachment *a)
{
	size_t count;
	const char *const *warnings = core_warnings(a->core, &count);
	for (size_t i = 0; i < count; i++)
		attach_warn(a, "%s: %s", core_path(a->core), warnings[i]);
	if (core_missing_bytes(a->core) != 0)
		attach_warn(a, "%s: the core is cut: %llu bytes are missing at its end; what lay there cannot be shown",
		            core_path(a->core), (unsigned long long)core_missing_bytes(a->core));
}

static struct error *open_binary(struct attachment *a, const struct attach_request *request)
{
	char ours[2 * BUILD_ID_MAX + 1], cores[2 * BUILD_ID_MAX + 1];
	const struct core_executable *recorded = core_executable(a->core);
	if (request->binary == NULL) {
		a->binary = find_executable(a, request);
		return NULL;
	}
	struct error *err = elf_open(&a->binary, request->binary);
	if (err != NULL)
		return err;
	const struct build_id *id = elf_build_id(a->binary);
	build_id_text(id, ours);
	build_id_text(&recorded->build_id, cores);
	if (id->length == 0 || recorded->build_id.length == 0)
		attach_warn(a, "%s: cannot be checked against the core: build id %s, the core's executable has %s",
		            request->binary, ours, cores);
	else if (!build_id_equal(id, &recorded->build_id))
		return refuse(a, request,
		              error_new(ERROR_MISMATCH,
		                        "%s: is not the program that dumped core: build id %s, the core's executable has %s "
		                        "(--force tries all the same)", request->binary, ours, cores));
	return NULL;
}

static struct error *extract_from(struct attachment *a, const struct attach_request *request)
{
	const struct build_id *id = elf_build_id(a->debug);
	if (!request->no_cache && (a->tinfo = cache_load(id)) != NULL)
		return NULL;
	struct extract_options options = { request->threads, request->progress, request->context };
	/* The debug-info file's own data, or that of the executable it was split from. */
	struct elf_file *image = elf_has_text(a->debug) ? a->debug
	                         : a->binary != NULL && build_id_equal(elf_build_id(a->binary), id) ? a->binary : NULL;
	struct error *err = extract_layouts(&a->tinfo, a->debug, image, tokio_roots(), &options);
	if (err != NULL)
		return err;
	a->extracted = true;
	if (!request->no_cache)
		cache_store(a, a->tinfo, id);
	return NULL;
}

static struct error *open_layouts(struct attachment *a, const struct attach_request *request)
{
	if (request->tokio_info != NULL)
		return tinfo_open(&a->tinfo, request->tokio_info);
	const char *path = request->debug_info != NULL ? request->debug_info
	                   : a->binary != NULL ? elf_path(a->binary) : NULL;
	if (path == NULL) {
		const struct core_executable *recorded = core_executable(a->core);
		return error_new(ERROR_NOT_FOUND,
		                 "no layouts: the executable that the core names (%s) was not found with its build id; name it "
		                 "by --binary, or a file with debug information by --debug-info, or a .tinfo by --tokio-info",
		                 recorded->path != NULL ? recorded->path : "none recorded");
	}
	struct error *err = elf_open(&a->debug, path);
	return err != NULL ? err : extract_from(a, request);
}

/* Layouts of the very build join by address; those of another by symbol name, for which the executable must be
 * there and every name of the fingerprint in it. */
static struct error *choose_join(struct attachment *a, const struct attach_request *request)
{
	char cores[2 * BUILD_ID_MAX + 1];
	const struct core_executable *recorded = core_executable(a->core);
	const char *layouts = tinfo_meta(a->tinfo, "build_id");
	const char *source = request->tokio_info != NULL ? request->tokio_info : elf_path(a->debug);
	build_id_text(&recorded->build_id, cores);
	a->target.join = JOIN_ADDRESS;
	if (recorded->build_id.length == 0 || layouts == NULL) {
		attach_warn(a, "%s: cannot be checked against the core: build id %s, the core's executable has %s", source,
		            layouts != NULL ? layouts : "none", cores);
		return NULL;
	}
	if (strcmp(layouts, cores) == 0)
		return NULL;
	a->target.join = JOIN_KEY;
	if (a->binary == NULL)
		return error_new(ERROR_MISMATCH,
		                 "%s: is of another build than the core (build id %s, the core's executable has %s): the "
		                 "executable that ran is needed to join them by symbol names; name it by --binary",
		                 source, layouts, cores);
	return refuse(a, request, error_wrap(match_symbols(a, a->binary), "%s (build id %s, the core's executable has %s)",
	                                     source, layouts, cores));
}

static void warn_about_binary(struct attachment *a)
{
	const struct core_executable *recorded = core_executable(a->core);
	if (a->binary != NULL || a->target.join == JOIN_ADDRESS)
		return; /* with layouts of the same build nothing of tasks and chains needs it */
	attach_warn(a, "the executable %s was not found: code and read-only data that the core leaves out are missing",
	            recorded->path != NULL ? recorded->path : "(not named by the core)");
}

static struct error *open_core(struct attachment *a, const struct attach_request *request)
{
	if (!core_is_compressed(request->core))
		return core_open(&a->core, request->core);
	struct strbuf unpacked = STRBUF_INIT;
	struct error *err = cache_core(a, request, &unpacked);
	if (err == NULL)
		err = error_wrap(core_open(&a->core, unpacked.text), "%s", request->core);
	strbuf_release(&unpacked);
	return err;
}

static struct error *attach(struct attachment *a, const struct attach_request *request)
{
	struct error *err = open_core(a, request);
	if (err != NULL)
		return err;
	warn_about_core(a);
	if ((err = open_binary(a, request)) != NULL || (err = open_layouts(a, request)) != NULL)
		return err;
	if (a->binary != NULL && (err = core_back_with_executable(a->core, a->binary)) != NULL)
		return err;
	target_over_core(&a->target, a->core, a->tinfo, a->binary);
	if ((err = choose_join(a, request)) != NULL)
		return err;
	warn_about_binary(a);
	return NULL;
}

struct error *attach_open(struct attachment **out, const struct attach_request *request)
{
	struct attachment *a = calloc(1, sizeof *a);
	if (a == NULL)
		return error_memory();
	struct error *err = attach(a, request);
	if (err != NULL) {
		attach_close(a);
		return err;
	}
	*out = a;
	return NULL;
}

void attach_close(struct attachment *a)
{
	if (a == NULL)
		return;
	core_close(a->core);
	tinfo_free(a->tinfo);
	elf_close(a->binary);
	elf_close(a->debug);
	for (size_t i = 0; i < a->warnings.count; i++)
		free(a->warnings.items[i]);
	for (size_t i = 0; i < a->notes.count; i++)
		free(a->notes.items[i]);
	free(a->warnings.items);
	free(a->notes.items);
	free(a);
}
