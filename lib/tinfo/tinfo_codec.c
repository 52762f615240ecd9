/* Frames are recoded before they are compressed, which saves a third of the file: what zstd sees should repeat.
 *
 * Records: the words that the directory marks are stored as differences to the record before (ids and offsets mostly
 * grow), and then all first bytes stand together, all second bytes, and so on, since the same field of neighbours
 * looks alike and different fields of one record do not.
 * Texts: sorted texts share beginnings, so of each only what the one before does not have is stored, with a count
 * of what is shared. The counts stand behind the texts; mixed with them they would be in the way of matches. */
#include "tinfo/tinfo_internal.h"

static uint32_t fold_sign(uint32_t difference)
{
	return difference << 1 ^ (0 - (difference >> 31));
}

static uint32_t unfold_sign(uint32_t folded)
{
	return folded >> 1 ^ (0 - (folded & 1));
}

static bool is_difference(uint32_t mask, size_t word)
{
	return word < 32 && (mask >> word & 1) != 0;
}

static void records_encode(const unsigned char *content, size_t length, size_t stride, uint32_t mask, unsigned char *out)
{
	size_t count = length / stride;
	for (size_t word = 0; word < stride / 4; word++) {
		unsigned char *plane = out + 4 * word * count;
		uint32_t before = 0;
		for (size_t i = 0; i < count; i++) {
			uint32_t value = get_u32(content + i * stride + 4 * word);
			uint32_t stored = is_difference(mask, word) ? fold_sign(value - before) : value;
			for (size_t byte = 0; byte < 4; byte++)
				plane[byte * count + i] = (unsigned char)(stored >> (8 * byte));
			before = value;
		}
	}
}

/* Words `from` to `to` of one column; what the last one was. */
static uint32_t column_decode(const unsigned char *plane, size_t count, size_t from, size_t to, uint32_t before,
			      bool difference, unsigned char *out, size_t stride)
{
	for (size_t i = from; i < to; i++) {
		uint32_t stored = (uint32_t)plane[i] | (uint32_t)plane[count + i] << 8 |
				  (uint32_t)plane[2 * count + i] << 16 | (uint32_t)plane[3 * count + i] << 24;
		before = difference ? before + unfold_sign(stored) : stored;
		put_u32(out + i * stride, before);
	}
	return before;
}

static void records_decode(const unsigned char *coded, size_t length, size_t stride, uint32_t mask, unsigned char *out)
{
	enum { BLOCK = 256 }; /* records: what is written word by word stays in the first-level cache */
	size_t count = length / stride;
	uint32_t before[RECORD_MAX / 4] = { 0 };
	for (size_t from = 0; from < count; from += BLOCK) {
		size_t to = count - from < BLOCK ? count : from + BLOCK;
		for (size_t word = 0; word < stride / 4; word++)
			before[word] = column_decode(coded + 4 * word * count, count, from, to, before[word],
						     is_difference(mask, word), out + 4 * word, stride);
	}
}

/* Bytes of the text at `at`, with its NUL; or up to the end, when the frame cuts it. */
static size_t piece_length(const unsigned char *at, size_t left)
{
	const unsigned char *nul = memchr(at, 0, left);
	return nul == NULL ? left : (size_t)(nul - at) + 1;
}

static size_t texts_encode(const unsigned char *content, size_t length, unsigned char *out)
{
	unsigned char *put = out + 4;
	const unsigned char *before = (const unsigned char *)"";
	/* first the texts, then a second time for the counts */
	for (int turn = 0; turn < 2; turn++) {
		before = (const unsigned char *)"";
		for (size_t at = 0; at < length;) {
			size_t piece = piece_length(content + at, length - at), shared = 0;
			while (shared < piece && before[shared] != 0 && before[shared] == content[at + shared])
				shared++;
			if (turn == 0) {
				memcpy(put, content + at + shared, piece - shared);
				put += piece - shared;
			} else {
				size_t count = shared;
				for (; count >= 0x80; count >>= 7)
					*put++ = (unsigned char)(count | 0x80);
				*put++ = (unsigned char)count;
			}
			before = content + at;
			at += piece;
		}
		if (turn == 0)
			store_uint(out, (uint64_t)(put - out - 4), 4);
	}
	return (size_t)(put - out);
}

static bool texts_decode(const unsigned char *coded, size_t coded_length, unsigned char *out, size_t length)
{
	if (coded_length < 4 || get_u32(coded) > coded_length - 4)
		return false;
	const unsigned char *text = coded + 4, *counts = text + get_u32(coded), *end = coded + coded_length;
	const unsigned char *texts_end = counts, *before = out;
	size_t before_length = 0, at = 0; /* of the text before, without its NUL */
	while (at < length) {
		size_t shared = 0;
		unsigned shift = 0;
		do {
			if (counts == end || shift > 28)
				return false;
			shared |= (size_t)(*counts & 0x7f) << shift;
			shift += 7;
		} while ((*counts++ & 0x80) != 0);
		size_t rest = piece_length(text, (size_t)(texts_end - text));
		if (shared > before_length || shared > length - at || rest > length - at - shared || shared + rest == 0)
			return false;
		memcpy(out + at, before, shared);
		memcpy(out + at + shared, text, rest);
		before = out + at;
		before_length = shared + rest - (out[at + shared + rest - 1] == 0);
		at += shared + rest;
		text += rest;
	}
	return text == texts_end && counts == end;
}

size_t codec_bound(size_t content)
{
	return 2 * content + 16; /* a text of one byte has a count of one byte; longer counts save more than they take */
}

size_t codec_encode(const struct coding *coding, const unsigned char *content, size_t length, unsigned char *out)
{
	switch (coding->encoding) {
	case ENCODING_RECORDS:
		records_encode(content, length, coding->stride, coding->differences, out);
		return length;
	case ENCODING_TEXTS:
		return texts_encode(content, length, out);
	default:
		memcpy(out, content, length);
		return length;
	}
}

bool codec_decode(const struct coding *coding, const unsigned char *coded, size_t coded_length, unsigned char *out,
		  size_t length)
{
	if (coding->encoding == ENCODING_TEXTS)
		return texts_decode(coded, coded_length, out, length);
	if (coded_length != length)
		return false;
	if (coding->encoding == ENCODING_RECORDS)
		records_decode(coded, length, coding->stride, coding->differences, out);
	else
		memcpy(out, coded, length);
	return true;
}
