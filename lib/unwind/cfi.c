/* cfi.c - finding the FDE of an address: the search table, records, encoded pointers. */
#include "unwind/cfi.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

enum { /* DW_EH_PE_*: LSB Core 5.0, tables 10-1 and 10-2; no header has them everywhere */
	PE_ABSPTR = 0x00,
	PE_ULEB128 = 0x01,
	PE_UDATA2 = 0x02,
	PE_UDATA4 = 0x03,
	PE_UDATA8 = 0x04,
	PE_SLEB128 = 0x09,
	PE_SDATA2 = 0x0a,
	PE_SDATA4 = 0x0b,
	PE_SDATA8 = 0x0c,
	PE_PCREL = 0x10,
	PE_DATAREL = 0x30,
	PE_INDIRECT = 0x80,
	PE_OMIT = 0xff,
	ENCODING_FORMAT = 0x0f,
	ENCODING_BASE = 0x70,
	INDEX_MAX = 1 << 24, /* FDEs that a scan takes in */
};

static uint64_t address_of(const struct cfi_bytes *bytes, const struct cursor *c)
{
	return bytes->address + (uint64_t)(c->at - bytes->at);
}

static uint64_t sign_extend(uint64_t value, unsigned width)
{
	uint64_t sign = UINT64_C(1) << (8 * width - 1);
	return width >= 8 ? value : (value ^ sign) - sign;
}

/* An encoded pointer (LSB 10.5.1); the cursor runs in `bytes`. Relative to text, data or a function is used by no
 * compiler for the two systems and taken for damage. The indirect bit is the caller's affair. */
static bool pointer_read(struct cursor *c, const struct cfi_bytes *bytes, uint64_t bias, uint8_t encoding,
                         uint64_t *value)
{
	uint64_t here = address_of(bytes, c), v;
	switch (encoding & ENCODING_FORMAT) {
	case PE_ABSPTR:
	case PE_UDATA8:
	case PE_SDATA8: v = cursor_u64(c); break;
	case PE_ULEB128: v = cursor_uleb(c); break;
	case PE_SLEB128: v = (uint64_t)cursor_sleb(c); break;
	case PE_UDATA2: v = cursor_u16(c); break;
	case PE_SDATA2: v = sign_extend(cursor_u16(c), 2); break;
	case PE_UDATA4: v = cursor_u32(c); break;
	case PE_SDATA4: v = sign_extend(cursor_u32(c), 4); break;
	default: return false;
	}
	if ((encoding & ENCODING_BASE) == PE_PCREL)
		v += here;
	else if ((encoding & ENCODING_BASE) == 0)
		v += bias;
	else
		return false;
	*value = v;
	return !c->bad;
}

bool cfi_header_read(struct cfi_table *table, struct cfi_bytes header, uint64_t *frames_address)
{
	uint64_t count;
	if (header.at == NULL)
		return false;
	struct cursor c = cursor_over(header.at, (size_t)header.size);
	uint8_t version = cursor_u8(&c), frames_encoding = cursor_u8(&c), count_encoding = cursor_u8(&c);
	uint8_t table_encoding = cursor_u8(&c);
	if (c.bad || version != 1 || !pointer_read(&c, &header, table->bias, frames_encoding, frames_address))
		return false;
	if (count_encoding == PE_OMIT || !pointer_read(&c, &header, 0, count_encoding & ENCODING_FORMAT, &count))
		return true;
	if (table_encoding == (PE_DATAREL | PE_SDATA4))
		table->search_width = 4;
	else if (table_encoding == (PE_DATAREL | PE_SDATA8))
		table->search_width = 8;
	else
		return true;
	uint64_t room = cursor_left(&c) / (2U * table->search_width);
	if (count > room)
		count = room;
	table->search = (struct cfi_bytes){ c.at, count * 2 * table->search_width, address_of(&header, &c) };
	table->search_base = header.address;
	return true;
}

/* The record at an address of .eh_frame: cursor over its bytes behind the length. False at the terminator, past
 * the end, and for the 64-bit form, which nobody writes into .eh_frame. */
static bool record_at(const struct cfi_table *table, uint64_t address, struct cursor *out)
{
	const struct cfi_bytes *f = &table->frames;
	if (address < f->address || address - f->address >= f->size)
		return false;
	uint64_t offset = address - f->address;
	struct cursor c = cursor_over(f->at + offset, (size_t)(f->size - offset));
	uint32_t length = cursor_u32(&c);
	if (c.bad || length == 0 || length >= 0xfffffff0 || length > cursor_left(&c))
		return false;
	*out = cursor_over(c.at, length);
	return true;
}

struct cie {
	uint64_t code_factor, return_register;
	int64_t data_factor;
	uint8_t encoding; /* of addresses in the FDEs */
	bool signal, sized;
	struct cursor initial;
};

/* Behind "z" and a length: L the encoding of a pointer in FDEs, P a pointer with its encoding, R the encoding of
 * addresses, S a signal frame, B authentication with the other key. What an unknown letter has is not known. */
