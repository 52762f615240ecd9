#include "tinfo/tinfo_internal.h"

#define WORD(n) (1u << (n))

const struct table_shape TABLE_SHAPES[TABLE_COUNT] = {
	[TABLE_META] = { "meta", "tt", 8, 0 },
	[TABLE_STRINGS] = { "strings", "b", 1, 0 },
	[TABLE_TYPES] = { "types", "tbbhqiiTqtw", 44, WORD(0) | WORD(4) | WORD(6) },
	[TABLE_MEMBERS] = { "members", "tTqw", 20, WORD(1) },
	[TABLE_VARIANTS] = { "variants", "tTqqqwtw", 44, WORD(0) | WORD(1) | WORD(4) | WORD(10) },
	[TABLE_FUNCTIONS] = { "functions", "ttwqqqTTtw", 52, WORD(1) | WORD(5) | WORD(9) | WORD(10) | WORD(11) },
	[TABLE_ADDRESSES] = { "addresses", "F", 4, WORD(0) },
	[TABLE_VTABLES] = { "vtables", "qTtw", 20, WORD(0) | WORD(2) },
	[TABLE_INSTANCES] = { "instances", "qFii", 20, WORD(0) | WORD(2) | WORD(3) },
	[TABLE_CONSTANTS] = { "constants", "tq", 12, 0 },
	[TABLE_STATICS] = { "statics", "tttqTw", 28, 0 },
	[TABLE_IMPLS] = { "impls", "tt", 8, 0 },
	[TABLE_LOCALS] = { "locals", "TtTqtw", 28, WORD(0) | WORD(6) },
	[TABLE_CRATES] = { "crates", "tt", 8, 0 },
	[TABLE_SYMBOLS] = { "symbols", "qt", 12, WORD(1) },
};

uint32_t field_width(char field)
{
	switch (field) {
	case 'b':
		return 1;
	case 'h':
		return 2;
	case 'q':
		return 8;
	default:
		return 4;
	}
}
