/* Opening a file: header, directory and frame tables are checked, nothing is inflated. hansei-tinfo(5) has the
 * layout field by field. */
#include "tinfo/tinfo_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"

/* Is offset .. offset + length inside the file? */
static bool inside(const struct tinfo *ti, uint64_t offset, uint64_t length)
{
	return offset <= ti->map_size && length <= ti->map_size - offset;
}

/* Maps the file. The open does not block on a pipe, nor does it become anybody's terminal. */
static struct error *file_map(struct tinfo *ti, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return error_errno(errno, "%s", path);
	struct stat st;
	struct error *err = NULL;
	if (fstat(fd, &st) != 0)
		err = error_errno(errno, "%s", path);
	else if (S_ISDIR(st.st_mode))
		err = error_new(ERROR_DATA, "%s: is a directory, not a .tinfo file", path);
	else if (!S_ISREG(st.st_mode))
		err = error_new(ERROR_DATA, "%s: is not a regular file", path);
	else if (st.st_size == 0)
		err = error_new(ERROR_DATA, "%s: is empty, not a .tinfo file", path);
	else if ((uintmax_t)st.st_size > SIZE_MAX)
		err = error_new(ERROR_UNSUPPORTED, "%s: is too large to map", path);
	if (err == NULL) {
		void *map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (map == MAP_FAILED)
			err = error_errno(errno, "%s: mapping it", path);
		else
			ti->map = map;
		ti->map_size = (size_t)st.st_size;
	}
	close(fd);
	return err;
}

/* What the directory says of one section, as it stands in the file. */
struct entry {
	uint32_t number, stride;
	uint64_t count, size;
	uint32_t frame_size, frame_count;
	uint64_t table, table_hash, start, stored;
	uint32_t encoding, differences;
};

static struct entry entry_read(const unsigned char *at)
{
	return (struct entry){
		.number = get_u32(at),
		.stride = get_u32(at + 4),
		.count = get_u64(at + 8),
		.size = get_u64(at + 16),
		.frame_size = get_u32(at + 24),
		.frame_count = get_u32(at + 28),
		.table = get_u64(at + 32),
		.table_hash = get_u64(at + 40),
		.start = get_u64(at + 48),
		.stored = get_u64(at + 56),
		.encoding = get_u32(at + 64),
		.differences = get_u32(at + 68),
	};
}

/* Why an entry cannot be, or NULL. */
static const char *entry_fault(const struct tinfo *ti, const struct entry *entry)
{
	uint32_t least = TABLE_SHAPES[entry->number].size;
	if (ti->sections[entry->number].present)
		return "there are two of it";
	if (entry->number == TABLE_STRINGS ? entry->stride != 1 : entry->stride < least)
		return "its records are shorter than they can be";
	if (entry->stride > RECORD_MAX)
		return "its records are longer than they can be";
	if (entry->count >= TINFO_NONE || entry->size != entry->count * entry->stride || entry->size > CONTENT_MAX)
		return "its size is not that of its records";
	if (entry->frame_size == 0 || entry->frame_size > FRAME_CONTENT_MAX)
		return "its frames have an impossible size";
	if (entry->encoding == ENCODING_RECORDS && (entry->stride % 4 != 0 || entry->frame_size % entry->stride != 0))
		return "its frames do not hold whole records";
	if (entry->frame_count != entry->size / entry->frame_size + (entry->size % entry->frame_size != 0))
		return "its frames do not add up to its size";
	if (!inside(ti, entry->table, (uint64_t)entry->frame_count * FRAME_ENTRY_SIZE))
		return "its frame table is outside the file";
	if (tinfo_hash(ti->map + entry->table, (size_t)entry->frame_count * FRAME_ENTRY_SIZE) != entry->table_hash)
		return "the checksum of its frame table does not fit";
	if (!inside(ti, entry->start, entry->stored))
		return "its frames are outside the file";
	return NULL;
}

static struct error *section_open(struct tinfo *ti, const struct entry *entry)
{
	struct section *section = &ti->sections[entry->number];
	const char *name = TABLE_SHAPES[entry->number].name;
	if (entry->encoding >= ENCODING_COUNT)
		return error_new(ERROR_UNSUPPORTED, "section %s: has encoding %u, which this program does not know", name,
				 entry->encoding);
	const char *fault = entry_fault(ti, entry);
	if (fault != NULL)
		return error_new(ERROR_DATA, "section %s: %s", name, fault);
	*section = (struct section){
		.present = true,
		.coding = { (enum encoding)entry->encoding, entry->stride, entry->differences },
		.count = (uint32_t)entry->count,
		.size = entry->size,
		.frame_size = entry->frame_size,
		.frame_count = entry->frame_count,
		.entries = ti->map + entry->table,
		.state = calloc(entry->frame_count + (size_t)1, 1),
		.starts = malloc((entry->frame_count + (size_t)1) * sizeof *section->starts),
	};
	if (entry->number == TABLE_STRINGS)
		section->ends = calloc(entry->frame_count + (size_t)1, sizeof *section->ends);
	if (section->state == NULL || section->starts == NULL || (entry->number == TABLE_STRINGS && section->ends == NULL))
		return error_memory();
	uint64_t at = entry->start;
	for (uint32_t i = 0; i < entry->frame_count; i++) {
		section->starts[i] = at;
		at += get_u32(section->entries + (size_t)i * FRAME_ENTRY_SIZE);
	}
	section->starts[entry->frame_count] = at;
	if (at - entry->start != entry->stored)
		return error_new(ERROR_DATA, "section %s: its frames do not add up to what is stored", name);
	return NULL;
}

