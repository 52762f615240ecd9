/* Only the header of a line program is decoded, and of its entries only names and directories; a path is put
 * together when it is asked for.
 *
 * Why not by libdwarf: its dwarf_srcfiles gives the same paths, but version 20210528 crashes on damaged version 5
 * headers (strlen of a missing name), and its dwarf_srclines_b decodes the whole program, not just the header. The
 * unit tests compare with it. */
#include "dwarf/line_files.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/error.h"
#include "dwarf/dwarf_internal.h"

enum { PATH_LENGTH_MAX = 4096 }; /* PATH_MAX; what is longer is damage */

struct file {
	const char *name; /* in the section */
	uint64_t directory;
	const char *path; /* NULL until asked for */
};

struct table {
	const char *comp_dir;
	uint16_t version;
	const char **directories; /* version 5: entry 0 is the compilation's own; before: entry 1 is the first */
	struct file *files;       /* the same */
	size_t directory_count, directory_capacity, file_count, file_capacity;
};

struct line_files {
	struct dwarf *dw;
	struct map by_program; /* hash of (offset, comp_dir) -> index in tables */
	struct table *tables;
	size_t count, capacity;
	uint64_t budget; /* bytes that may still be decoded: hostile programs may overlap, all tables in one another */
	struct arena paths;
};

struct error *line_files_open(struct line_files **out, struct dwarf *dw)
{
	struct line_files *lf = calloc(1, sizeof *lf);
	if (lf == NULL)
		return error_memory();
	lf->dw = dw;
	lf->budget = 4 * dw->sections[DWARF_LINE].size;
	*out = lf;
	return NULL;
}

static void table_release(struct table *table)
{
	free(table->directories);
	free(table->files);
}

void line_files_close(struct line_files *lf)
{
	if (lf == NULL)
		return;
	for (size_t i = 0; i < lf->count; i++)
		table_release(&lf->tables[i]);
	free(lf->tables);
	map_release(&lf->by_program);
	arena_release(&lf->paths);
	free(lf);
}

static void add_directory(struct table *table, const char *name)
{
	table->directories = array_reserve(table->directories, &table->directory_capacity, table->directory_count, 1,
	                                   sizeof *table->directories);
	table->directories[table->directory_count++] = name;
}

static void add_file(struct table *table, const char *name, uint64_t directory)
{
	table->files = array_reserve(table->files, &table->file_capacity, table->file_count, 1, sizeof *table->files);
	table->files[table->file_count++] = (struct file){ name, directory, NULL };
}

/* Versions 2 to 4: two lists of strings, each ended by an empty one (DWARF 4, section 6.2.4). */
static bool read_lists(struct table *table, struct cursor *c)
{
	const char *name;
	add_directory(table, NULL); /* 0 is the compilation's directory, which is not in the list */
	while ((name = cursor_string(c)) != NULL && *name != '\0')
		add_directory(table, name);
	add_file(table, NULL, 0);
	while ((name = cursor_string(c)) != NULL && *name != '\0') {
		uint64_t directory = cursor_uleb(c);
		(void)cursor_uleb(c); /* time */
		(void)cursor_uleb(c); /* length */
		add_file(table, name, directory);
	}
	return !c->bad;
}

/* What decodes a value in a line program header: its own offset size, the unit's string tables. */
struct decoder {
	const struct dwarf *dw;
	struct dwarf_unit unit;
	struct abbrev_table widths;
};

/* Version 5: a description of an entry, then entries; for directories and for files (section 6.2.4.1). */
static bool read_entries(const struct decoder *d, struct table *table, struct cursor *c, bool is_files)
{
	struct { uint64_t content; struct abbrev_attr attr; } format[UINT8_MAX];
	unsigned formats = cursor_u8(c);
	for (unsigned i = 0; i < formats; i++) {
		format[i].content = cursor_uleb(c);
		uint64_t form = cursor_uleb(c);
		if (c->bad || form > UINT16_MAX || form == DW_FORM_implicit_const)
			return false;
		format[i].attr = (struct abbrev_attr){ 0, (uint16_t)form, 0 };
	}
	for (uint64_t count = cursor_uleb(c); count != 0; count--) {
		const char *name = NULL;
		uint64_t directory = 0;
		size_t left = cursor_left(c);
		for (unsigned i = 0; i < formats; i++) {
			struct form_value value;
			if (!form_read(d->dw, &d->unit, &d->widths, &format[i].attr, c, &value) || c->bad)
				return false;
			if (format[i].content == DW_LNCT_path)
				name = value.text;
			else if (format[i].content == DW_LNCT_directory_index)
				directory = value.number.low;
		}
		if (cursor_left(c) == left) /* entries without bytes: any count of them would fit */
			return false;
		if (is_files)
			add_file(table, name, directory);
		else
			add_directory(table, name);
	}
	return !c->bad;
}

