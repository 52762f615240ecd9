/* elf_file.c - opening: the tables at the front and the back of the file.
 *
 * Our own reading of the first 64 bytes makes the messages and checks that both tables lie inside of the file;
 * only then libelf decodes them, over our mapping (elf_memory copies nothing). libelf is let go at once: section
 * contents, symbols and relocations are plain bytes in the mapping, which keeps them usable from several threads
 * (Debian's libelf is not) and without a second copy. */
#include "elf/elf_file.h"

#include <gelf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "base/error.h"
#include "elf/elf_internal.h"

/* How much of a note section is looked through: a program's notes take a few hundred bytes. */
enum { NOTES_MAX = 64 * 1024 };

bool build_id_equal(const struct build_id *a, const struct build_id *b)
{
	return a->length != 0 && a->length == b->length && memcmp(a->bytes, b->bytes, a->length) == 0;
}

void build_id_text(const struct build_id *id, char out[2 * BUILD_ID_MAX + 1])
{
	static const char digits[] = "0123456789abcdef";
	if (id->length == 0) {
		memcpy(out, "none", sizeof "none");
		return;
	}
	for (uint32_t i = 0; i < id->length; i++) {
		out[2 * i] = digits[id->bytes[i] >> 4];
		out[2 * i + 1] = digits[id->bytes[i] & 15];
	}
	out[2 * id->length] = '\0';
}

/* Notes of build ids are padded to 4 bytes; the 8-byte padding of .note.gnu.property (its own section and
 * segment) would only matter behind a descriptor whose size is odd in 4. */
bool build_id_from_notes(struct build_id *out, const unsigned char *notes, size_t length)
{
	struct cursor c = cursor_over(notes, length);
	while (cursor_left(&c) >= 12) {
		uint32_t name_size = cursor_u32(&c), size = cursor_u32(&c), type = cursor_u32(&c);
		if (name_size > cursor_left(&c) || size > cursor_left(&c))
			return false;
		const char *name = cursor_bytes(&c, (name_size + 3u) & ~(size_t)3);
		const unsigned char *bytes = cursor_bytes(&c, size);
		if (bytes == NULL)
			return false;
		if (type == NT_GNU_BUILD_ID && name_size == 4 && memcmp(name, "GNU", 4) == 0 && size > 0 &&
		    size <= BUILD_ID_MAX) {
			memcpy(out->bytes, bytes, size);
			out->length = size;
			return true;
		}
		size_t padding = -(size_t)size & 3;
		cursor_bytes(&c, padding < cursor_left(&c) ? padding : cursor_left(&c));
	}
	return false;
}

static bool file_has(const struct elf_file *elf, uint64_t offset, uint64_t size)
{
	return offset <= elf->map.size && size <= elf->map.size - offset;
}

static struct error *table_check(const struct elf_file *elf, const char *what, uint64_t offset, uint64_t count,
                                 uint16_t entry_size, uint16_t right_size)
{
	if (entry_size != right_size)
		return error_new(ERROR_DATA, "entries of the %s are %u bytes instead of %u", what, entry_size, right_size);
	if (count > UINT64_MAX / right_size || !file_has(elf, offset, count * right_size))
		return error_new(ERROR_TRUNCATED,
		                 "cut: the %s of %" PRIu64 " entries at %" PRIu64 " passes the end of the file at %" PRIu64, what,
		                 count, offset, elf->map.size);
	return NULL;
}

/* Both tables must lie in the file, whatever libelf thinks of that. Counts that do not fit 16 bits are in section
 * header 0 (System V gABI, "ELF Header": e_phnum PN_XNUM and e_shnum 0). */
static struct error *tables_check(const struct elf_file *elf)
{
	const struct elf_header *h = &elf->header;
	uint64_t sections = h->shnum, segments = h->phnum;
	struct error *err;
	if (h->shoff != 0) {
		if ((err = table_check(elf, "section table", h->shoff, h->shnum != 0 ? h->shnum : 1, h->shentsize,
		                       ELF_SECTION_HEADER_SIZE)) != NULL)
			return err;
		const unsigned char *first = elf->map.bytes + h->shoff;
		if (h->shnum == 0)
			sections = load_uint(first + 32, 8); /* sh_size */
		if (h->phnum == PN_XNUM)
			segments = load_uint(first + 44, 4); /* sh_info */
		if ((err = table_check(elf, "section table", h->shoff, sections, h->shentsize, ELF_SECTION_HEADER_SIZE)) !=
		    NULL)
			return err;
	}
	if (segments != 0)
		return table_check(elf, "program header table", h->phoff, segments, h->phentsize, ELF_PROGRAM_HEADER_SIZE);
	return NULL;
}

