/* The second opinion: every DIE of real binaries, and every file table, as libdwarf reads them and as we do. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include <dwarf.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libdwarf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "dwarf/line_files.h"
#include "dwarf_build.h"
#include "elf/elf_file.h"

struct pair {
	const char *path;
	struct elf_file *elf;
	struct dwarf *ours;
	Dwarf_Debug theirs;
	int fd;
	size_t dies, attributes, units, files;
};

static int theirs_open(int fd, Dwarf_Debug *out)
{
	Dwarf_Error error = NULL;
#ifdef DW_LIBDWARF_VERSION_MAJOR
	return dwarf_init_b(fd, DW_GROUPNUMBER_ANY, NULL, NULL, out, &error);
#else
	return dwarf_init_b(fd, DW_DLC_READ, DW_GROUPNUMBER_ANY, NULL, NULL, out, &error);
#endif
}

static void pair_open(struct pair *p, const char *path)
{
	*p = (struct pair){ .path = path };
	struct error *err = elf_open(&p->elf, path);
	if (err == NULL)
		err = dwarf_open(&p->ours, p->elf);
	if (err != NULL)
		fail_msg("%s", error_message(err));
	if (dwarf_damage(p->ours) != NULL)
		fail_msg("%s: %s", path, dwarf_damage(p->ours));
	p->fd = open(path, O_RDONLY);
	assert_true(p->fd >= 0);
	dwarf_set_de_alloc_flag(0); /* we free all ourselves; its book-keeping doubles the time */
	if (theirs_open(p->fd, &p->theirs) != DW_DLV_OK)
		fail_msg("%s: libdwarf cannot open it", path);
}

static void pair_close(struct pair *p)
{
#ifdef DW_LIBDWARF_VERSION_MAJOR
	dwarf_finish(p->theirs);
#else
	Dwarf_Error error = NULL;
	dwarf_finish(p->theirs, &error);
#endif
	close(p->fd);
	dwarf_close(p->ours);
	elf_close(p->elf);
}

/* The number of an attribute by libdwarf; false: its form has no number. */
static bool their_number(Dwarf_Attribute attr, Dwarf_Half form, struct die_number *out)
{
	Dwarf_Error error = NULL;
	Dwarf_Signed number = 0;
	Dwarf_Bool flag = 0;
	Dwarf_Unsigned value = 0;
	*out = (struct die_number){ 0 };
	switch (form) {
	case DW_FORM_data1: out->width = 1; break;
	case DW_FORM_data2: out->width = 2; break;
	case DW_FORM_data4: out->width = 4; break;
	case DW_FORM_data8: out->width = 8; break;
	case DW_FORM_udata: case DW_FORM_loclistx: case DW_FORM_rnglistx: break;
	case DW_FORM_sdata: case DW_FORM_implicit_const:
		assert_int_equal(dwarf_formsdata(attr, &number, &error), DW_DLV_OK);
		*out = (struct die_number){ (uint64_t)number, number < 0 ? UINT64_MAX : 0, 0, true };
		return true;
	case DW_FORM_flag: case DW_FORM_flag_present:
		assert_int_equal(dwarf_formflag(attr, &flag, &error), DW_DLV_OK);
		*out = (struct die_number){ (uint64_t)flag, 0, form == DW_FORM_flag, false };
		return true;
	case DW_FORM_addr: case DW_FORM_addrx: case DW_FORM_addrx1: case DW_FORM_addrx2: case DW_FORM_addrx3:
	case DW_FORM_addrx4:
		if (dwarf_formaddr(attr, &value, &error) != DW_DLV_OK)
			return false;
		*out = (struct die_number){ value, 0, form == DW_FORM_addr ? 8 : 0, false };
		return true;
	case DW_FORM_sec_offset:
		assert_int_equal(dwarf_global_formref(attr, &value, &error), DW_DLV_OK);
		*out = (struct die_number){ value, 0, 4, false };
		return true;
	case DW_FORM_data16:
		out->width = 16;
		assert_int_equal(dwarf_formdata16(attr, (Dwarf_Form_Data16 *)(void *)out, &error), DW_DLV_OK);
		return true;
	default:
		return false;
	}
	if (dwarf_formudata(attr, &value, &error) != DW_DLV_OK)
		return false;
	out->low = value;
	return true;
}

