#include "tinfo/tinfo_internal.h"

const struct table_shape TABLE_SHAPES[TABLE_COUNT] = {
	[TABLE_META] = { "meta", "tt", 8 },
	[TABLE_STRINGS] = { "strings", "b", 1 },
	[TABLE_TYPES] = { "types", "tbbhqiiTqtw", 44 },
	[TABLE_MEMBERS] = { "members", "tTqw", 20 },
	[TABLE_VARIANTS] = { "variants", "tTqqqwtw", 44 },
	[TABLE_NAMES] = { "names", "T", 4 },
	[TABLE_FUNCTIONS] = { "functions", "ttwqqqTTtw", 52 },
	[TABLE_ADDRESSES] = { "addresses", "F", 4 },
	[TABLE_VTABLES] = { "vtables", "qTtw", 20 },
	[TABLE_INSTANCES] = { "instances", "qFii", 20 },
	[TABLE_CONSTANTS] = { "constants", "tq", 12 },
	[TABLE_STATICS] = { "statics", "tttqTw", 28 },
	[TABLE_IMPLS] = { "impls", "tt", 8 },
	[TABLE_LOCALS] = { "locals", "TtTqtw", 28 },
	[TABLE_CRATES] = { "crates", "tt", 8 },
	[TABLE_SYMBOLS] = { "symbols", "qt", 12 },
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
