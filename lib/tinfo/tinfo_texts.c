/* The builder's texts: interned by hash, sorted once at the end.
 *
 * Rust type names are long and share long beginnings, which makes comparing sorts slow. The sort here looks at
 * eight bytes at a time (multikey quicksort with a word as the key: Bentley and Sedgewick 1997): texts are split
 * into those with a smaller, an equal and a greater word, and only the equal part looks at the next word. */
#include "tinfo/tinfo_build_internal.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"
#include "base/map.h"

static void slots_grow(struct texts *texts)
{
	size_t count = texts->slot_count == 0 ? 1024 : texts->slot_count * 2;
	uint32_t *slots = calloc(count, sizeof *slots);
	if (slots == NULL)
		abort();
	for (size_t i = 0; i < texts->count; i++) {
		size_t at = texts->entries[i].hash & (count - 1);
		while (slots[at] != 0)
			at = (at + 1) & (count - 1);
		slots[at] = (uint32_t)i + 1;
	}
	free(texts->slots);
	texts->slots = slots;
	texts->slot_count = count;
}

/* A text that is longer than a reader would follow is cut, between characters. */
static size_t text_cut(const char *text)
{
	size_t length = strlen(text);
	if (length < TEXT_MAX)
		return length;
	length = TEXT_MAX - 1;
	while (length != 0 && ((unsigned char)text[length] & 0xc0) == 0x80)
		length--;
	return length;
}

uint32_t texts_add(struct texts *texts, const char *text)
{
	if (text == NULL || *text == 0)
		return 0;
	size_t length = text_cut(text);
	uint32_t hash = (uint32_t)hash_bytes(text, length, 0);
	size_t at = hash & (texts->slot_count - 1);
	for (; texts->slots[at] != 0; at = (at + 1) & (texts->slot_count - 1)) {
		const struct text_entry *entry = &texts->entries[texts->slots[at] - 1];
		if (entry->hash == hash && entry->length == length && memcmp(texts->bytes + entry->at, text, length) == 0)
			return texts->slots[at] - 1;
	}
	texts->bytes = array_reserve(texts->bytes, &texts->bytes_capacity, texts->length, length + 1, 1);
	texts->entries = array_reserve(texts->entries, &texts->capacity, texts->count, 1, sizeof *texts->entries);
	texts->entries[texts->count] = (struct text_entry){ texts->length, (uint32_t)length, hash };
	memcpy(texts->bytes + texts->length, text, length);
	texts->bytes[texts->length + length] = 0;
	texts->length += length + 1;
	texts->slots[at] = (uint32_t)++texts->count;
	if (texts->count * 2 > texts->slot_count)
		slots_grow(texts);
	return (uint32_t)texts->count - 1;
}

void texts_init(struct texts *texts)
{
	*texts = (struct texts){ 0 };
	texts->entries = array_reserve(NULL, &texts->capacity, 0, 1, sizeof *texts->entries);
	texts->bytes = array_reserve(NULL, &texts->bytes_capacity, 0, 1, 1);
	texts->bytes[0] = 0;
	texts->length = 1;
	texts->entries[0] = (struct text_entry){ 0, 0, 0 };
	texts->count = 1;
	slots_grow(texts);
}

struct sort_item {
	uint64_t word; /* eight bytes of the text, the first the most significant, NUL-padded */
	const char *text;
	uint32_t left;  /* bytes from `text` on */
	uint32_t number;
};

static void item_load(struct sort_item *item)
{
	const unsigned char *at = (const unsigned char *)item->text;
	if (item->left >= 8) { /* as one expression it compiles to one load */
		item->word = (uint64_t)at[0] << 56 | (uint64_t)at[1] << 48 | (uint64_t)at[2] << 40 | (uint64_t)at[3] << 32 |
			     (uint64_t)at[4] << 24 | (uint64_t)at[5] << 16 | (uint64_t)at[6] << 8 | (uint64_t)at[7];
		return;
	}
	item->word = 0;
	for (size_t i = 0; i < item->left; i++)
		item->word |= (uint64_t)at[i] << (56 - 8 * i);
}