static bool their_block(Dwarf_Debug dwarf, Dwarf_Attribute attr, Dwarf_Half form, const unsigned char **data,
                        uint64_t *length)
{
	Dwarf_Error error = NULL;
	if (form == DW_FORM_exprloc) {
		Dwarf_Unsigned size = 0;
		Dwarf_Ptr bytes = NULL;
		assert_int_equal(dwarf_formexprloc(attr, &size, &bytes, &error), DW_DLV_OK);
		*data = bytes;
		*length = size;
		return true;
	}
	if (form != DW_FORM_block && form != DW_FORM_block1 && form != DW_FORM_block2 && form != DW_FORM_block4)
		return false;
	Dwarf_Block *block = NULL;
	assert_int_equal(dwarf_formblock(attr, &block, &error), DW_DLV_OK);
	*data = block->bl_data;
	*length = block->bl_len;
	dwarf_dealloc(dwarf, block, DW_DLA_BLOCK);
	return true;
}

/* What of die_values an attribute is, and how to compare it. */
enum class { NUMBER, CONSTANT, TEXT, REFERENCE, FLAG, PRESENCE, EXPRESSION, MEMBER_OFFSET, RANGES };

static const struct row {
	uint16_t name;
	uint32_t bit;
	enum class class;
	size_t at, length_at;
} ROWS[] = {
#define FIELD(field) offsetof(struct die_values, field)
	{ DW_AT_name, DIE_NAME, TEXT, FIELD(name), 0 },
	{ DW_AT_linkage_name, DIE_LINKAGE, TEXT, FIELD(linkage_name), 0 },
	{ DW_AT_MIPS_linkage_name, DIE_LINKAGE, TEXT, FIELD(linkage_name), 0 },
	{ DW_AT_type, DIE_TYPE, REFERENCE, FIELD(type), 0 },
	{ DW_AT_specification, DIE_SPECIFICATION, REFERENCE, FIELD(specification), 0 },
	{ DW_AT_abstract_origin, DIE_ORIGIN, REFERENCE, FIELD(origin), 0 },
	{ DW_AT_discr, DIE_DISCR, REFERENCE, FIELD(discr), 0 },
	{ DW_AT_containing_type, DIE_CONTAINING, REFERENCE, FIELD(containing), 0 },
	{ DW_AT_byte_size, DIE_SIZE, NUMBER, FIELD(size), 0 },
	{ DW_AT_alignment, DIE_ALIGNMENT, NUMBER, FIELD(alignment), 0 },
	{ DW_AT_decl_file, DIE_FILE, NUMBER, FIELD(file), 0 },
	{ DW_AT_decl_line, DIE_LINE, NUMBER, FIELD(line), 0 },
	{ DW_AT_count, DIE_COUNT, NUMBER, FIELD(count), 0 },
	{ DW_AT_upper_bound, DIE_UPPER, NUMBER, FIELD(upper), 0 },
	{ DW_AT_encoding, DIE_ENCODING, NUMBER, FIELD(encoding), 0 },
	{ DW_AT_low_pc, DIE_LOW_PC, NUMBER, FIELD(low_pc), 0 },
	{ DW_AT_high_pc, DIE_HIGH_PC, NUMBER, FIELD(high_pc), 0 },
	{ DW_AT_data_member_location, DIE_MEMBER_OFFSET, MEMBER_OFFSET, FIELD(member_offset), 0 },
	{ DW_AT_discr_value, DIE_DISCR_VALUE, CONSTANT, FIELD(discr_value), 0 },
	{ DW_AT_const_value, DIE_CONST, CONSTANT, FIELD(const_value), 0 },
	{ DW_AT_declaration, DIE_DECLARATION, FLAG, 0, 0 },
	{ DW_AT_artificial, DIE_ARTIFICIAL, FLAG, 0, 0 },
	{ DW_AT_inline, DIE_INLINE, PRESENCE, 0, 0 },
	{ DW_AT_ranges, DIE_RANGES, RANGES, FIELD(ranges), 0 },
	{ DW_AT_location, DIE_LOCATION, EXPRESSION, FIELD(location), FIELD(location_length) },
	{ DW_AT_frame_base, DIE_FRAME_BASE, EXPRESSION, FIELD(frame_base), FIELD(frame_base_length) },
#undef FIELD
};