/* Cuts the program at `offset` down to its header, from the version on. */
static bool find_header(struct dwarf_bytes line, uint64_t offset, struct cursor *c, uint8_t *offset_size)
{
	if (offset >= line.size)
		return false;
	*c = cursor_over(line.data + offset, (size_t)(line.size - offset));
	*offset_size = 4;
	uint64_t length = cursor_u32(c);
	if (length == 0xffffffffu) {
		*offset_size = 8;
		length = cursor_u64(c);
	}
	if (c->bad || length > cursor_left(c))
		return false;
	c->end = c->at + length;
	return true;
}

static bool read_table(const struct line_files *lf, const struct dwarf_unit *unit, struct table *table,
                       struct cursor *c)
{
	struct decoder d = { lf->dw, *unit, { 0 } };
	if (!find_header(lf->dw->sections[DWARF_LINE], unit->line_program, c, &d.unit.offset_size))
		return false;
	/* Not always the unit's version: gcc with an old assembler puts programs of version 3 beside units of 5. */
	table->version = cursor_u16(c);
	if (table->version < 2 || table->version > 5)
		return false;
	if (table->version >= 5) {
		d.unit.address_size = cursor_u8(c);
		(void)cursor_u8(c); /* segment selectors */
	}
	uint64_t length = cursor_uint(c, d.unit.offset_size);
	if (c->bad || length > cursor_left(c))
		return false;
	c->end = c->at + length;
	/* Lengths of instructions, line base and range; section 6.2.4, 5 to 10. */
	cursor_bytes(c, table->version >= 4 ? 5 : 4);
	uint8_t opcode_base = cursor_u8(c);
	cursor_bytes(c, opcode_base > 0 ? opcode_base - 1u : 0);
	if (table->version < 5)
		return !c->bad && read_lists(table, c);
	d.widths.offset_size = d.unit.offset_size;
	d.widths.address_size = d.unit.address_size;
	d.widths.version = 5;
	return !c->bad && read_entries(&d, table, c, false) && read_entries(&d, table, c, true);
}

/* The unit's table; an empty one when it has none or it is damaged. Units may share a program: type units do, and
 * partial units. */
static struct table *table_of(struct line_files *lf, const struct dwarf_unit *unit)
{
	uint64_t key = hash_u64(unit->line_program ^ hash_u64((uint64_t)(uintptr_t)unit->comp_dir)), index = 0;
	if (map_get(&lf->by_program, key, &index))
		return &lf->tables[index];
	lf->tables = array_reserve(lf->tables, &lf->capacity, lf->count, 1, sizeof *lf->tables);
	struct table *table = &lf->tables[lf->count];
	*table = (struct table){ .comp_dir = unit->comp_dir };
	map_set(&lf->by_program, key, lf->count++);
	struct cursor c = { NULL, NULL, false };
	if (lf->budget != 0 && !read_table(lf, unit, table, &c)) {
		table_release(table);
		*table = (struct table){ .comp_dir = unit->comp_dir };
	}
	uint64_t decoded = c.at == NULL ? 0 : (uint64_t)(c.at - lf->dw->sections[DWARF_LINE].data) - unit->line_program;
	lf->budget = decoded < lf->budget ? lf->budget - decoded : 0;
	return table;
}

static const char *directory_of(const struct table *table, uint64_t index)
{
	return index < table->directory_count ? table->directories[index] : NULL;
}

static const char *join(struct line_files *lf, const struct table *table, const struct file *file)
{
	/* Each is relative to the one before; directory 0 is what all other directories are relative to. */
	const char *parts[4] = { table->comp_dir, directory_of(table, 0),
		                 file->directory != 0 ? directory_of(table, file->directory) : NULL, file->name };
	char path[PATH_LENGTH_MAX];
	size_t length = 0;
	for (int i = 0; i < 4; i++) {
		if (parts[i] == NULL || parts[i][0] == '\0')
			continue;
		size_t more = strnlen(parts[i], sizeof path);
		if (parts[i][0] == '/')
			length = 0;
		else if (length != 0 && path[length - 1] != '/')
			path[length++] = '/';
		if (more >= sizeof path - length - 1)
			return NULL;
		memcpy(path + length, parts[i], more);
		length += more;
	}
	return arena_strndup(&lf->paths, path, length);
}

const char *line_files_path(struct line_files *lf, const struct dwarf_unit *unit, uint64_t index)
{
	if (!unit->has_line_program)
		return NULL;
	struct table *table = table_of(lf, unit);
	struct file *file = index < table->file_count ? &table->files[index] : NULL;
	if (file == NULL || file->name == NULL)
		return NULL;
	/* rustc names file 0 after the codegen unit, as in "src/main.rs/@/4lphj8u0i1hxvgs5": there is no such file. */
	if (index == 0 && strstr(file->name, "/@/") != NULL)
		return NULL;
	if (file->path == NULL)
		file->path = join(lf, table, file);
	return file->path;
}
