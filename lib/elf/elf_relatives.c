/* elf_relatives.c - the words of the image that the loader fills with bias + addend: R_*_RELATIVE in the RELA
 * sections, and RELR. Sections are used rather than PT_DYNAMIC: a static PIE of some linkers has no DT_RELA. */
#include <elf.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/cursor.h"
#include "base/error.h"
#include "elf/elf_internal.h"

enum { RELA_SIZE = 24, SECTION_RELR = 19 };

struct relative_list {
	struct elf_relative *items;
	size_t count, capacity;
};

static void rela_read(const struct elf_section *s, uint32_t wanted, struct relative_list *list)
{
	uint64_t entries = s->size / RELA_SIZE;
	const unsigned char *at = s->data;
	for (; entries > 0 && list->count < list->capacity; entries--, at += RELA_SIZE)
		if (load_uint(at + 8, 4) == wanted)
			list->items[list->count++] = (struct elf_relative){ load_uint(at, 8), load_uint(at + 16, 8) };
}

/* The addend of a RELR word is what the file has in its place. */
static struct error *relr_word(const struct elf_file *elf, uint64_t address, struct relative_list *list)
{
	uint64_t available;
	const unsigned char *bytes = elf_image(elf, address, &available);
	if (bytes == NULL || available < 8)
		return error_new(ERROR_DATA, "a RELR relocation at 0x%" PRIx64 " is outside of the image", address);
	if (list->count == list->capacity)
		return error_new(ERROR_DATA, "more RELR relocations than words in the file");
	list->items[list->count++] = (struct elf_relative){ address, load_uint(bytes, 8) };
	return NULL;
}

/* System V gABI, "Relative Relocation Table": an even entry is the address of one word; each odd one after it
 * says with bits 1 to 63 which of the following 63 words are relocated too. */
static struct error *relr_read(const struct elf_file *elf, const struct elf_section *s, struct relative_list *list)
{
	struct cursor c = cursor_over(s->data, (size_t)s->size);
	uint64_t next = 0;
	struct error *err = NULL;
	while (cursor_left(&c) >= 8 && err == NULL) {
		uint64_t entry = cursor_u64(&c);
		if ((entry & 1) == 0) {
			err = relr_word(elf, entry, list);
			next = entry + 8;
			continue;
		}
		for (unsigned bit = 1; bit < 64 && err == NULL; bit++)
			if ((entry >> bit & 1) != 0)
				err = relr_word(elf, next + 8 * (bit - 1), list);
		next += 63 * 8;
	}
	return err;
}

static int relative_order(const void *left, const void *right)
{
	const struct elf_relative *a = left, *b = right;
	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	return a->addend < b->addend ? -1 : a->addend > b->addend;
}

static bool is_loaded(const struct elf_section *s, uint32_t type)
{
	return s->type == type && (s->flags & SHF_ALLOC) != 0 && s->data != NULL;
}

static struct error *relatives_read(struct elf_file *elf, struct relative_list *list)
{
	uint32_t wanted = elf->header.machine == EM_X86_64 ? R_X86_64_RELATIVE : R_AARCH64_RELATIVE;
	for (size_t i = 0; i < elf->section_count; i++) {
		const struct elf_section *s = &elf->sections[i];
		struct error *err = NULL;
		if (is_loaded(s, SHT_RELA))
			rela_read(s, wanted, list);
		else if (is_loaded(s, SECTION_RELR))
			err = relr_read(elf, s, list);
		if (err != NULL)
			return error_wrap(err, "%s: section %s", elf->path, s->name);
	}
	return NULL;
}

/* An upper bound of the relocations; 0 and an error when sections overlap so that they claim more bytes than the
 * file has. Each relocation fills a word of the file or takes 24 bytes of it. */
static struct error *relatives_room(const struct elf_file *elf, size_t *room)
{
	uint64_t bytes = 0, count = 0;
	for (size_t i = 0; i < elf->section_count; i++) {
		const struct elf_section *s = &elf->sections[i];
		if (is_loaded(s, SHT_RELA))
			count += s->size / RELA_SIZE;
		else if (is_loaded(s, SECTION_RELR))
			count += s->size / 8 * 63;
		else
			continue;
		bytes += s->size;
		if (bytes > elf->map.size)
			return error_new(ERROR_DATA, "%s: the relocation sections overlap", elf->path);
	}
	*room = (size_t)(count < elf->map.size / 8 ? count : elf->map.size / 8);
	return NULL;
}

static struct error *relatives_build(struct elf_file *elf)
{
	struct relative_list list = { NULL, 0, 0 };
	struct error *err = relatives_room(elf, &list.capacity);
	if (err != NULL)
		return err;
	list.items = malloc((list.capacity + 1) * sizeof *list.items);
	if (list.items == NULL)
		return error_memory();
	if ((err = relatives_read(elf, &list)) != NULL) {
		free(list.items);
		return err;
	}
	/* Linkers write them in order (-z combreloc), so there is seldom anything to sort. */
	for (size_t i = 1; i < list.count; i++)
		if (relative_order(&list.items[i - 1], &list.items[i]) > 0) {
			qsort(list.items, list.count, sizeof *list.items, relative_order);
			break;
		}
	elf->relatives = list.items;
	elf->relative_count = list.count;
	elf->relatives_built = true;
	return NULL;
}

struct error *elf_relatives(struct elf_file *elf, const struct elf_relative **out, size_t *count)
{
	*out = NULL;
	*count = 0;
	if (!elf->relatives_built) {
		struct error *err = relatives_build(elf);
		if (err != NULL)
			return err;
	}
	*out = elf->relatives;
	*count = elf->relative_count;
	return NULL;
}