static const struct row *row_of(uint16_t name)
{
	for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++)
		if (ROWS[i].name == name)
			return &ROWS[i];
	return NULL;
}

static void mismatch(const struct pair *p, uint64_t die, const struct row *row, const char *what)
{
	fail_msg("%s: DIE 0x%" PRIx64 ": attribute 0x%x: %s", p->path, die, row->name, what);
}

static bool constant_equal(struct die_number ours, struct die_number theirs)
{
	return ours.low == theirs.low && ours.high == theirs.high && ours.width == theirs.width &&
	       ours.is_signed == theirs.is_signed;
}

static bool expression_equal(const void *ours, const struct row *row, const unsigned char *data, uint64_t length)
{
	const unsigned char *bytes;
	uint64_t our_length;
	memcpy(&bytes, (const char *)ours + row->at, sizeof bytes);
	memcpy(&our_length, (const char *)ours + row->length_at, sizeof our_length);
	return our_length == length && (length == 0 || memcmp(bytes, data, (size_t)length) == 0);
}

/* Compares one attribute; true when it must be in `has`. */
static bool compare_attribute(struct pair *p, const struct row *row, uint64_t die, Dwarf_Attribute attr,
                              const struct die_values *ours)
{
	Dwarf_Error error = NULL;
	Dwarf_Half form = 0;
	const char *at = (const char *)ours + row->at;
	char *text = NULL;
	Dwarf_Off offset = 0;
	uint64_t length = 0, field = 0;
	const unsigned char *data = NULL;
	struct die_number number, block = { 0 };
	assert_int_equal(dwarf_whatform(attr, &form, &error), DW_DLV_OK);
	bool is_number = their_number(attr, form, &number), is_block = their_block(p->theirs, attr, form, &data, &length);
	memcpy(&field, at, sizeof field);
	switch (row->class) {
	case NUMBER:
		if (row->name == DW_AT_high_pc && is_number && form != DW_FORM_addr && !(form >= DW_FORM_addrx1 &&
		    form <= DW_FORM_addrx4) && form != DW_FORM_addrx)
			number.low += ours->low_pc;
		if (is_number && field != number.low)
			mismatch(p, die, row, "another number");
		return is_number;
	case CONSTANT:
		if (is_block && length >= 1 && length <= 16) {
			memcpy(&block, data, (size_t)length); /* low and high come first; this host is little-endian */
			number = (struct die_number){ block.low, block.high, (uint8_t)length, false };
			is_number = true;
		}
		if (is_number && !constant_equal(row->bit == DIE_CONST ? ours->const_value : ours->discr_value, number))
			mismatch(p, die, row, "another constant");
		return is_number;
	case TEXT: {
		const char *our_text;
		memcpy(&our_text, at, sizeof our_text);
		if (dwarf_formstring(attr, &text, &error) != DW_DLV_OK)
			return false;
		if (our_text == NULL || strcmp(text, our_text) != 0)
			mismatch(p, die, row, "another text");
		return true;
	}
	case REFERENCE:
		/* Newer versions follow signatures to type units, which rustc has none of; we do not. */
		if (form == DW_FORM_ref_sig8 || dwarf_global_formref(attr, &offset, &error) != DW_DLV_OK)
			return false;
		if (offset != field)
			mismatch(p, die, row, "another reference");
		return true;
	case MEMBER_OFFSET:
		if (is_number && number.low != field)
			mismatch(p, die, row, "another offset");
		return is_number || (ours->has & DIE_MEMBER_OFFSET) != 0;
	case RANGES:
		if (form == DW_FORM_sec_offset && number.low != field)
			mismatch(p, die, row, "another offset");
		return true;
	case EXPRESSION:
		if (is_block && !expression_equal(ours, row, data, length))
			mismatch(p, die, row, "another expression");
		return is_block;
	case FLAG: return number.low != 0;
	case PRESENCE: return true;
	}
	return false;
}

