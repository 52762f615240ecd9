/* line_files.h - the file tables of line programs (section 6.2.4): what DW_AT_decl_file and DW_AT_call_file mean.
 *
 * Ownership: a line_files borrows the dwarf; paths live until line_files_close. Not thread-safe. */
#ifndef HANSEI_DWARF_LINE_FILES_H
#define HANSEI_DWARF_LINE_FILES_H

#include <stdint.h>

#include "dwarf/dwarf.h"

struct line_files;

/* Reads nothing yet: a table is decoded at the first question about it. Fails only for lack of memory. */
struct error *line_files_open(struct line_files **out, struct dwarf *dw);
void line_files_close(struct line_files *lf); /* NULL is fine */

/* The path of file `index` of a unit, joined as comp_dir/directory/file, an absolute part winning over all before
 * it; relative only when no part is absolute. NULL: no such file (index 0 before version 5; out of range), rustc's
 * file 0 of version 5, which names a codegen unit, or the unit's table is missing or damaged. Equal questions get
 * the same pointer. */
const char *line_files_path(struct line_files *lf, const struct dwarf_unit *unit, uint64_t index);

#endif
