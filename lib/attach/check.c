#include "attach/check.h"

#include <stdlib.h>
#include <string.h>

#include "attach/attach_internal.h"
#include "base/error.h"
#include "base/strbuf.h"
#include "core/core.h"
#include "tinfo/tinfo.h"

static enum fit by_symbols(struct attachment *a, struct strbuf *evidence)
{
	struct error *err = match_symbols(a, a->binary);
	if (err == NULL) {
		strbuf_addf(evidence, "all %u names of the fingerprint are in %s", tinfo_count(a->tinfo, TABLE_SYMBOLS),
		            elf_path(a->binary));
		return FIT_YES;
	}
	strbuf_adds(evidence, error_message(err));
	error_free(err);
	return tinfo_count(a->tinfo, TABLE_SYMBOLS) != 0 ? FIT_NO : FIT_UNDECIDED;
}

static enum fit decide(struct attachment *a, struct strbuf *evidence)
{
	char cores[2 * BUILD_ID_MAX + 1];
	const struct core_executable *recorded = core_executable(a->core);
	const char *layouts = tinfo_meta(a->tinfo, "build_id");
	build_id_text(&recorded->build_id, cores);
	if (layouts != NULL && recorded->build_id.length != 0 && strcmp(layouts, cores) == 0) {
		strbuf_addf(evidence, "build id %s on both sides", cores);
		return FIT_YES;
	}
	strbuf_addf(evidence, "build ids: %s of the layouts, %s of the core's executable; ",
	            layouts != NULL ? layouts : "none", cores);
	if (a->binary != NULL)
		return by_symbols(a, evidence);
	strbuf_adds(evidence, "its executable was not found, so symbol names cannot be compared (--binary names it)");
	return FIT_UNDECIDED;
}

/* A binary named by hand must be the one that ran, or its symbols prove nothing. */
static struct error *open_executable(struct attachment *a, const struct attach_request *request)
{
	if (request->binary == NULL) {
		a->binary = find_executable(a, request);
		return NULL;
	}
	struct error *err = elf_open(&a->binary, request->binary);
	const struct build_id *wanted = &core_executable(a->core)->build_id;
	if (err == NULL && wanted->length != 0 && elf_build_id(a->binary)->length != 0 &&
	    !build_id_equal(elf_build_id(a->binary), wanted))
		err = error_new(ERROR_MISMATCH, "%s: is not the program that dumped core", request->binary);
	return err;
}

struct error *attach_check(const char *tokio_info, const char *core, const char *binary, enum fit *fit,
                           struct strbuf *evidence)
{
	struct attach_request request = { .core = core, .tokio_info = tokio_info, .binary = binary };
	struct attachment *a = calloc(1, sizeof *a);
	if (a == NULL)
		return error_memory();
	struct error *err = tinfo_open(&a->tinfo, tokio_info);
	if (err == NULL)
		err = core_open(&a->core, core);
	if (err == NULL)
		err = open_executable(a, &request);
	if (err == NULL)
		*fit = decide(a, evidence);
	attach_close(a);
	return err;
}