static void compare_values(struct pair *p, Dwarf_Die theirs, struct die *ours)
{
	struct die_values values;
	Dwarf_Error error = NULL;
	Dwarf_Attribute *attrs = NULL;
	Dwarf_Signed count = 0;
	uint32_t has = 0;
	if (!die_read(p->ours, ours, &values))
		fail_msg("%s: DIE 0x%" PRIx64 " cannot be read", p->path, ours->offset);
	int status = dwarf_attrlist(theirs, &attrs, &count, &error);
	assert_int_not_equal(status, DW_DLV_ERROR);
	assert_int_equal(count, ours->abbrev->attr_count);
	for (Dwarf_Signed i = 0; i < count; i++) {
		Dwarf_Half name = 0;
		assert_int_equal(dwarf_whatattr(attrs[i], &name, &error), DW_DLV_OK);
		const struct row *row = row_of(name);
		if (row != NULL && compare_attribute(p, row, ours->offset, attrs[i], &values))
			has |= row->bit;
		p->attributes += row != NULL;
		dwarf_dealloc(p->theirs, attrs[i], DW_DLA_ATTR);
	}
	if (attrs != NULL)
		dwarf_dealloc(p->theirs, attrs, DW_DLA_LIST);
	if (has != values.has)
		fail_msg("%s: DIE 0x%" PRIx64 ": attributes 0x%x, not 0x%x", p->path, ours->offset, values.has, has);
	const char *name = die_name(p->ours, ours);
	assert_ptr_equal(name, values.name);
}

/* Compares a DIE, what is below it, and frees theirs. Depth is that of real programs. */
static void compare_tree(struct pair *p, Dwarf_Die theirs, struct die *ours)
{
	Dwarf_Error error = NULL;
	Dwarf_Off offset = 0;
	Dwarf_Half tag = 0;
	Dwarf_Die their_child = NULL;
	struct die our_child, again;
	assert_int_equal(dwarf_dieoffset(theirs, &offset, &error), DW_DLV_OK);
	assert_int_equal(dwarf_tag(theirs, &tag, &error), DW_DLV_OK);
	if (offset != ours->offset || tag != ours->abbrev->tag)
		fail_msg("%s: DIE 0x%" PRIx64 " tag 0x%x, not 0x%llx tag 0x%x", p->path, ours->offset, ours->abbrev->tag,
		         (unsigned long long)offset, tag);
	assert_true(die_at(p->ours, offset, &again));
	assert_memory_equal(&again.values, &ours->values, sizeof again.values);
	compare_values(p, theirs, ours);
	p->dies++;
	int status = dwarf_child(theirs, &their_child, &error);
	bool more = die_child(p->ours, ours, &our_child);
	while (status == DW_DLV_OK && more) {
		Dwarf_Die next = NULL;
		struct die our_next;
		status = dwarf_siblingof_b(p->theirs, their_child, 1, &next, &error);
		more = die_next(p->ours, &our_child, &our_next);
		compare_tree(p, their_child, &our_child);
		their_child = next;
		our_child = our_next;
	}
	assert_int_not_equal(status, DW_DLV_ERROR);
	if (more != (status == DW_DLV_OK))
		fail_msg("%s: DIE 0x%" PRIx64 ": another number of children", p->path, ours->offset);
	dwarf_dealloc(p->theirs, theirs, DW_DLA_DIE);
}

