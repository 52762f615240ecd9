#include "dwarf_build.h"

#include <dwarf.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/error.h"
#include "core_build.h"
#include "elf/elf_file.h"

static void *room(void *items, size_t count, size_t *capacity, size_t more, size_t size)
{
	if (*capacity - count >= more)
		return items;
	*capacity = (count + more) * 2;
	items = realloc(items, *capacity * size);
	if (items == NULL)
		abort();
	return items;
}

void build_raw(struct build_bytes *b, const void *bytes, size_t size)
{
	b->data = room(b->data, b->size, &b->capacity, size, 1);
	if (size != 0)
		memcpy(b->data + b->size, bytes, size);
	b->size += size;
}

void build_uint(struct build_bytes *b, uint64_t value, size_t width)
{
	for (size_t i = 0; i < width; i++, value >>= 8) {
		unsigned char byte = (unsigned char)value;
		build_raw(b, &byte, 1);
	}
}

void build_uleb(struct build_bytes *b, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		build_uint(b, (value & 0x7f) | 0x80, 1);
	build_uint(b, value, 1);
}

void build_sleb(struct build_bytes *b, int64_t value)
{
	for (;;) {
		uint64_t byte = (uint64_t)value & 0x7f;
		value = value < 0 ? ~(int64_t)(~(uint64_t)value >> 7) : value >> 7;
		bool is_last = (value == 0 && (byte & 0x40) == 0) || (value == -1 && (byte & 0x40) != 0);
		build_uint(b, is_last ? byte : byte | 0x80, 1);
		if (is_last)
			return;
	}
}

void build_text(struct build_bytes *b, const char *text)
{
	build_raw(b, text, strlen(text) + 1);
}

void build_patch(struct build_bytes *b, size_t at, uint64_t value, size_t width)
{
	if (width > 8 || at + width > b->size)
		abort();
	for (size_t i = 0; i < width; i++, value >>= 8)
		b->data[at + i] = (unsigned char)value;
}

struct dwarf_build *dwarf_build_new(void)
{
	struct dwarf_build *b = calloc(1, sizeof *b);
	if (b == NULL)
		abort();
	b->version = 4;
	b->offset_size = 4;
	b->address_size = 8;
	b->unit_type = DW_UT_compile;
	build_text(&b->sections[DWARF_STR], ""); /* so that no string is at offset 0 */
	return b;
}

void dwarf_build_free(struct dwarf_build *b)
{
	for (int i = 0; i < DWARF_SECTION_COUNT; i++)
		free(b->sections[i].data);
	free(b->abbrevs);
	free(b);
}

static void unit_length(struct build_bytes *s, uint8_t offset_size)
{
	if (offset_size == 8)
		build_uint(s, 0xffffffff, 4);
	build_uint(s, 0, offset_size);
}

static void unit_length_patch(struct build_bytes *s, uint64_t start, uint8_t offset_size)
{
	size_t at = (size_t)start + (offset_size == 8 ? 4 : 0);
	build_patch(s, at, s->size - (at + offset_size), offset_size);
}

void dwarf_build_unit(struct dwarf_build *b)
{
	struct build_bytes *info = &b->sections[DWARF_INFO];
	b->unit = info->size;
	b->abbrev_offset = b->sections[DWARF_ABBREV].size;
	b->abbrev_count = 0;
	b->next_code = 1;
	b->str_count = b->addr_count = 0;
	unit_length(info, b->offset_size);
	build_uint(info, b->version, 2);
	if (b->version < 5) {
		build_uint(info, b->abbrev_offset, b->offset_size);
		build_uint(info, b->address_size, 1);
		return;
	}
	build_uint(info, b->unit_type, 1);
	build_uint(info, b->address_size, 1);
	build_uint(info, b->abbrev_offset, b->offset_size);
	if (b->unit_type == DW_UT_skeleton || b->unit_type == DW_UT_split_compile) {
		build_uint(info, 0x1122334455667788, 8);
	} else if (b->unit_type == DW_UT_type || b->unit_type == DW_UT_split_type) {
		build_uint(info, 0x99aabbccddeeff00, 8);
		build_uint(info, 0, b->offset_size);
	}
	struct build_bytes *offsets = &b->sections[DWARF_STR_OFFSETS], *addresses = &b->sections[DWARF_ADDR];
	unit_length(offsets, b->offset_size); /* section 7.26 */
	build_uint(offsets, 5, 2);
	build_uint(offsets, 0, 2);
	b->str_base = offsets->size;
	unit_length(addresses, b->offset_size); /* section 7.27 */
	build_uint(addresses, 5, 2);
	build_uint(addresses, b->address_size, 1);
	build_uint(addresses, 0, 1);
	b->addr_base = addresses->size;
}

