/* map.h - an open-addressing hash map from 64-bit keys to 64-bit values. Every key is allowed. Texts are keyed
 * by hash_bytes and compared by the owner (map_next walks equal keys when MAP multi-insertion is used). */
#ifndef HANSEI_BASE_MAP_H
#define HANSEI_BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct map_entry {
	uint64_t key, value;
};

struct map {
	struct map_entry *entries;
	uint8_t *used;
	size_t count, capacity; /* capacity is 0 or a power of two */
};

#define MAP_INIT { NULL, NULL, 0, 0 }

void map_set(struct map *map, uint64_t key, uint64_t value);                /* replaces */
void map_add(struct map *map, uint64_t key, uint64_t value);                /* keeps equal keys side by side */
bool map_get(const struct map *map, uint64_t key, uint64_t *value);         /* any one of equal keys */
/* Walks all entries with this key: start with *cursor 0; false at the end. */
bool map_next(const struct map *map, uint64_t key, size_t *cursor, uint64_t *value);
void map_release(struct map *map);

uint64_t hash_bytes(const void *bytes, size_t length, uint64_t seed);
uint64_t hash_u64(uint64_t value);

#endif