/* Their file table of a unit against ours; dwarf_srcfiles leaves out the entry 0 that versions before 5 lack. */
static void compare_files(struct pair *p, struct line_files *files, const struct dwarf_unit *unit, Dwarf_Die die)
{
	char **paths = NULL;
	Dwarf_Signed count = 0;
	Dwarf_Error error = NULL;
	if (dwarf_srcfiles(die, &paths, &count, &error) != DW_DLV_OK)
		count = 0;
	struct dwarf_bytes line = dwarf_section(p->ours, DWARF_LINE);
	uint64_t version = unit->has_line_program ? line.data[unit->line_program + 4] : 0, base = version < 5;
	for (Dwarf_Signed i = 0; i < count; i++) {
		const char *path = line_files_path(files, unit, (uint64_t)i + base);
		bool is_codegen_unit = i == 0 && base == 0 && strstr(paths[i], "/@/") != NULL;
		if (is_codegen_unit ? path != NULL : path == NULL || strcmp(path, paths[i]) != 0)
			fail_msg("%s: unit 0x%" PRIx64 ": file %d is %s, not %s", p->path, unit->offset, (int)(i + (int)base),
			         path != NULL ? path : "NULL", paths[i]);
		dwarf_dealloc(p->theirs, paths[i], DW_DLA_STRING);
	}
	assert_null(line_files_path(files, unit, (uint64_t)count + base));
	assert_true(base == 0 || line_files_path(files, unit, 0) == NULL);
	p->files += (size_t)count;
	if (paths != NULL)
		dwarf_dealloc(p->theirs, paths, DW_DLA_LIST);
}

static void compare_unit(struct pair *p, struct line_files *files, const struct dwarf_unit *unit, Dwarf_Die die)
{
	struct die ours;
	Dwarf_Off start = 0, length = 0;
	Dwarf_Error error = NULL;
	assert_int_equal(dwarf_die_CU_offset_range(die, &start, &length, &error), DW_DLV_OK);
	assert_int_equal(unit->offset, start);
	assert_int_equal(unit->end, start + length);
	assert_true(unit->has_die && die_at(p->ours, unit->first_die, &ours));
	assert_ptr_equal(dwarf_unit_of(p->ours, unit->end - 1), unit);
	compare_files(p, files, unit, die);
	compare_tree(p, die, &ours);
}

static void compare_binary(const char *path)
{
	struct pair p;
	struct line_files *files;
	pair_open(&p, path);
	assert_null(line_files_open(&files, p.ours));
	size_t unit_count;
	const struct dwarf_unit *units = dwarf_units(p.ours, &unit_count);
	for (;;) {
		Dwarf_Unsigned header_length, type_offset, next, abbrev_offset;
		Dwarf_Half version, address_size, length_size, extension_size, type;
		Dwarf_Sig8 signature;
		Dwarf_Error error = NULL;
		Dwarf_Die die = NULL;
		int status = dwarf_next_cu_header_d(p.theirs, 1, &header_length, &version, &abbrev_offset, &address_size,
		                                    &length_size, &extension_size, &signature, &type_offset, &next, &type,
		                                    &error);
		if (status == DW_DLV_NO_ENTRY)
			break;
		assert_int_equal(status, DW_DLV_OK);
		assert_int_equal(dwarf_siblingof_b(p.theirs, NULL, 1, &die, &error), DW_DLV_OK);
		assert_true(p.units < unit_count);
		const struct dwarf_unit *unit = &units[p.units++];
		assert_int_equal(unit->version, version);
		assert_int_equal(unit->offset_size, length_size);
		assert_int_equal(unit->address_size, address_size);
		assert_int_equal(unit->abbrev_offset, abbrev_offset);
		compare_unit(&p, files, unit, die);
	}
	assert_int_equal(p.units, unit_count);
	assert_true(p.dies > 0 && p.attributes > 0);
	print_message("# %s: %zu units, %zu DIEs, %zu attributes, %zu files\n", path, p.units, p.dies, p.attributes,
	              p.files);
	line_files_close(files);
	pair_close(&p);
}

static void every_die_as_libdwarf_reads_it(void **state)
{
	(void)state;
	const char *const *paths = dwarf_test_binaries();
	if (*paths == NULL) {
		print_message("# no binary: build example/, or set HANSEI_TEST_BINARIES\n");
		skip();
	}
	for (; *paths != NULL; paths++)
		compare_binary(*paths);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(every_die_as_libdwarf_reads_it) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