void dwarf_build_unit_end(struct dwarf_build *b)
{
	unit_length_patch(&b->sections[DWARF_INFO], b->unit, b->offset_size);
	build_uint(&b->sections[DWARF_ABBREV], 0, 1);
	if (b->version < 5)
		return;
	uint64_t length = b->offset_size == 8 ? 12 : 4;
	unit_length_patch(&b->sections[DWARF_STR_OFFSETS], b->str_base - length - 4, b->offset_size);
	unit_length_patch(&b->sections[DWARF_ADDR], b->addr_base - length - 4, b->offset_size);
}

static bool shape_equal(const struct build_abbrev *abbrev, uint16_t tag, bool has_children,
                        const struct build_attr *attrs, size_t count)
{
	if (abbrev->tag != tag || abbrev->has_children != has_children || abbrev->count != count)
		return false;
	for (size_t i = 0; i < count; i++)
		if (abbrev->attrs[i].name != attrs[i].name || abbrev->attrs[i].form != attrs[i].form ||
		    (attrs[i].form == DW_FORM_implicit_const && abbrev->attrs[i].number != attrs[i].number))
			return false;
	return true;
}

static uint64_t abbrev_code_of(struct dwarf_build *b, uint16_t tag, bool has_children, const struct build_attr *attrs,
                               size_t count)
{
	for (size_t i = 0; i < b->abbrev_count; i++)
		if (shape_equal(&b->abbrevs[i], tag, has_children, attrs, count))
			return b->abbrevs[i].code;
	b->abbrevs = room(b->abbrevs, b->abbrev_count, &b->abbrev_capacity, 1, sizeof *b->abbrevs);
	struct build_abbrev *abbrev = &b->abbrevs[b->abbrev_count++];
	*abbrev = (struct build_abbrev){ .code = b->next_code++, .tag = tag, .has_children = has_children, .count = count };
	struct build_bytes *s = &b->sections[DWARF_ABBREV];
	build_uleb(s, abbrev->code);
	build_uleb(s, tag);
	build_uint(s, has_children, 1);
	for (size_t i = 0; i < count; i++) {
		abbrev->attrs[i] = attrs[i];
		build_uleb(s, attrs[i].name);
		build_uleb(s, attrs[i].form);
		if (attrs[i].form == DW_FORM_implicit_const)
			build_sleb(s, (int64_t)attrs[i].number);
	}
	build_uint(s, 0, 2);
	return abbrev->code;
}

static uint64_t add_text(struct dwarf_build *b, enum dwarf_section_id id, const char *text)
{
	uint64_t offset = b->sections[id].size;
	build_text(&b->sections[id], text);
	return offset;
}

static uint64_t text_index(struct dwarf_build *b, const struct build_attr *a)
{
	if (a->is_raw)
		return a->number;
	build_uint(&b->sections[DWARF_STR_OFFSETS], add_text(b, DWARF_STR, a->text), b->offset_size);
	return b->str_count++;
}

static uint64_t address_index(struct dwarf_build *b, const struct build_attr *a)
{
	if (a->is_raw)
		return a->number;
	build_uint(&b->sections[DWARF_ADDR], a->number, b->address_size);
	return b->addr_count++;
}

static void write_block(struct build_bytes *s, const struct build_attr *a, size_t width)
{
	if (width == 0)
		build_uleb(s, a->number);
	else
		build_uint(s, a->number, width);
	build_raw(s, a->bytes, (size_t)a->number);
}