static struct error *segments_read(struct elf_file *elf, Elf *libelf)
{
	size_t count;
	if (elf_getphdrnum(libelf, &count) != 0)
		return error_new(ERROR_DATA, "program headers: %s", elf_errmsg(-1));
	elf->segments = calloc(count + 1, sizeof *elf->segments);
	if (elf->segments == NULL)
		return error_memory();
	for (size_t i = 0; i < count; i++) {
		GElf_Phdr p;
		if (gelf_getphdr(libelf, (int)i, &p) == NULL)
			return error_new(ERROR_DATA, "program header %zu: %s", i, elf_errmsg(-1));
		elf->segments[i] = (struct elf_segment){ p.p_type, p.p_flags, p.p_offset, p.p_vaddr, p.p_filesz, p.p_memsz,
			                                 p.p_align };
	}
	elf->segment_count = count;
	return NULL;
}

struct elf_names elf_names_over(const unsigned char *bytes, uint64_t size)
{
	for (; size > 0; size--)
		if (bytes[size - 1] == 0)
			return (struct elf_names){ (const char *)bytes, size };
	return (struct elf_names){ "", 1 };
}

/* The names of sections; without a usable table (an index past the end, a cut file) all are "". */
static struct elf_names section_names(const struct elf_file *elf, Elf *libelf)
{
	size_t index;
	GElf_Shdr header;
	if (elf_getshdrstrndx(libelf, &index) != 0 || index == 0 || gelf_getshdr(elf_getscn(libelf, index), &header) == NULL ||
	    header.sh_type == SHT_NOBITS || !file_has(elf, header.sh_offset, header.sh_size))
		return elf_names_over(NULL, 0);
	return elf_names_over(elf->map.bytes + header.sh_offset, header.sh_size);
}

static void section_fill(struct elf_file *elf, size_t index, const GElf_Shdr *header, const char *name)
{
	struct elf_section *s = &elf->sections[index];
	struct elf_section_extra *extra = &elf->extras[index];
	*s = (struct elf_section){ name, NULL, header->sh_size, header->sh_addr, header->sh_flags, header->sh_type };
	extra->link = header->sh_link;
	extra->promised = header->sh_size;
	if (s->type == SHT_NULL) {
		s->size = 0; /* in section 0 the field is the number of sections */
	} else if (s->type != SHT_NOBITS && s->size != 0) {
		extra->cut = !file_has(elf, header->sh_offset, header->sh_size);
		if (extra->cut)
			s->size = 0;
		else
			s->data = elf->map.bytes + header->sh_offset;
	} else if (s->type == SHT_NOBITS && s->size != 0 && (s->flags & SHF_ALLOC) != 0 && (s->flags & SHF_EXECINSTR) != 0) {
		elf->debug_only = true; /* code without bytes */
	}
}

static struct error *sections_read(struct elf_file *elf, Elf *libelf)
{
	size_t count;
	if (elf->header.shoff == 0)
		return NULL;
	if (elf_getshdrnum(libelf, &count) != 0)
		return error_new(ERROR_DATA, "section headers: %s", elf_errmsg(-1));
	elf->sections = calloc(count + 1, sizeof *elf->sections);
	elf->extras = calloc(count + 1, sizeof *elf->extras);
	if (elf->sections == NULL || elf->extras == NULL)
		return error_memory();
	struct elf_names names = section_names(elf, libelf);
	for (size_t i = 0; i < count; i++) {
		GElf_Shdr header;
		if (gelf_getshdr(elf_getscn(libelf, i), &header) == NULL)
			return error_new(ERROR_DATA, "section header %zu: %s", i, elf_errmsg(-1));
		section_fill(elf, i, &header, header.sh_name < names.size ? names.text + header.sh_name : "");
		elf->section_count = i + 1;
		if (!elf_inflated_prepare(elf, i))
			return error_memory();
	}
	return NULL;
}

static int part_order(const void *left, const void *right)
{
	const struct elf_part *a = left, *b = right;
	return a->start < b->start ? -1 : a->start > b->start;
}

/* The bytes of PT_LOADs by address. Where two overlap (not in a sane file) the lower one keeps its bytes. */
static struct error *parts_build(struct elf_file *elf)
{
	elf->parts = calloc(elf->segment_count + 1, sizeof *elf->parts);
	if (elf->parts == NULL)
		return error_memory();
	size_t count = 0;
	for (size_t i = 0; i < elf->segment_count && !elf->debug_only; i++) {
		const struct elf_segment *s = &elf->segments[i];
		if (s->type != PT_LOAD || s->offset >= elf->map.size)
			continue;
		uint64_t size = s->file_size < elf->map.size - s->offset ? s->file_size : elf->map.size - s->offset;
		if (size > s->memory_size)
			size = s->memory_size;
		if (size != 0 && size <= UINT64_MAX - s->vaddr)
			elf->parts[count++] = (struct elf_part){ s->vaddr, s->vaddr + size, elf->map.bytes + s->offset };
	}
	qsort(elf->parts, count, sizeof *elf->parts, part_order);
	uint64_t end = 0;
	for (size_t i = 0; i < count; i++) {
		struct elf_part part = elf->parts[i];
		if (part.end <= end)
			continue;
		if (part.start < end) {
			part.bytes += end - part.start;
			part.start = end;
		}
		end = part.end;
		elf->parts[elf->part_count++] = part;
	}
	return NULL;
}

