/* cfi.h - call-frame information of one object: .eh_frame, searched through .eh_frame_hdr. Formats: DWARF 5
 * section 6.4, Linux Standard Base Core 5.0 sections 10.5 and 10.6, "DWARF for the Arm 64-bit Architecture".
 *
 * Decoded here and not by libdwarf's frame interface, which can only build the list of all FDEs and never looks at
 * .eh_frame_hdr. Measured with 20210528, one start: libc.so.6 (3,700 FDEs) 14 ms, a program of 107,000 FDEs 630 ms
 * and 75 MB, one of 161,000 FDEs 900 ms and 97 MB; then 1 us for every register of every frame, each query
 * interpreting the instructions anew. This reader: no start to speak of (0.01 ms), 0.6 to 1 us to find an FDE and run a
 * whole row. On five real objects (libc, libcrypto, gdb, librustc_driver, a tokio program) its 2.4 million rules are
 * those of libdwarf.
 *
 * All addresses are those of the target: the bytes carry the address they have there. The bytes are borrowed and
 * untrusted; every access is checked against them. */
#ifndef HANSEI_UNWIND_CFI_H
#define HANSEI_UNWIND_CFI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cursor.h"
#include "unwind/machine.h"

struct cfi_bytes {
	const unsigned char *at; /* NULL: none */
	uint64_t size;
	uint64_t address; /* of the first byte, in the target */
};

struct cfi_entry {
	uint64_t pc, fde; /* first address, and where its FDE is */
};

struct cfi_table {
	struct cfi_bytes frames; /* .eh_frame; may be longer than the section */
	struct cfi_bytes search; /* the sorted table of .eh_frame_hdr */
	uint64_t search_base;    /* its entries are relative to this */
	uint8_t search_width;    /* 4 or 8: bytes of each half of an entry; 0: there is no such table */
	uint64_t bias;           /* added to absolute pointers: the load bias where the bytes are a file's, else 0 */
	struct cfi_entry *index; /* made by a scan, sorted by pc, when there is no search table; owned */
	size_t index_count;
};

/* Reads .eh_frame_hdr: the search table, and the address of .eh_frame. False when there is nothing usable; a
 * header without a table that we can search is usable. */
bool cfi_header_read(struct cfi_table *table, struct cfi_bytes header, uint64_t *frames_address);
/* Says where .eh_frame is; builds the index when there is no search table. */
void cfi_frames_set(struct cfi_table *table, struct cfi_bytes frames);
void cfi_release(struct cfi_table *table);

struct cfi_fde {
	uint64_t start, end; /* code it describes */
	uint64_t code_factor;
	int64_t data_factor;
	uint64_t return_register; /* DWARF number of the column with the return address */
	bool signal;              /* augmentation S: a signal trampoline */
	struct cursor initial, instructions;
};

/* The FDE that covers pc; false when there is none (or it is malformed). */
bool cfi_find(const struct cfi_table *table, uint64_t pc, struct cfi_fde *out);

enum cfi_rule_kind {
	RULE_NONE, /* nothing said: as the ABI has it */
	RULE_UNDEFINED,
	RULE_SAME,
	RULE_OFFSET,     /* saved at CFA + number */
	RULE_VAL_OFFSET, /* is CFA + number */
	RULE_REGISTER,   /* is in register `number`; for the CFA: that register + offset */
	RULE_EXPRESSION, /* saved at the address the expression gives */
	RULE_VAL_EXPRESSION,
};

struct cfi_rule {
	enum cfi_rule_kind kind;
	int64_t number, offset;
	const unsigned char *expression;
	size_t length;
};

struct cfi_row {
	struct cfi_rule cfa; /* RULE_REGISTER or RULE_VAL_EXPRESSION */
	struct cfi_rule registers[UNWIND_REGISTERS];
	bool return_signed; /* aarch64: the saved return address carries an authentication code */
};

/* The rules at pc, which lies in the FDE. NULL, or a static text that says what is wrong with the instructions. */
const char *cfi_row_at(const struct cfi_fde *fde, const struct unwind_machine *m, uint64_t pc, struct cfi_row *row);

#endif