/* Forms whose value is a number of fixed width. */
static size_t fixed_width(const struct dwarf_build *b, uint16_t form)
{
	switch (form) {
	case DW_FORM_data1: case DW_FORM_flag: return 1;
	case DW_FORM_data2: return 2;
	case DW_FORM_data4: case DW_FORM_ref_sup4: return 4;
	case DW_FORM_data8: case DW_FORM_ref_sig8: case DW_FORM_ref_sup8: return 8;
	case DW_FORM_addr: return b->address_size;
	case DW_FORM_ref_addr: return b->version < 3 ? b->address_size : b->offset_size;
	case DW_FORM_sec_offset: case DW_FORM_strp_sup: case DW_FORM_GNU_ref_alt: case DW_FORM_GNU_strp_alt:
		return b->offset_size;
	default: return 0;
	}
}

static void write_indexed(struct dwarf_build *b, uint16_t form, const struct build_attr *a)
{
	struct build_bytes *s = &b->sections[DWARF_INFO];
	switch (form) {
	case DW_FORM_strx: case DW_FORM_GNU_str_index: build_uleb(s, text_index(b, a)); break;
	case DW_FORM_strx1: build_uint(s, text_index(b, a), 1); break;
	case DW_FORM_strx2: build_uint(s, text_index(b, a), 2); break;
	case DW_FORM_strx3: build_uint(s, text_index(b, a), 3); break;
	case DW_FORM_strx4: build_uint(s, text_index(b, a), 4); break;
	case DW_FORM_addrx: case DW_FORM_GNU_addr_index: build_uleb(s, address_index(b, a)); break;
	case DW_FORM_addrx1: build_uint(s, address_index(b, a), 1); break;
	case DW_FORM_addrx2: build_uint(s, address_index(b, a), 2); break;
	case DW_FORM_addrx3: build_uint(s, address_index(b, a), 3); break;
	case DW_FORM_addrx4: build_uint(s, address_index(b, a), 4); break;
	default: abort();
	}
}

static void write_value(struct dwarf_build *b, uint16_t form, const struct build_attr *a)
{
	struct build_bytes *s = &b->sections[DWARF_INFO];
	uint64_t local = a->is_raw ? a->number : a->number - b->unit; /* a reference within the unit */
	size_t width = fixed_width(b, form);
	if (width != 0) {
		build_uint(s, a->number, width);
		return;
	}
	switch (form) {
	case DW_FORM_flag_present: case DW_FORM_implicit_const: break;
	case DW_FORM_udata: case DW_FORM_loclistx: case DW_FORM_rnglistx: build_uleb(s, a->number); break;
	case DW_FORM_sdata: build_sleb(s, (int64_t)a->number); break;
	case DW_FORM_data16: build_uint(s, a->number, 8); build_uint(s, a->high, 8); break;
	case DW_FORM_ref1: build_uint(s, local, 1); break;
	case DW_FORM_ref2: build_uint(s, local, 2); break;
	case DW_FORM_ref4: build_uint(s, local, 4); break;
	case DW_FORM_ref8: build_uint(s, local, 8); break;
	case DW_FORM_ref_udata: build_uleb(s, local); break;
	case DW_FORM_string: build_text(s, a->text); break;
	case DW_FORM_strp:
		build_uint(s, a->is_raw ? a->number : add_text(b, DWARF_STR, a->text), b->offset_size);
		break;
	case DW_FORM_line_strp:
		build_uint(s, a->is_raw ? a->number : add_text(b, DWARF_LINE_STR, a->text), b->offset_size);
		break;
	case DW_FORM_block1: write_block(s, a, 1); break;
	case DW_FORM_block2: write_block(s, a, 2); break;
	case DW_FORM_block4: write_block(s, a, 4); break;
	case DW_FORM_block: case DW_FORM_exprloc: write_block(s, a, 0); break;
	case DW_FORM_indirect:
		build_uleb(s, a->actual);
		write_value(b, a->actual, a);
		break;
	default: write_indexed(b, form, a);
	}
}