/* Magic, version, checksum, length. */
static struct error *header_check(const struct tinfo *ti)
{
	const unsigned char *map = ti->map;
	size_t magic = ti->map_size < 8 ? ti->map_size : 8;
	if (memcmp(map, TINFO_MAGIC, magic) != 0)
		return error_new(ERROR_DATA, "is not a .tinfo file");
	if (ti->map_size < HEADER_SIZE)
		return error_new(ERROR_TRUNCATED, "is cut: the header needs %d bytes, there are %zu", HEADER_SIZE,
				 ti->map_size);
	uint32_t major = get_u32(map + 8) & 0xffff, minor = get_u32(map + 8) >> 16;
	if (major != TINFO_MAJOR)
		return error_new(ERROR_UNSUPPORTED, "is of format version %u.%u; this program reads version %d (%s)", major,
				 minor, TINFO_MAJOR,
				 major > TINFO_MAJOR ? "a newer hansei is needed" : "extract it again from the binary");
	if (tinfo_hash(map, 40) != get_u64(map + 40))
		return error_new(ERROR_DATA, "header: the checksum does not fit");
	uint64_t size = get_u64(map + 16);
	if (size > ti->map_size)
		return error_new(ERROR_TRUNCATED, "is cut: %zu of %llu bytes are there", ti->map_size,
				 (unsigned long long)size);
	if (size < ti->map_size)
		return error_new(ERROR_DATA, "has %llu bytes after its end", (unsigned long long)(ti->map_size - size));
	return NULL;
}

static struct error *directory_open(struct tinfo *ti)
{
	uint32_t width = get_u32(ti->map + 12) & 0xffff, count = get_u32(ti->map + 12) >> 16;
	uint64_t at = get_u64(ti->map + 32), total = 0;
	if (width < ENTRY_SIZE || count > DIRECTORY_MAX || !inside(ti, at, (uint64_t)width * count))
		return error_new(ERROR_DATA, "directory: it is outside the file");
	if (tinfo_hash(ti->map + at, (size_t)width * count) != get_u64(ti->map + 24))
		return error_new(ERROR_DATA, "directory: the checksum does not fit");
	for (uint32_t i = 0; i < count; i++) {
		struct entry entry = entry_read(ti->map + at + (size_t)i * width);
		if (entry.number >= TABLE_COUNT)
			continue; /* of a newer minor version */
		struct error *err = section_open(ti, &entry);
		if (err != NULL)
			return err;
		total += entry.size;
	}
	if (total > CONTENT_MAX)
		return error_new(ERROR_UNSUPPORTED, "directory: %llu bytes of content, 4 GiB is the limit",
				 (unsigned long long)total);
	return NULL;
}

struct error *tinfo_open(struct tinfo **out, const char *path)
{
	*out = NULL;
	struct tinfo *ti = calloc(1, sizeof *ti);
	if (ti == NULL)
		return error_memory();
	struct error *err = file_map(ti, path);
	if (err == NULL) {
		ti->path = strdup(path);
		err = ti->path == NULL ? error_memory() : error_wrap(header_check(ti), "%s", path);
	}
	if (err == NULL)
		err = error_wrap(directory_open(ti), "%s", path);
	if (err != NULL) {
		tinfo_free(ti);
		return err;
	}
	*out = ti;
	return NULL;
}

void tinfo_version(const struct tinfo *ti, unsigned *major, unsigned *minor)
{
	*major = ti->map == NULL ? TINFO_MAJOR : get_u32(ti->map + 8) & 0xffff;
	*minor = ti->map == NULL ? TINFO_MINOR : get_u32(ti->map + 8) >> 16;
}

struct table_size tinfo_table_size(const struct tinfo *ti, enum tinfo_table table)
{
	const struct section *section = &ti->sections[table];
	return (struct table_size){
		.name = TABLE_SHAPES[table].name,
		.records = section->count,
		.content = section->size,
		.stored = section->starts == NULL ? 0 : section->starts[section->frame_count] - section->starts[0],
	};
}
