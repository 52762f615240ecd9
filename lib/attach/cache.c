/* The cache: one file per build id, tool version and revision of the extraction, written beside and renamed, so that two processes at once do
 * no harm. It is only ever an optimisation: whatever goes wrong leads to an extraction. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "attach/attach_internal.h"
#include "base/error.h"
#include "base/strbuf.h"
#include "core/unpack.h"
#include "extract/extract.h"
#include "tinfo/tinfo.h"

static bool cache_directory(struct strbuf *out)
{
	const char *base = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	if (base != NULL && base[0] == '/')
		strbuf_adds(out, base);
	else if (home != NULL && home[0] == '/' && access(home, X_OK) == 0) /* a service's user may have none: not ours to make */
		strbuf_addf(out, "%s/.cache", home);
	else
		return false;
	return true;
}

static bool cache_path(const struct build_id *id, struct strbuf *out)
{
	char text[2 * BUILD_ID_MAX + 1];
	if (id->length == 0 || !cache_directory(out))
		return false;
	build_id_text(id, text);
	strbuf_addf(out, "/hansei/%s-%s-%d.tinfo", text, HANSEI_VERSION, EXTRACT_REVISION);
	return true;
}

struct tinfo *cache_load(const struct build_id *id)
{
	struct strbuf path = STRBUF_INIT;
	struct tinfo *tinfo = NULL;
	if (cache_path(id, &path)) {
		struct error *err = tinfo_open(&tinfo, path.text);
		char text[2 * BUILD_ID_MAX + 1];
		build_id_text(id, text);
		const char *recorded = err == NULL ? tinfo_meta(tinfo, "build_id") : NULL;
		if (err == NULL && (recorded == NULL || strcmp(recorded, text) != 0)) {
			tinfo_free(tinfo);
			tinfo = NULL;
		}
		error_free(err);
	}
	strbuf_release(&path);
	return tinfo;
}

/* Creates the directory and those above it that are missing. */
static int make_directories(char *path)
{
	for (char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		int failed = mkdir(path, 0777);
		*slash = '/';
		if (failed != 0 && errno != EEXIST)
			return errno;
	}
	return 0;
}

void cache_store(struct attachment *a, struct tinfo *tinfo, const struct build_id *id)
{
	struct strbuf path = STRBUF_INIT;
	if (cache_path(id, &path)) {
		int failed = make_directories(path.text);
		struct error *err = failed != 0 ? error_errno(failed, "%s", path.text) : tinfo_write(tinfo, path.text);
		if (err != NULL)
			attach_warn(a, "the extraction could not be kept for the next time: %s", error_message(err));
		error_free(err);
	}
	strbuf_release(&path);
}

struct error *cache_core(struct attachment *a, const struct attach_request *request, struct strbuf *unpacked)
{
	struct stat status;
	struct unpack_result result;
	if (stat(request->core, &status) != 0)
		return error_errno(errno, "%s", request->core);
	if (!cache_directory(unpacked))
		strbuf_adds(unpacked, "/tmp");
	strbuf_addf(unpacked, "/hansei/core-%llx-%llx-%llx-%llx", (unsigned long long)status.st_dev,
	            (unsigned long long)status.st_ino, (unsigned long long)status.st_size,
	            (unsigned long long)status.st_mtime);
	if (access(unpacked->text, R_OK) == 0)
		return NULL;
	int failed = make_directories(unpacked->text);
	if (failed != 0)
		return error_errno(failed, "%s", unpacked->text);
	struct error *err = core_unpack(request->core, unpacked->text, &result, request->progress, request->context);
	if (err != NULL)
		return err;
	if (result.cut)
		attach_warn(a, "%s: the compressed stream is cut: the core ends after %llu bytes", request->core,
		            (unsigned long long)result.size);
	attach_note(a, "%s: unpacked into %s", request->core, unpacked->text);
	return NULL;
}