uint64_t dwarf_build_die(struct dwarf_build *b, uint16_t tag, bool has_children, const struct build_attr *attrs,
                         size_t count)
{
	struct build_bytes *info = &b->sections[DWARF_INFO];
	uint64_t offset = info->size;
	if (count > sizeof b->values / sizeof b->values[0])
		abort();
	build_uleb(info, abbrev_code_of(b, tag, has_children, attrs, count));
	for (size_t i = 0; i < count; i++) {
		b->values[i] = info->size;
		write_value(b, attrs[i].form, &attrs[i]);
	}
	return offset;
}

void dwarf_build_null(struct dwarf_build *b)
{
	build_uint(&b->sections[DWARF_INFO], 0, 1);
}

uint64_t dwarf_build_named(struct dwarf_build *b, uint16_t tag, bool has_children, const char *name)
{
	struct build_attr attr = { .name = DW_AT_name, .form = DW_FORM_string, .text = name };
	return dwarf_build_die(b, tag, has_children, &attr, name != NULL);
}

void dwarf_build_rust_unit(struct dwarf_build *b)
{
	dwarf_build_unit(b);
	const struct build_attr attrs[] = {
		{ .name = DW_AT_language, .form = DW_FORM_data2, .number = DW_LANG_Rust },
		{ .name = DW_AT_name, .form = DW_FORM_string, .text = "src/main.rs" },
	};
	dwarf_build_die(b, DW_TAG_compile_unit, true, attrs, 2);
}

static void add_section(struct core_build *file, const char *name, const struct build_bytes *bytes, bool is_compressed)
{
	if (!is_compressed) {
		core_build_section(file, name, SHT_PROGBITS, 0, 0, bytes->data, bytes->size);
		return;
	}
	Elf64_Chdr header = { .ch_type = ELFCOMPRESS_ZLIB, .ch_size = bytes->size, .ch_addralign = 1 };
	uLongf size = compressBound(bytes->size);
	unsigned char *data = malloc(sizeof header + size);
	if (data == NULL || compress2(data + sizeof header, &size, bytes->data, bytes->size, 1) != Z_OK)
		abort();
	memcpy(data, &header, sizeof header);
	core_build_section(file, name, SHT_PROGBITS, SHF_COMPRESSED, 0, data, sizeof header + size);
	free(data);
}

void dwarf_build_write(const struct dwarf_build *b, const char *path)
{
	struct core_build *file = core_build_new(ET_DYN, EM_X86_64, 0);
	for (int i = 0; i < DWARF_SECTION_COUNT; i++)
		if (b->sections[i].size != 0)
			add_section(file, dwarf_section_name((enum dwarf_section_id)i), &b->sections[i], b->is_compressed);
	core_build_write(file, path);
	core_build_free(file);
}

struct built_file built_file_open(const struct dwarf_build *b, const char *path)
{
	struct built_file file = { 0 };
	dwarf_build_write(b, path);
	struct error *err = elf_open(&file.elf, path);
	if (err == NULL)
		err = dwarf_open(&file.dw, file.elf);
	if (err != NULL) {
		fprintf(stderr, "%s\n", error_message(err));
		abort();
	}
	file.units = dwarf_units(file.dw, &file.unit_count);
	return file;
}

void built_file_close(struct built_file *file)
{
	dwarf_close(file->dw);
	elf_close(file->elf);
}

const char *const *dwarf_test_binaries(void)
{
	static const char *const BUILT[] = { "example/target/debug/hansei-example",
		                             "example/target/release/hansei-example", "tests/programs/target/debug/shapes",
		                             "tests/programs/target/release/shapes" };
	static const char *found[33];
	static char names[8192];
	size_t count = 0;
	const char *asked = getenv("HANSEI_TEST_BINARIES");
	if (asked != NULL) {
		snprintf(names, sizeof names, "%s", asked);
		for (char *name = strtok(names, ":"); name != NULL && count < 32; name = strtok(NULL, ":"))
			found[count++] = name;
	} else {
		for (size_t i = 0; i < sizeof BUILT / sizeof BUILT[0]; i++)
			if (access(BUILT[i], R_OK) == 0)
				found[count++] = BUILT[i];
	}
	found[count] = NULL;
	return found;
}
