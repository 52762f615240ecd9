#include "dwarf/debug_object.h"

#include <dwarf.h>
#include <elf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct debug_object {
	struct debug_section sections[DEBUG_SECTIONS_MAX + 1]; /* 0 is the null section, as in ELF */
	size_t count;
	uint64_t size_hint;
	uint8_t pointer_size;
	Dwarf_Debug dwarf;
#ifdef DW_LIBDWARF_VERSION_MAJOR
	Dwarf_Obj_Access_Interface_a access;
#else
	Dwarf_Obj_Access_Interface access;
#endif
};

static Dwarf_Small length_size(void *context)
{
	(void)context;
	return 4;
}

static Dwarf_Small pointer_size(void *context)
{
	const struct debug_object *object = context;
	return object->pointer_size;
}

static Dwarf_Unsigned section_count(void *context)
{
	const struct debug_object *object = context;
	return object->count;
}

static int section_load(const struct debug_object *object, Dwarf_Unsigned index, Dwarf_Small **data)
{
	if (index == 0 || index >= object->count)
		return DW_DLV_NO_ENTRY;
	/* libdwarf reads only; it would write only when asked to relocate. */
	*data = (Dwarf_Small *)(uintptr_t)object->sections[index].data;
	return DW_DLV_OK;
}

#ifdef DW_LIBDWARF_VERSION_MAJOR

/* Section numbers were Dwarf_Half in early releases of this interface and Dwarf_Unsigned later; the compiler picks
 * the wrapper whose type is the header's. */
#define HALF_OR_UNSIGNED(member, half, wide) \
	_Generic(((Dwarf_Obj_Access_Methods_a *)0)->member, __typeof__(half) *: half, default: wide)

static int section_info(const struct debug_object *object, Dwarf_Unsigned index, Dwarf_Obj_Access_Section_a *out)
{
	if (index >= object->count)
		return DW_DLV_NO_ENTRY;
	const struct debug_section *section = &object->sections[index];
	memset(out, 0, sizeof *out);
	out->as_name = section->name;
	out->as_type = index == 0 ? SHT_NULL : SHT_PROGBITS;
	out->as_addr = section->address;
	out->as_size = section->size;
	return DW_DLV_OK;
}

static int section_info_half(void *context, Dwarf_Half index, Dwarf_Obj_Access_Section_a *out, int *error)
{
	(void)error;
	return section_info(context, index, out);
}

static int section_info_wide(void *context, Dwarf_Unsigned index, Dwarf_Obj_Access_Section_a *out, int *error)
{
	(void)error;
	return section_info(context, index, out);
}

static int section_load_half(void *context, Dwarf_Half index, Dwarf_Small **data, int *error)
{
	(void)error;
	return section_load(context, index, data);
}

static int section_load_wide(void *context, Dwarf_Unsigned index, Dwarf_Small **data, int *error)
{
	(void)error;
	return section_load(context, index, data);
}

static Dwarf_Small byte_order(void *context)
{
	(void)context;
	return DW_END_little;
}

static Dwarf_Unsigned file_size(void *context)
{
	const struct debug_object *object = context;
	return object->size_hint;
}

static const Dwarf_Obj_Access_Methods_a METHODS = {
	.om_get_section_info = HALF_OR_UNSIGNED(om_get_section_info, section_info_half, section_info_wide),
	.om_get_byte_order = byte_order,
	.om_get_length_size = length_size,
	.om_get_pointer_size = pointer_size,
	.om_get_filesize = file_size,
	.om_get_section_count = section_count,
	.om_load_section = HALF_OR_UNSIGNED(om_load_section, section_load_half, section_load_wide),
};

static int object_init(struct debug_object *object)
{
	Dwarf_Error error = NULL;
	object->access.ai_object = object;
	object->access.ai_methods = &METHODS;
	return dwarf_object_init_b(&object->access, NULL, NULL, DW_GROUPNUMBER_ANY, &object->dwarf, &error);
}

static void object_finish(struct debug_object *object)
{
	dwarf_object_finish(object->dwarf);
}

#else /* up to 20210528 */

static int section_info(void *context, Dwarf_Half index, Dwarf_Obj_Access_Section *out, int *error)
{
	const struct debug_object *object = context;
	(void)error;
	if (index >= object->count)
		return DW_DLV_NO_ENTRY;
	const struct debug_section *section = &object->sections[index];
	memset(out, 0, sizeof *out);
	out->name = section->name;
	out->type = index == 0 ? SHT_NULL : SHT_PROGBITS;
	out->addr = section->address;
	out->size = section->size;
	return DW_DLV_OK;
}

static int section_load_half(void *context, Dwarf_Half index, Dwarf_Small **data, int *error)
{
	(void)error;
	return section_load(context, index, data);
}

static Dwarf_Endianness byte_order(void *context)
{
	(void)context;
	return DW_OBJECT_LSB;
}

static const Dwarf_Obj_Access_Methods METHODS = {
	.get_section_info = section_info,
	.get_byte_order = byte_order,
	.get_length_size = length_size,
	.get_pointer_size = pointer_size,
	.get_section_count = section_count,
	.load_section = section_load_half,
};

static int object_init(struct debug_object *object)
{
	Dwarf_Error error = NULL;
	object->access.object = object;
	object->access.methods = &METHODS;
	return dwarf_object_init_b(&object->access, NULL, NULL, DW_GROUPNUMBER_ANY, &object->dwarf, &error);
}

static void object_finish(struct debug_object *object)
{
	Dwarf_Error error = NULL;
	dwarf_object_finish(object->dwarf, &error);
}

#endif

struct debug_object *debug_object_open(const struct debug_section *sections, size_t count, uint8_t pointer_size,
                                       uint64_t size_hint)
{
	struct debug_object *object = calloc(1, sizeof *object);
	if (object == NULL)
		abort();
	object->pointer_size = pointer_size;
	object->size_hint = size_hint;
	object->sections[object->count++].name = "";
	bool fits = true;
	for (size_t i = 0; i < count && fits; i++) {
		if (sections[i].data == NULL || sections[i].size == 0)
			continue;
		fits = object->count <= DEBUG_SECTIONS_MAX;
		if (fits)
			object->sections[object->count++] = sections[i];
	}
	if (!fits || object_init(object) != DW_DLV_OK) {
		free(object);
		return NULL;
	}
	return object;
}

Dwarf_Debug debug_object_dwarf(const struct debug_object *object)
{
	return object->dwarf;
}

void debug_object_close(struct debug_object *object)
{
	if (object == NULL)
		return;
	object_finish(object);
	free(object);
}
