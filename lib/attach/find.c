#include <elf.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "attach/attach_internal.h"
#include "base/error.h"
#include "base/strbuf.h"
#include "core/core.h"

bool elf_has_text(struct elf_file *elf)
{
	size_t count;
	const struct elf_section *sections = elf_sections(elf, &count);
	for (size_t i = 0; i < count; i++)
		if (strcmp(sections[i].name, ".text") == 0)
			return sections[i].type != SHT_NOBITS;
	return count == 0; /* section headers stripped: an executable all the same */
}

/* Opens a candidate and keeps it only when it is the very file that ran. */
static struct elf_file *try_path(const char *path, const struct build_id *wanted)
{
	struct elf_file *elf = NULL;
	struct error *err = elf_open(&elf, path);
	if (err != NULL) {
		error_free(err);
		return NULL;
	}
	if (build_id_equal(elf_build_id(elf), wanted) && elf_has_text(elf))
		return elf;
	elf_close(elf);
	return NULL;
}

static struct elf_file *try_beside_core(const char *core, const char *recorded, const struct build_id *wanted)
{
	const char *slash = strrchr(core, '/'), *name = strrchr(recorded, '/');
	struct strbuf path = STRBUF_INIT;
	strbuf_add(&path, core, slash != NULL ? (size_t)(slash + 1 - core) : 0);
	strbuf_adds(&path, name != NULL ? name + 1 : recorded);
	struct elf_file *elf = try_path(path.text, wanted);
	strbuf_release(&path);
	return elf;
}

static struct elf_file *try_build_id_tree(const struct build_id *wanted)
{
	char id[2 * BUILD_ID_MAX + 1];
	struct strbuf path = STRBUF_INIT;
	build_id_text(wanted, id);
	strbuf_addf(&path, "/usr/lib/debug/.build-id/%.2s/%s", id, id + 2);
	struct elf_file *elf = try_path(path.text, wanted);
	if (elf == NULL) {
		strbuf_adds(&path, ".debug");
		elf = try_path(path.text, wanted);
	}
	strbuf_release(&path);
	return elf;
}

struct elf_file *find_executable(struct attachment *a, const struct attach_request *request)
{
	const struct core_executable *recorded = core_executable(a->core);
	const struct build_id *wanted = &recorded->build_id;
	struct elf_file *elf = NULL;
	if (wanted->length == 0)
		return NULL;
	if (request->debug_info != NULL)
		elf = try_path(request->debug_info, wanted);
	if (elf == NULL && recorded->path != NULL)
		elf = try_path(recorded->path, wanted);
	if (elf == NULL && recorded->path != NULL)
		elf = try_beside_core(request->core, recorded->path, wanted);
	return elf != NULL ? elf : try_build_id_tree(wanted);
}
