/* objects.c - files, bytes, symbols and call-frame information of the images. */
#include "unwind/objects.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "core/core.h"
#include "unwind/objects_internal.h"

static const char *const KIND_NAMES[] = { "executable", "library", "object" };

static void warning_add(struct objects *objects, const char *text)
{
	objects->warnings = array_reserve(objects->warnings, &objects->warning_capacity, objects->warning_count, 1,
	                                  sizeof *objects->warnings);
	objects->warnings[objects->warning_count++] = text;
}

struct objects *objects_open(const struct core *core, struct elf_file *executable, const char *sysroot)
{
	struct objects *objects = calloc(1, sizeof *objects);
	if (objects == NULL)
		abort();
	objects->core = core;
	objects->executable = executable;
	objects->sysroot = sysroot != NULL ? arena_strdup(&objects->arena, sysroot) : NULL;
	objects_find(objects);
	return objects;
}

void objects_close(struct objects *objects)
{
	if (objects == NULL)
		return;
	for (size_t i = 0; i < objects->count; i++) {
		struct object *object = objects->items[i];
		cfi_release(&object->cfi);
		free(object->symbols);
		if (object->file_owned)
			elf_close(object->file);
	}
	free(objects->items);
	free(objects->warnings);
	arena_release(&objects->arena);
	free(objects);
}

struct object *const *objects_all(const struct objects *objects, size_t *count)
{
	*count = objects->count;
	return objects->items;
}

