/* array.h - growing arrays. The owner keeps pointer, count and capacity; array_reserve makes room for `more`
 * further elements and returns the (possibly moved) storage. Free with free(). Aborts when memory is short. */
#ifndef HANSEI_BASE_ARRAY_H
#define HANSEI_BASE_ARRAY_H

#include <stddef.h>

void *array_reserve(void *items, size_t *capacity, size_t count, size_t more, size_t item_size);

#endif
