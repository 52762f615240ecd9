/* cfi_build.h - .eh_frame and .eh_frame_hdr made by hand, for tests. Independent of lib/unwind. */
#ifndef HANSEI_TESTS_CFI_BUILD_H
#define HANSEI_TESTS_CFI_BUILD_H

#include <stddef.h>
#include <stdint.h>

enum { CFI_BUILD_MAX = 4096, CFI_BUILD_FDES = 64 };

struct cfi_build {
	unsigned char frames[CFI_BUILD_MAX];
	size_t size;
	uint64_t address; /* of frames in the target */
	uint8_t encoding; /* of the last CIE's FDEs */
	int sized;        /* the last CIE has a 'z' */
	size_t cie;       /* offset of the last CIE */
	struct {
		uint64_t start, address;
	} fdes[CFI_BUILD_FDES];
	size_t fde_count;
	unsigned char header[CFI_BUILD_MAX];
	size_t header_size;
};

void cfi_build_init(struct cfi_build *b, uint64_t address);
/* A CIE with code factor 1 and data factor -8. augmentation as in the file: "zR", "zPLR" …; encoding for 'R'. */
void cfi_build_cie(struct cfi_build *b, const char *augmentation, uint8_t encoding, uint8_t return_register,
                   const void *instructions, size_t size);
void cfi_build_fde(struct cfi_build *b, uint64_t start, uint64_t length, const void *instructions, size_t size);
void cfi_build_end(struct cfi_build *b); /* the terminator */
/* .eh_frame_hdr for an address; width 4 or 8: a search table of such entries, 0: none. */
void cfi_build_header(struct cfi_build *b, uint64_t address, unsigned width);

#endif
