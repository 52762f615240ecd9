/* The checksum of .tinfo files: XXH64 with seed 0, from its published specification (xxHash fast digest algorithm,
 * version 0.1.1). A file format must not depend on hash_bytes, which may change and reads words in host order. */
#include "tinfo/tinfo_internal.h"

static const uint64_t P1 = 0x9e3779b185ebca87u, P2 = 0xc2b2ae3d27d4eb4fu, P3 = 0x165667b19e3779f9u,
		      P4 = 0x85ebca77c2b2ae63u, P5 = 0x27d4eb2f165667c5u;

static uint64_t rotate(uint64_t value, unsigned bits)
{
	return value << bits | value >> (64 - bits);
}

static uint64_t round_add(uint64_t lane, uint64_t word)
{
	return rotate(lane + word * P2, 31) * P1;
}

uint64_t tinfo_hash(const void *bytes, size_t length)
{
	const unsigned char *at = bytes;
	size_t left = length;
	uint64_t h = P5;
	if (left >= 32) {
		uint64_t lane[4] = { P1 + P2, P2, 0, 0 - P1 };
		for (; left >= 32; left -= 32, at += 32)
			for (size_t i = 0; i < 4; i++)
				lane[i] = round_add(lane[i], get_u64(at + 8 * i));
		h = rotate(lane[0], 1) + rotate(lane[1], 7) + rotate(lane[2], 12) + rotate(lane[3], 18);
		for (size_t i = 0; i < 4; i++)
			h = (h ^ round_add(0, lane[i])) * P1 + P4;
	}
	h += length;
	for (; left >= 8; left -= 8, at += 8)
		h = rotate(h ^ round_add(0, get_u64(at)), 27) * P1 + P4;
	if (left >= 4) {
		h = rotate(h ^ get_u32(at) * P1, 23) * P2 + P3;
		left -= 4;
		at += 4;
	}
	for (; left != 0; left--, at++)
		h = rotate(h ^ *at * P5, 11) * P1;
	h = (h ^ h >> 33) * P2;
	h = (h ^ h >> 29) * P3;
	return h ^ h >> 32;
}
