#include "base/array.h"

#include <stdint.h>
#include <stdlib.h>

void *array_reserve(void *items, size_t *capacity, size_t count, size_t more, size_t item_size)
{
	if (more > SIZE_MAX - count)
		abort();
	if (count + more <= *capacity)
		return items;
	size_t grown = *capacity < 16 ? 16 : *capacity + *capacity / 2;
	if (grown < count + more)
		grown = count + more;
	if (grown > SIZE_MAX / item_size)
		abort();
	void *moved = realloc(items, grown * item_size);
	if (moved == NULL)
		abort();
	*capacity = grown;
	return moved;
}
