#include "cfi_build.h"

#include <stdlib.h>
#include <string.h>

static void put(unsigned char *bytes, size_t *size, uint64_t value, size_t width)
{
	if (*size + width > CFI_BUILD_MAX)
		abort();
	for (size_t i = 0; i < width; i++)
		bytes[(*size)++] = (unsigned char)(value >> (8 * i));
}

static void put_frame(struct cfi_build *b, uint64_t value, size_t width)
{
	put(b->frames, &b->size, value, width);
}

static void put_bytes(struct cfi_build *b, const void *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		put_frame(b, ((const unsigned char *)bytes)[i], 1);
}

static void record_end(struct cfi_build *b, size_t start)
{
	while (b->size % 4 != 0)
		put_frame(b, 0, 1); /* DW_CFA_nop */
	size_t at = start;
	put(b->frames, &at, b->size - start - 4, 4);
}

void cfi_build_init(struct cfi_build *b, uint64_t address)
{
	memset(b, 0, sizeof *b);
	b->address = address;
}

static size_t pointer_width(uint8_t encoding)
{
	static const unsigned char widths[16] = { 8, 1, 2, 4, 8, 0, 0, 0, 0, 1, 2, 4, 8 }; /* LEB128: tests keep it short */
	return widths[encoding & 15];
}

void cfi_build_cie(struct cfi_build *b, const char *augmentation, uint8_t encoding, uint8_t return_register,
                   const void *instructions, size_t size)
{
	b->cie = b->size;
	b->encoding = encoding;
	b->sized = augmentation[0] == 'z';
	put_frame(b, 0, 4);
	put_frame(b, 0, 4);
	put_frame(b, 1, 1);
	put_bytes(b, augmentation, strlen(augmentation) + 1);
	put_frame(b, 1, 1);
	put_frame(b, 0x78, 1); /* sleb -8 */
	put_frame(b, return_register, 1);
	if (b->sized) {
		size_t length = b->size;
		put_frame(b, 0, 1);
		for (const char *p = augmentation + 1; *p != '\0'; p++) {
			if (*p == 'R')
				put_frame(b, encoding, 1);
			else if (*p == 'L')
				put_frame(b, 0x1b, 1);
			else if (*p == 'P') {
				put_frame(b, 0x9b, 1);
				put_frame(b, 0x1234, 4);
			}
		}
		b->frames[length] = (unsigned char)(b->size - length - 1);
	}
	put_bytes(b, instructions, size);
	record_end(b, b->cie);
}

void cfi_build_fde(struct cfi_build *b, uint64_t start, uint64_t length, const void *instructions, size_t size)
{
	size_t at = b->size;
	if (b->fde_count == CFI_BUILD_FDES)
		abort();
	b->fdes[b->fde_count].start = start;
	b->fdes[b->fde_count++].address = b->address + at;
	put_frame(b, 0, 4);
	put_frame(b, b->size - b->cie, 4);
	uint64_t here = b->address + b->size;
	put_frame(b, (b->encoding & 0x70) == 0x10 ? start - here : start, pointer_width(b->encoding));
	put_frame(b, length, pointer_width(b->encoding));
	if (b->sized)
		put_frame(b, 0, 1);
	put_bytes(b, instructions, size);
	record_end(b, at);
}

void cfi_build_end(struct cfi_build *b)
{
	put_frame(b, 0, 4);
}

void cfi_build_header(struct cfi_build *b, uint64_t address, unsigned width)
{
	size_t *size = &b->header_size;
	*size = 0;
	put(b->header, size, 1, 1);
	put(b->header, size, 0x1b, 1); /* pcrel sdata4 */
	put(b->header, size, width == 0 ? 0xff : 0x03, 1);
	put(b->header, size, width == 8 ? 0x3c : width == 4 ? 0x3b : 0xff, 1);
	put(b->header, size, b->address - (address + 4), 4);
	if (width == 0)
		return;
	put(b->header, size, b->fde_count, 4);
	for (size_t i = 0; i < b->fde_count; i++) {
		put(b->header, size, b->fdes[i].start - address, width);
		put(b->header, size, b->fdes[i].address - address, width);
	}
}
