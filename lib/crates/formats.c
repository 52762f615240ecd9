/* Values of crates that many programs use. Each row names the releases whose sources it was read from. */
#include "crates/formats.h"

#include "value/view.h"

static const struct formatter ROWS[] = {
	{ "slog::Logger", 0, view_opaque, 0, { NULL }, NULL }, /* slog 2.7: a chain of Arcs to the whole setup */
};

const struct formatter_table *crate_formats(void)
{
	static const struct formatter_table table = FORMATTER_TABLE(ROWS);
	return &table;
}
