#include "base/map.h"

#include <stdlib.h>
#include <string.h>

uint64_t hash_u64(uint64_t value)
{
	/* The finalizer of splitmix64: every input bit reaches every output bit. */
	value ^= value >> 30;
	value *= 0xbf58476d1ce4e5b9u;
	value ^= value >> 27;
	value *= 0x94d049bb133111ebu;
	return value ^ (value >> 31);
}

uint64_t hash_bytes(const void *bytes, size_t length, uint64_t seed)
{
	const unsigned char *at = bytes;
	uint64_t h = seed ^ (length * 0x9e3779b97f4a7c15u);
	while (length >= 8) {
		uint64_t word;
		memcpy(&word, at, 8);
		h = (h ^ word) * 0xff51afd7ed558ccdu;
		h ^= h >> 32;
		at += 8;
		length -= 8;
	}
	uint64_t tail = 0;
	if (length != 0)
		memcpy(&tail, at, length);
	return hash_u64(h ^ tail);
}

static size_t slot_of(const struct map *map, uint64_t key)
{
	return (size_t)hash_u64(key) & (map->capacity - 1);
}

static void place(struct map *map, uint64_t key, uint64_t value)
{
	size_t i = slot_of(map, key);
	while (map->used[i])
		i = (i + 1) & (map->capacity - 1);
	map->used[i] = 1;
	map->entries[i] = (struct map_entry){ key, value };
	map->count++;
}

static void grow(struct map *map)
{
	struct map old = *map;
	map->capacity = old.capacity == 0 ? 64 : old.capacity * 2;
	map->entries = malloc(map->capacity * sizeof *map->entries);
	map->used = calloc(map->capacity, 1);
	if (map->entries == NULL || map->used == NULL)
		abort();
	map->count = 0;
	for (size_t i = 0; i < old.capacity; i++)
		if (old.used[i])
			place(map, old.entries[i].key, old.entries[i].value);
	map_release(&old);
}

void map_add(struct map *map, uint64_t key, uint64_t value)
{
	if ((map->count + 1) * 4 > map->capacity * 3)
		grow(map);
	place(map, key, value);
}

void map_set(struct map *map, uint64_t key, uint64_t value)
{
	if (map->capacity != 0) {
		for (size_t i = slot_of(map, key); map->used[i]; i = (i + 1) & (map->capacity - 1)) {
			if (map->entries[i].key == key) {
				map->entries[i].value = value;
				return;
			}
		}
	}
	map_add(map, key, value);
}

bool map_next(const struct map *map, uint64_t key, size_t *cursor, uint64_t *value)
{
	if (map->capacity == 0)
		return false;
	size_t i = *cursor == 0 ? slot_of(map, key) : (*cursor & (map->capacity - 1));
	for (; map->used[i]; i = (i + 1) & (map->capacity - 1)) {
		if (map->entries[i].key == key) {
			*value = map->entries[i].value;
			/* + capacity keeps a cursor that wrapped to slot 0 apart from "start" */
			*cursor = ((i + 1) & (map->capacity - 1)) + map->capacity;
			return true;
		}
	}
	return false;
}

bool map_get(const struct map *map, uint64_t key, uint64_t *value)
{
	size_t cursor = 0;
	return map_next(map, key, &cursor, value);
}

void map_release(struct map *map)
{
	free(map->entries);
	free(map->used);
	*map = (struct map)MAP_INIT;
}
