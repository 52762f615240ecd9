/* tinfo_internal.h - what the files of lib/tinfo share. A model is a row of sections; a section is its content in
 * one piece of memory, records of a fixed width or, for the strings, one blob. In a model built in memory all of
 * it is there; in one opened from a file the content is inflated frame by frame, in place, when first touched, so
 * that pointers stay valid and a text or a record may straddle frames. */
#ifndef HANSEI_TINFO_INTERNAL_H
#define HANSEI_TINFO_INTERNAL_H

#include "tinfo/tinfo.h"

#include <string.h>

#define TINFO_MAGIC "\x89tinfo\r\n" /* 8 bytes, without the NUL; mangled by every text conversion */

enum {
	TINFO_MAJOR = 1,
	TINFO_MINOR = 0,
	HEADER_SIZE = 48,
	ENTRY_SIZE = 72,             /* one directory entry */
	FRAME_ENTRY_SIZE = 12,       /* compressed length, checksum */
	FRAME_CONTENT = 128 * 1024,  /* about what we write; what is read is said in the directory */
	FRAME_CONTENT_MAX = 1 << 24, /* what we agree to read */
	DIRECTORY_MAX = 4096,        /* sections */
	RECORD_MAX = 4096,           /* bytes of one record */
	TEXT_MAX = 1 << 20,          /* bytes of one text, NUL included: bounds every search for an end */
};

/* All content of one file together; names are addressed by 32 bits, so no honest file is larger. */
#define CONTENT_MAX ((uint64_t)1 << 32)

/* How content stands in its frames, below the compression: tinfo_codec.c. */
enum encoding { ENCODING_PLAIN, ENCODING_RECORDS, ENCODING_TEXTS, ENCODING_COUNT };

struct coding {
	enum encoding encoding;
	uint32_t stride;      /* bytes a record; ENCODING_RECORDS: a multiple of 4, and frames hold whole records */
	uint32_t differences; /* ENCODING_RECORDS: bit n: word n of a record is stored as a difference */
};

enum frame_state { FRAME_UNTOUCHED, FRAME_DONE, FRAME_BAD };

struct section {
	bool present;
	struct coding coding;
	uint32_t count;      /* records; bytes for the strings */
	uint64_t size;       /* bytes of content, stride * count */
	unsigned char *data; /* owned; NULL until something is touched */

	/* Of a section in a file; NULL and 0 in a model built in memory. */
	uint32_t frame_size, frame_count;
	const unsigned char *entries; /* the frame table, in the mapping */
	uint64_t *starts;             /* file offset of every frame, and of the end */
	uint8_t *state;               /* enum frame_state; NULL: all of the content is in place */
	uint32_t *ends;               /* strings: bytes up to and with the frame's last NUL, 0 when it has none */
};

enum { NAME_CACHE = 256 };

struct tinfo {
	struct section sections[TABLE_COUNT];
	const unsigned char *map; /* NULL: built in memory */
	size_t map_size;
	char *path;  /* NULL: built in memory */
	void *dctx;  /* ZSTD_DCtx, made when the first frame is inflated */
	unsigned char *scratch; /* a frame between inflating and decoding */
	size_t scratch_size;
	char *fault; /* NULL: none so far */
	uint32_t names[NAME_CACHE]; /* offsets of texts that were looked for, by hash; 0 empty */
};

/* How records are laid out, a letter a field: 't' text (4 bytes), 'T' type id (4), 'F' function id (4), 'i' index
 * or count (4), 'w' number (4), 'b' (1), 'h' (2), 'q' (8). hansei-tinfo(5) says the same in words. */
struct table_shape {
	const char *name;
	const char *fields;
	uint32_t size;        /* bytes of a record */
	uint32_t differences; /* as in struct coding: what measuring found to be smaller so */
};
extern const struct table_shape TABLE_SHAPES[TABLE_COUNT];
uint32_t field_width(char field);

/* Encodes a frame's content into out (codec_bound bytes); its length. */
size_t codec_encode(const struct coding *coding, const unsigned char *content, size_t length, unsigned char *out);
/* The reverse; false when the coded bytes do not give exactly `length` bytes of content. */
bool codec_decode(const struct coding *coding, const unsigned char *coded, size_t coded_length, unsigned char *out,
		  size_t length);
size_t codec_bound(size_t content);

/* Bytes offset .. offset + length of a section, inflated; NULL with a fault noted. */
const unsigned char *section_bytes(struct tinfo *ti, enum tinfo_table table, uint64_t offset, uint64_t length);
/* The index-th record, or NULL with a fault noted. */
const unsigned char *section_record(struct tinfo *ti, enum tinfo_table table, uint32_t index);
/* Inflates everything; false with a fault noted. */
bool section_inflate_all(struct tinfo *ti, enum tinfo_table table);
/* The text at an offset; "" with a fault noted and *bad set (bad may be NULL). */
const char *section_text(struct tinfo *ti, uint32_t offset, bool *bad);
void section_release(struct section *section);

void tinfo_fault_set(struct tinfo *ti, enum tinfo_table table, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Offset of a text in the blob; false when the model does not have it. */
bool text_find(struct tinfo *ti, const char *text, size_t length, uint32_t *offset);

uint64_t tinfo_hash(const void *bytes, size_t length); /* XXH64, seed 0 */

static inline void store_uint(unsigned char *at, uint64_t value, size_t width)
{
	for (size_t i = 0; i < width; i++)
		at[i] = (unsigned char)(value >> (8 * i));
}

/* Written out, because compilers make one load or store of them, and a loop with a variable width stays a loop. */
static inline uint32_t get_u32(const unsigned char *at)
{
	return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static inline uint64_t get_u64(const unsigned char *at)
{
	return get_u32(at) | (uint64_t)get_u32(at + 4) << 32;
}

static inline void put_u32(unsigned char *at, uint32_t value)
{
	at[0] = (unsigned char)value;
	at[1] = (unsigned char)(value >> 8);
	at[2] = (unsigned char)(value >> 16);
	at[3] = (unsigned char)(value >> 24);
}

#endif