static bool augmentation_read(const struct cfi_table *table, struct cursor *c, const char *letters, struct cie *out)
{
	uint64_t length = cursor_uleb(c), pointer;
	if (length > cursor_left(c))
		return false;
	struct cursor data = cursor_over(c->at, (size_t)length);
	cursor_bytes(c, (size_t)length);
	for (; *letters != '\0'; letters++) {
		if (*letters == 'R') {
			out->encoding = cursor_u8(&data);
		} else if (*letters == 'P') {
			uint8_t encoding = cursor_u8(&data);
			if (!pointer_read(&data, &table->frames, 0, encoding & (uint8_t)~PE_INDIRECT, &pointer))
				return false;
		} else if (*letters == 'L') {
			(void)cursor_u8(&data);
		} else if (*letters == 'S') {
			out->signal = true;
		} else if (*letters != 'B' && *letters != 'G') {
			return false;
		}
	}
	return !data.bad;
}

static bool cie_read(const struct cfi_table *table, uint64_t address, struct cie *out)
{
	struct cursor c;
	*out = (struct cie){ .encoding = PE_ABSPTR };
	if (!record_at(table, address, &c) || cursor_u32(&c) != 0)
		return false;
	uint8_t version = cursor_u8(&c);
	const char *letters = cursor_string(&c);
	if (letters == NULL || (version != 1 && version != 3 && version != 4))
		return false;
	if (version == 4 && (cursor_u8(&c) != 8 || cursor_u8(&c) != 0)) /* address and segment selector size */
		return false;
	out->code_factor = cursor_uleb(&c);
	out->data_factor = cursor_sleb(&c);
	out->return_register = version == 1 ? cursor_u8(&c) : cursor_uleb(&c);
	if (letters[0] == 'z') {
		out->sized = true;
		if (!augmentation_read(table, &c, letters + 1, out))
			return false;
	} else if (letters[0] != '\0') {
		return false;
	}
	out->initial = c;
	return !c.bad;
}

/* The FDE whose record starts at an address; false for a CIE and for damage. */
static bool fde_read(const struct cfi_table *table, uint64_t address, struct cfi_fde *out)
{
	struct cursor c;
	struct cie cie;
	uint64_t length;
	if (!record_at(table, address, &c))
		return false;
	uint64_t field = address_of(&table->frames, &c);
	uint32_t distance = cursor_u32(&c);
	if (c.bad || distance == 0 || !cie_read(table, field - distance, &cie))
		return false;
	if ((cie.encoding & PE_INDIRECT) != 0 ||
	    !pointer_read(&c, &table->frames, table->bias, cie.encoding, &out->start) ||
	    !pointer_read(&c, &table->frames, 0, cie.encoding & ENCODING_FORMAT, &length) ||
	    length > UINT64_MAX - out->start)
		return false;
	out->end = out->start + length;
	if (cie.sized) {
		uint64_t data = cursor_uleb(&c);
		if (data > cursor_left(&c))
			return false;
		cursor_bytes(&c, (size_t)data);
	}
	out->code_factor = cie.code_factor;
	out->data_factor = cie.data_factor;
	out->return_register = cie.return_register;
	out->signal = cie.signal;
	out->initial = cie.initial;
	out->instructions = c;
	return !c.bad;
}

static int entry_order(const void *left, const void *right)
{
	const struct cfi_entry *a = left, *b = right;
	if (a->pc != b->pc)
		return a->pc < b->pc ? -1 : 1;
	return a->fde < b->fde ? -1 : a->fde > b->fde;
}

void cfi_frames_set(struct cfi_table *table, struct cfi_bytes frames)
{
	size_t capacity = 0;
	table->frames = frames;
	if (table->search_width != 0 || frames.at == NULL)
		return;
	struct cursor record;
	struct cfi_fde fde;
	for (uint64_t at = frames.address; record_at(table, at, &record) && table->index_count < INDEX_MAX;
	     at += 4 + cursor_left(&record)) {
		if (!fde_read(table, at, &fde) || fde.start == fde.end)
			continue;
		table->index = array_reserve(table->index, &capacity, table->index_count, 1, sizeof *table->index);
		table->index[table->index_count++] = (struct cfi_entry){ fde.start, at };
	}
	if (table->index_count != 0)
		qsort(table->index, table->index_count, sizeof *table->index, entry_order);
}

void cfi_release(struct cfi_table *table)
{
	free(table->index);
	*table = (struct cfi_table){ .search_width = 0 };
}

static struct cfi_entry entry_at(const struct cfi_table *table, size_t i)
{
	unsigned width = table->search_width;
	if (width == 0)
		return table->index[i];
	const unsigned char *at = table->search.at + i * 2 * width;
	return (struct cfi_entry){ table->search_base + sign_extend(load_uint(at, width), width),
		                       table->search_base + sign_extend(load_uint(at + width, width), width) };
}

bool cfi_find(const struct cfi_table *table, uint64_t pc, struct cfi_fde *out)
{
	size_t low = 0, high = table->index_count;
	if (table->search_width != 0)
		high = (size_t)(table->search.size / (2U * table->search_width));
	while (low < high) { /* the first that starts after pc */
		size_t middle = low + (high - low) / 2;
		if (entry_at(table, middle).pc <= pc)
			low = middle + 1;
		else
			high = middle;
	}
	return low > 0 && fde_read(table, entry_at(table, low - 1).fde, out) && pc >= out->start && pc < out->end;
}
