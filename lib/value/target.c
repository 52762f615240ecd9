/* Reads of target memory. A small direct-mapped cache of whole pages spares the search for the segment: a listing
 * reads the same few pages of the heap dozens of times in a row. */
#include "value/target.h"

#include <string.h>

void target_init(struct target *t, struct target_memory memory, struct tinfo *tinfo)
{
	memset(t, 0, sizeof *t);
	t->memory = memory;
	t->tinfo = tinfo;
}

const unsigned char *target_peek_slow(struct target *t, uint64_t address, size_t length)
{
	uint64_t in = address % TARGET_PAGE, number = address / TARGET_PAGE;
	if (length <= TARGET_PAGE - in) {
		const unsigned char *bytes = t->memory.peek(t->memory.context, address - in, TARGET_PAGE);
		if (bytes != NULL) {
			t->pages[number % TARGET_PAGES] = (struct target_page){ number + 1, bytes };
			return bytes + in;
		}
	}
	return t->memory.peek(t->memory.context, address, length);
}

bool target_read(struct target *t, uint64_t address, void *buffer, size_t length)
{
	if (length == 0)
		return true;
	const unsigned char *at = target_peek(t, address, length);
	if (at == NULL)
		return t->memory.read(t->memory.context, address, buffer, length);
	memcpy(buffer, at, length);
	return true;
}