/* Sections first: in a file of debug information the program headers may point at bytes that were taken out. */
static void build_id_find(struct elf_file *elf)
{
	for (size_t i = 0; i < elf->section_count; i++) {
		const struct elf_section *s = &elf->sections[i];
		size_t size = s->size < NOTES_MAX ? (size_t)s->size : NOTES_MAX;
		if (s->type == SHT_NOTE && s->data != NULL && build_id_from_notes(&elf->build_id, s->data, size))
			return;
	}
	for (size_t i = 0; i < elf->segment_count && !elf->debug_only; i++) {
		const struct elf_segment *s = &elf->segments[i];
		size_t size = s->file_size < NOTES_MAX ? (size_t)s->file_size : NOTES_MAX;
		if (s->type == PT_NOTE && file_has(elf, s->offset, s->file_size) &&
		    build_id_from_notes(&elf->build_id, elf->map.bytes + s->offset, size))
			return;
	}
}

static struct error *tables_read(struct elf_file *elf)
{
	struct error *err;
	if ((err = elf_header_read(&elf->header, elf->map.bytes, elf->map.size, ELF_WANT_PROGRAM)) != NULL ||
	    (err = tables_check(elf)) != NULL)
		return err;
	elf_version(EV_CURRENT);
	/* elf_memory takes char *, but neither writes nor frees what it is given. */
	Elf *libelf = elf_memory((char *)(uintptr_t)elf->map.bytes, (size_t)elf->map.size);
	if (libelf == NULL)
		return error_new(ERROR_DATA, "%s", elf_errmsg(-1));
	if ((err = segments_read(elf, libelf)) == NULL)
		err = sections_read(elf, libelf);
	elf_end(libelf);
	if (err == NULL)
		err = parts_build(elf);
	if (err == NULL)
		build_id_find(elf);
	return err;
}

struct error *elf_open(struct elf_file **out, const char *path)
{
	*out = NULL;
	struct elf_file *elf = calloc(1, sizeof *elf);
	if (elf == NULL || (elf->path = strdup(path)) == NULL) {
		free(elf);
		return error_memory();
	}
	struct error *err = file_map_open(&elf->map, path);
	if (err == NULL)
		err = error_wrap(tables_read(elf), "%s", path);
	if (err != NULL) {
		elf_close(elf);
		return err;
	}
	*out = elf;
	return NULL;
}

void elf_close(struct elf_file *elf)
{
	if (elf == NULL)
		return;
	for (size_t i = 0; i < elf->section_count; i++)
		elf_inflated_free(elf->extras[i].inflated);
	file_map_close(&elf->map);
	free(elf->segments);
	free(elf->parts);
	free(elf->sections);
	free(elf->extras);
	free(elf->symbols);
	free(elf->tls_symbols);
	free(elf->reach);
	free(elf->relatives);
	free(elf->path);
	free(elf);
}

const char *elf_path(const struct elf_file *elf)
{
	return elf->path;
}

uint16_t elf_machine(const struct elf_file *elf)
{
	return elf->header.machine;
}

uint16_t elf_type(const struct elf_file *elf)
{
	return elf->header.type;
}

uint64_t elf_entry(const struct elf_file *elf)
{
	return elf->header.entry;
}

const struct build_id *elf_build_id(const struct elf_file *elf)
{
	return &elf->build_id;
}

bool elf_is_debug_only(const struct elf_file *elf)
{
	return elf->debug_only;
}

const unsigned char *elf_bytes(const struct elf_file *elf, uint64_t *size)
{
	*size = elf->map.size;
	return elf->map.bytes;
}

const struct elf_segment *elf_segments(const struct elf_file *elf, size_t *count)
{
	*count = elf->segment_count;
	return elf->segments;
}

const struct elf_section *elf_sections(const struct elf_file *elf, size_t *count)
{
	*count = elf->section_count;
	return elf->sections;
}

const unsigned char *elf_image(const struct elf_file *elf, uint64_t address, uint64_t *available)
{
	size_t low = 0, high = elf->part_count; /* the first part that ends after address */
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (elf->parts[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == elf->part_count || address < elf->parts[low].start)
		return NULL;
	*available = elf->parts[low].end - address;
	return elf->parts[low].bytes + (address - elf->parts[low].start);
}