struct object *objects_at(const struct objects *objects, uint64_t address)
{
	size_t low = 0, high = objects->count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (objects->items[middle]->start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low > 0 && objects->items[low - 1]->end > address ? objects->items[low - 1] : NULL;
}

const char *const *objects_warnings(const struct objects *objects, size_t *count)
{
	*count = objects->warning_count;
	return objects->warnings;
}

/* Looks at one candidate; says why not in *reason, which a candidate that is there overrides. */
static struct elf_file *file_try(struct objects *objects, const struct object *object, const char *path,
                                 const char **reason)
{
	struct elf_file *elf;
	struct error *err = elf_open(&elf, path);
	if (err != NULL) {
		const char *text = error_message(err);
		size_t length = strlen(object->name); /* the warning begins with it anyway */
		if (strncmp(text, object->name, length) == 0 && strncmp(text + length, ": ", 2) == 0)
			text += length + 2;
		if (*reason == NULL)
			*reason = arena_strdup(&objects->arena, text);
		error_free(err);
		return NULL;
	}
	char theirs[2 * BUILD_ID_MAX + 1], ours[2 * BUILD_ID_MAX + 1];
	build_id_text(elf_build_id(elf), theirs);
	build_id_text(&object->build_id, ours);
	if (!build_id_equal(elf_build_id(elf), &object->build_id))
		*reason = arena_printf(&objects->arena, "%s has build id %s, the core says %s", path, theirs, ours);
	else if (elf_is_debug_only(elf))
		*reason = arena_printf(&objects->arena, "%s has debug information only", path);
	else
		return elf;
	elf_close(elf);
	return NULL;
}

static struct elf_file *file_find(struct objects *objects, const struct object *object, const char **reason)
{
	static const char deleted[] = " (deleted)"; /* the kernel's d_path of a file that was replaced */
	char *path = arena_strdup(&objects->arena, object->name);
	size_t length = strlen(path), tail = sizeof deleted - 1;
	struct elf_file *elf = NULL;
	if (length > tail && strcmp(path + length - tail, deleted) == 0)
		path[length - tail] = '\0';
	const char *slash = strrchr(path, '/');
	if (objects->sysroot != NULL && path[0] == '/')
		elf = file_try(objects, object, arena_printf(&objects->arena, "%s%s", objects->sysroot, path), reason);
	if (elf == NULL && objects->sysroot != NULL && slash != NULL)
		elf = file_try(objects, object, arena_printf(&objects->arena, "%s%s", objects->sysroot, slash), reason);
	if (elf == NULL && path[0] == '/')
		elf = file_try(objects, object, path, reason);
	return elf;
}

struct elf_file *object_file(struct objects *objects, struct object *object)
{
	if (object->file_tried)
		return object->file;
	object->file_tried = true;
	if (object->kind == OBJECT_VDSO) /* in no file, all in the core */
		return NULL;
	const char *reason = NULL;
	if (object->build_id.length == 0)
		reason = "not used, since the core has no build id to check it by";
	else
		object->file = file_find(objects, object, &reason);
	object->file_owned = object->file != NULL;
	if (object->file == NULL)
		warning_add(objects, arena_printf(&objects->arena, "%s %s: %s", KIND_NAMES[object->kind],
		                                  object->name[0] != '\0' ? object->name : "without a name",
		                                  reason != NULL ? reason : "no file is recorded"));
	return object->file;
}

const unsigned char *object_bytes(const struct objects *objects, const struct object *object, uint64_t address,
                                  uint64_t *available, bool *from_file)
{
	const unsigned char *at = NULL;
	*from_file = false;
	if (object->file != NULL && (at = elf_image(object->file, address - object->bias, available)) != NULL) {
		*from_file = true;
		return at;
	}
	size_t count, low = 0;
	const struct core_segment *s = core_segments(objects->core, &count);
	for (size_t high = count; low < high;) {
		size_t middle = low + (high - low) / 2;
		if (s[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0 || address - s[low - 1].start >= s[low - 1].file_size)
		return NULL;
	*available = s[low - 1].file_size - (address - s[low - 1].start);
	return core_peek(objects->core, address, (size_t)*available);
}

static const struct elf_section *frame_section(const struct object *object)
{
	size_t count;
	const struct elf_section *s = object->file != NULL ? elf_sections(object->file, &count) : NULL;
	for (size_t i = 0; s != NULL && i < count; i++)
		if (strcmp(s[i].name, ".eh_frame") == 0 && s[i].data != NULL && s[i].type != SHT_NOBITS)
			return &s[i];
	return NULL;
}

/* PT_SUNW_UNWIND is what illumos' linker calls it. */
static bool is_frame_header(const struct elf_segment *s)
{
	enum { SEGMENT_SUNW_UNWIND = 0x6464e550 };
	return s->type == PT_GNU_EH_FRAME || s->type == SEGMENT_SUNW_UNWIND;
}

static void cfi_load(struct objects *objects, struct object *object)
{
	struct cfi_bytes header = { .at = NULL }, frames = { .at = NULL };
	bool from_file;
	for (size_t i = 0; i < object->segment_count && header.at == NULL; i++) {
		const struct elf_segment *s = &object->segments[i];
		if (!is_frame_header(s))
			continue;
		header.address = object->bias + s->vaddr;
		header.at = object_bytes(objects, object, header.address, &header.size, &from_file);
		if (header.size > s->memory_size)
			header.size = s->memory_size;
	}
	object->cfi.bias = object->file != NULL ? object->bias : 0;
	if (cfi_header_read(&object->cfi, header, &frames.address)) {
		frames.at = object_bytes(objects, object, frames.address, &frames.size, &from_file);
	} else {
		const struct elf_section *section = frame_section(object);
		if (section != NULL)
			frames = (struct cfi_bytes){ section->data, section->size, section->address + object->bias };
	}
	if (frames.at != NULL)
		cfi_frames_set(&object->cfi, frames);
}

const struct cfi_table *object_cfi(struct objects *objects, struct object *object)
{
	if (!object->cfi_tried) {
		object->cfi_tried = true;
		(void)object_file(objects, object);
		cfi_load(objects, object);
	}
	return object->cfi.frames.at != NULL ? &object->cfi : NULL;
}

const char *object_symbol(struct objects *objects, struct object *object, uint64_t address, uint64_t *offset)
{
	const struct elf_symbol *found = NULL;
	struct elf_file *file = object_file(objects, object);
	uint64_t value = address - object->bias;
	if (file != NULL) {
		found = elf_symbol_at(file, value, offset);
		return found != NULL ? found->name : NULL;
	}
	if (!object->symbols_tried) {
		object->symbols_tried = true;
		object_symbols_build(objects, object);
	}
	size_t low = 0, high = object->symbol_count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (object->symbols[middle].value <= value)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0 || value - object->symbols[low - 1].value >= object->symbols[low - 1].size)
		return NULL;
	*offset = value - object->symbols[low - 1].value;
	return object->symbols[low - 1].name;
}

const unsigned char *objects_peek(struct objects *objects, uint64_t address, size_t length)
{
	const unsigned char *at = core_peek(objects->core, address, length);
	struct object *object = at == NULL ? objects_at(objects, address) : NULL;
	uint64_t available;
	struct elf_file *file = object != NULL ? object_file(objects, object) : NULL;
	if (file == NULL)
		return at;
	at = elf_image(file, address - object->bias, &available);
	return at != NULL && available >= length ? at : NULL;
}

bool objects_read_uint(struct objects *objects, uint64_t address, size_t width, uint64_t *value)
{
	if (core_read_uint(objects->core, address, width, value))
		return true;
	/* Only what may not be written is the same in the file. */
	struct object *object = objects_at(objects, address);
	for (size_t i = 0; object != NULL && i < object->segment_count; i++) {
		const struct elf_segment *s = &object->segments[i];
		uint64_t offset = address - object->bias - s->vaddr;
		if (s->type != PT_LOAD || (s->flags & PF_W) != 0 || offset >= s->memory_size)
			continue;
		const unsigned char *at = width <= 8 ? objects_peek(objects, address, width) : NULL;
		if (at != NULL)
			*value = load_uint(at, width);
		return at != NULL;
	}
	return false;
}
