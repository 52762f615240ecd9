/* Attaching, warnings, names and the record of a task. */
#include "tokio/tokio.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/strbuf.h"
#include "tokio/held_internal.h"
#include "tokio/tokio_internal.h"

static void warning_add(struct tokio *tk, const char *format, va_list list)
{
	char text[1024];
	if (tk->warning_count == WARNINGS_MAX) {
		tk->warnings_dropped++;
		return;
	}
	vsnprintf(text, sizeof text, format, list);
	for (size_t i = 0; i < tk->warning_count; i++)
		if (strcmp(tk->warnings[i], text) == 0)
			return;
	tk->warnings = array_reserve(tk->warnings, &tk->warning_capacity, tk->warning_count, 1,
	                             sizeof *tk->warnings);
	tk->warnings[tk->warning_count++] = arena_strdup(&tk->arena, text);
}

void tokio_warn(struct tokio *tk, const char *format, ...)
{
	va_list list;
	va_start(list, format);
	warning_add(tk, format, list);
	va_end(list);
}

void tokio_lack(struct tokio *tk, const char *format, ...)
{
	va_list list;
	va_start(list, format);
	warning_add(tk, format, list);
	va_end(list);
	tk->incomplete = true;
}

static void version_decide(struct tokio *tk)
{
	const char *text = tinfo_meta(tk->target->tinfo, "subject_version");
	uint32_t version = version_parse(text);
	tk->version_text = text;
	tk->version = version_family(version);
	tk->checked = version != 0 && tk->version == version;
	if (version == 0)
		tokio_warn(tk, "the release of tokio is unknown; reading it as 1.54");
	else if (!tk->checked)
		tokio_warn(tk, "tokio %s is outside the releases checked (1.38.0 to 1.54.1); reading it as %s", text,
		           version > V_NEWEST ? "1.54" : "1.38");
}

struct error *tokio_attach(struct tokio **out, struct target *target)
{
	struct tokio *tk = calloc(1, sizeof *tk);
	*out = NULL;
	if (tk == NULL)
		return error_memory();
	tk->target = target;
	version_decide(tk);
	const char *message = tokio_bind_paths(tk);
	struct error *err = NULL;
	if (message != NULL)
		err = error_new(tk->roots[ROOT_CONTEXT] == TINFO_NONE ? ERROR_NOT_FOUND : ERROR_MISMATCH,
		                "cannot read tokio here: %s", message);
	if (err == NULL)
		err = tokio_find_runtimes(tk);
	if (err != NULL) {
		tokio_free(tk);
		return err;
	}
	*out = tk;
	return NULL;
}

void tokio_free(struct tokio *tk)
{
	if (tk == NULL)
		return;
	map_release(&tk->task_by_id);
	map_release(&tk->task_by_address);
	map_release(&tk->classes);
	map_release(&tk->cells);
	map_release(&tk->plans);
	map_release(&tk->dyns);
	map_release(&tk->names[0]);
	map_release(&tk->names[1]);
	map_release(&tk->polled);
	map_release(&tk->generic);
	map_release(&tk->root_of);
	map_release(&tk->queues);
	map_release(&tk->leaf_texts);
	map_release(&tk->sites);
	map_release(&tk->kept_by_id);
	map_release(&tk->kept_by_address);
	map_release(&tk->candidate_seen);
	held_free(tk->held);
	free(tk->kept);
	free(tk->local_sets);
	free(tk->candidates);
	free(tk->warnings);
	free(tk->runtimes);
	free(tk->threads);
	free(tk->tasks);
	arena_release(&tk->arena);
	free(tk);
}

const char *tokio_version(const struct tokio *tk, bool *checked)
{
	*checked = tk->checked;
	return tk->version_text;
}

const char *const *tokio_warnings(const struct tokio *tk, size_t *count)
{
	*count = tk->warning_count;
	return (const char *const *)tk->warnings;
}

bool tokio_incomplete(const struct tokio *tk)
{
	return tk->incomplete;
}

const struct runtime *tokio_runtimes(struct tokio *tk, size_t *count)
{
	tokio_tasks(tk, count);
	*count = tk->runtime_count;
	return tk->runtimes;
}

const struct local_set *tokio_local_sets(struct tokio *tk, size_t *count)
{
	tokio_tasks(tk, count);
	*count = tk->local_set_count;
	return tk->local_sets;
}

const struct tokio_thread *tokio_threads(const struct tokio *tk, size_t *count)
{
	*count = tk->thread_count;
	return tk->threads;
}

const struct task *tokio_tasks(struct tokio *tk, size_t *count)
{
	if (!tk->listed) {
		tk->listed = true;
		tokio_list_tasks(tk);
	}
	*count = tk->task_count;
	return tk->tasks;
}

const struct task *tokio_kept_tasks(struct tokio *tk, size_t *count)
{
	tokio_tasks(tk, count);
	*count = tk->kept_count;
	return tk->kept;
}

static const struct task *task_find(struct tokio *tk, const struct map *map, const struct map *kept, uint64_t key)
{
	size_t count;
	uint64_t index;
	const struct task *tasks = tokio_tasks(tk, &count);
	if (map_get(map, key, &index) && index < count)
		return &tasks[index];
	return map_get(kept, key, &index) && index < tk->kept_count ? &tk->kept[index] : NULL;
}

const struct task *tokio_task_by_id(struct tokio *tk, uint64_t id)
{
	return id == 0 ? NULL : task_find(tk, &tk->task_by_id, &tk->kept_by_id, id);
}

const struct task *tokio_task_by_address(struct tokio *tk, uint64_t address)
{
	return task_find(tk, &tk->task_by_address, &tk->kept_by_address, address);
}

static const char *impl_self_of(void *context, const char *path, size_t length)
{
	return tinfo_impl_self(context, path, length);
}

const char *tokio_type_name(struct tokio *tk, uint32_t type, bool with_kind)
{
	uint64_t known;
	struct map *names = &tk->names[with_kind];
	if (map_get(names, type, &known))
		return (const char *)(uintptr_t)known;
	struct strbuf sb = STRBUF_INIT;
	const char *name = tinfo_type(tk->target->tinfo, type).name;
	if (with_kind)
		name_fold(&sb, name, impl_self_of, tk->target->tinfo);
	else
		name_fold_plain(&sb, name, impl_self_of, tk->target->tinfo);
	const char *text = arena_strndup(&tk->arena, sb.text, sb.length);
	strbuf_release(&sb);
	map_set(names, type, (uintptr_t)text);
	return text;
}

struct site_text {
	const char *file, *text;
	uint32_t line;
};

const char *tokio_site_text(struct tokio *tk, const char *file, uint32_t line)
{
	uint64_t known;
	if (file == NULL || *file == '\0' || line == 0)
		return NULL;
	uint64_t key = hash_u64((uintptr_t)file ^ hash_u64(line)); /* equal texts of a tinfo are one text */
	if (map_get(&tk->sites, key, &known)) {
		const struct site_text *site = (const struct site_text *)(uintptr_t)known;
		if (site->file == file && site->line == line)
			return site->text;
	}
	struct site_text *site = arena_alloc(&tk->arena, sizeof *site);
	*site = (struct site_text){ file, arena_printf(&tk->arena, "%s:%" PRIu32, file, line), line };
	map_set(&tk->sites, key, (uintptr_t)site);
	return site->text;
}
