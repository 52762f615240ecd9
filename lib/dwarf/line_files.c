/* How it works: for each unit asked about, libdwarf is opened once over a .debug_info that is cut down to that unit
 * and a .debug_line that ends with its line program. So no list of units is walked (libdwarf keeps a linear one),
 * damage elsewhere cannot matter, and closing it returns all its memory. Opening costs 5 to 10 µs.
 *
 * dwarf_srcfiles reads the header of the line program only. (dwarf_srclines_b, which promises the same, decodes the
 * whole program in 20210528: 60 to 90 ms instead of 5 to 15 for the tables of 331 units.) */
#include "dwarf/line_files.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/cursor.h"
#include "base/error.h"
#include "dwarf/debug_object.h"

struct table {
	const char **paths; /* by DW_AT_decl_file; NULL entries */
	uint64_t count;
	bool is_read;
};

struct line_files {
	struct dwarf *dw;
	const struct dwarf_unit *units;
	size_t unit_count;
	struct table *tables; /* by unit; NULL before the first question */
	struct arena texts;
};

struct error *line_files_open(struct line_files **out, struct dwarf *dw)
{
	struct line_files *lf = calloc(1, sizeof *lf);
	if (lf == NULL)
		return error_memory();
	lf->dw = dw;
	lf->units = dwarf_units(dw, &lf->unit_count);
	*out = lf;
	return NULL;
}

void line_files_close(struct line_files *lf)
{
	if (lf == NULL)
		return;
	free(lf->tables);
	arena_release(&lf->texts);
	free(lf);
}

/* Version and end of the line program, section 6.2.4. The version decides where files are counted from, and is not
 * always the unit's: gcc with an old assembler puts version 3 programs beside version 5 units. */
static bool program_header(struct dwarf_bytes line, uint64_t offset, uint16_t *version, uint64_t *end)
{
	if (offset >= line.size)
		return false;
	struct cursor c = cursor_over(line.data + offset, (size_t)(line.size - offset));
	uint64_t length = cursor_u32(&c);
	if (length == 0xffffffffu)
		length = cursor_u64(&c);
	if (c.bad || length > cursor_left(&c))
		return false;
	*end = (uint64_t)(c.at - line.data) + length;
	*version = cursor_u16(&c);
	return !c.bad && *version >= 2 && *version <= 5;
}

static struct debug_object *open_unit(const struct line_files *lf, const struct dwarf_unit *unit, uint64_t program_end)
{
	/* All of them: to know a version 5 unit's DIE, libdwarf wants its address and range list tables too. */
	struct debug_section sections[DWARF_SECTION_COUNT];
	for (int i = 0; i < DWARF_SECTION_COUNT; i++) {
		enum dwarf_section_id id = (enum dwarf_section_id)i;
		struct dwarf_bytes bytes = dwarf_section(lf->dw, id);
		if (id == DWARF_INFO)
			bytes = (struct dwarf_bytes){ bytes.data + unit->offset, unit->end - unit->offset };
		else if (id == DWARF_LINE)
			bytes.size = program_end;
		sections[i] = (struct debug_section){ dwarf_section_name(id), bytes.data, bytes.size, 0 };
	}
	uint64_t decoded = unit->end - unit->offset + (program_end - unit->line_program);
	return debug_object_open(sections, DWARF_SECTION_COUNT, unit->address_size, decoded);
}

/* rustc names file 0 after the codegen unit, as in "src/main.rs/@/4lphj8u0i1hxvgs5": no file of that name exists. */
static bool is_codegen_unit(const char *path)
{
	return strstr(path, "/@/") != NULL;
}

static void take_paths(struct line_files *lf, struct table *table, Dwarf_Debug dwarf, uint64_t first_die,
                       uint16_t version)
{
	Dwarf_Error error = NULL;
	Dwarf_Die die = NULL;
	char **paths = NULL;
	Dwarf_Signed count = 0;
	if (dwarf_offdie_b(dwarf, first_die, 1, &die, &error) != DW_DLV_OK ||
	    dwarf_srcfiles(die, &paths, &count, &error) != DW_DLV_OK || count <= 0)
		return; /* what was handed out goes with the object */
	uint64_t base = version >= 5 ? 0 : 1;
	table->paths = arena_array(&lf->texts, (size_t)count + base, sizeof *table->paths);
	table->count = (uint64_t)count + base;
	for (Dwarf_Signed i = 0; i < count; i++)
		if (paths[i] != NULL && (i + (Dwarf_Signed)base != 0 || !is_codegen_unit(paths[i])))
			table->paths[(uint64_t)i + base] = arena_strdup(&lf->texts, paths[i]);
}

static void read_table(struct line_files *lf, const struct dwarf_unit *unit, struct table *table)
{
	uint16_t version = 0;
	uint64_t end = 0;
	table->is_read = true;
	if (!unit->has_die || !unit->has_line_program ||
	    !program_header(dwarf_section(lf->dw, DWARF_LINE), unit->line_program, &version, &end))
		return;
	struct debug_object *object = open_unit(lf, unit, end);
	if (object == NULL)
		return;
	take_paths(lf, table, debug_object_dwarf(object), unit->first_die - unit->offset, version);
	debug_object_close(object);
}

const char *line_files_path(struct line_files *lf, const struct dwarf_unit *unit, uint64_t index)
{
	if (lf->tables == NULL) {
		lf->tables = calloc(lf->unit_count + 1, sizeof *lf->tables);
		if (lf->tables == NULL)
			abort();
	}
	struct table *table = &lf->tables[unit - lf->units];
	if (!table->is_read)
		read_table(lf, unit, table);
	return index < table->count ? table->paths[index] : NULL;
}