static uint64_t middle_of(uint64_t a, uint64_t b, uint64_t c)
{
	if (a > b) {
		uint64_t t = a;
		a = b;
		b = t;
	}
	return c <= a ? a : c >= b ? b : c;
}

static void insertion_sort(struct sort_item *items, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		struct sort_item item = items[i];
		size_t at = i;
		for (; at != 0; at--) {
			const struct sort_item *before = &items[at - 1];
			if (before->word < item.word || (before->word == item.word && strcmp(before->text, item.text) <= 0))
				break;
			items[at] = *before;
		}
		items[at] = item;
	}
}

static void items_sort(struct sort_item *items, size_t count);

/* The part with equal words: the next eight bytes decide. */
static bool items_advance(struct sort_item *items, size_t count)
{
	if ((items[0].word & 0xff) == 0)
		return false; /* the texts end here: there is just one, they are distinct */
	for (size_t i = 0; i < count; i++) {
		items[i].text += 8;
		items[i].left -= 8;
		item_load(&items[i]);
	}
	return true;
}

/* Recurses into the two smaller parts only, so that the depth is logarithmic. */
static void items_sort(struct sort_item *items, size_t count)
{
	while (count > 12) {
		size_t eighth = count / 8;
		uint64_t pivot = middle_of(middle_of(items[0].word, items[eighth].word, items[2 * eighth].word),
					   middle_of(items[3 * eighth].word, items[4 * eighth].word, items[5 * eighth].word),
					   middle_of(items[6 * eighth].word, items[7 * eighth].word, items[count - 1].word));
		size_t less = 0, greater = count;
		for (size_t i = 0; i < greater;) {
			struct sort_item item = items[i];
			if (item.word < pivot) {
				items[i++] = items[less];
				items[less++] = item;
			} else if (item.word > pivot) {
				items[i] = items[--greater];
				items[greater] = item;
			} else {
				i++;
			}
		}
		struct part {
			struct sort_item *items;
			size_t count;
		} part[3] = { { items, less }, { items + less, greater - less }, { items + greater, count - greater } };
		if (!items_advance(part[1].items, part[1].count))
			part[1].count = 0;
		size_t largest = 0;
		for (size_t i = 1; i < 3; i++)
			if (part[i].count > part[largest].count)
				largest = i;
		for (size_t i = 0; i < 3; i++)
			if (i != largest)
				items_sort(part[i].items, part[i].count);
		items = part[largest].items;
		count = part[largest].count;
	}
	insertion_sort(items, count);
}

struct error *texts_finish(struct texts *texts, unsigned char **blob, uint64_t *size, uint32_t **offsets)
{
	if (texts->length >= TINFO_NONE)
		return error_new(ERROR_UNSUPPORTED, "the names take %zu bytes, 4 GiB is what the format can address",
				 texts->length);
	struct sort_item *items = malloc(texts->count * sizeof *items);
	*offsets = malloc(texts->count * sizeof **offsets);
	*blob = malloc(texts->length);
	if (items == NULL || *offsets == NULL || *blob == NULL) {
		free(items);
		return error_memory();
	}
	for (size_t i = 0; i < texts->count; i++) {
		const struct text_entry *entry = &texts->entries[i];
		items[i] = (struct sort_item){ 0, texts->bytes + entry->at, entry->length, (uint32_t)i };
		item_load(&items[i]);
	}
	items_sort(items, texts->count);
	uint32_t at = 0;
	for (size_t i = 0; i < texts->count; i++) {
		const struct text_entry *entry = &texts->entries[items[i].number];
		memcpy(*blob + at, texts->bytes + entry->at, (size_t)entry->length + 1);
		(*offsets)[items[i].number] = at;
		at += entry->length + 1;
	}
	*size = at;
	free(items);
	return NULL;
}

void texts_release(struct texts *texts)
{
	free(texts->bytes);
	free(texts->entries);
	free(texts->slots);
	*texts = (struct texts){ 0 };
}
