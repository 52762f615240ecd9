#include "core_build.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void check(int good, const char *what)
{
	if (good)
		return;
	perror(what);
	abort();
}

static void append(unsigned char **to, size_t *size, size_t *capacity, const void *bytes, size_t count)
{
	if (*capacity - *size < count) {
		*capacity = (*size + count) * 2;
		*to = realloc(*to, *capacity);
		check(*to != NULL, "realloc");
	}
	if (bytes != NULL && count != 0)
		memcpy(*to + *size, bytes, count);
	else if (count != 0)
		memset(*to + *size, 0, count);
	*size += count;
}

struct core_build *core_build_new(uint16_t type, uint16_t machine, size_t phdr_room)
{
	struct core_build *b = calloc(1, sizeof *b);
	check(b != NULL, "calloc");
	b->phdrs = calloc(phdr_room + 1, sizeof *b->phdrs);
	check(b->phdrs != NULL, "calloc");
	b->phdr_room = phdr_room;
	memcpy(b->ehdr.e_ident, ELFMAG, SELFMAG);
	b->ehdr.e_ident[EI_CLASS] = ELFCLASS64;
	b->ehdr.e_ident[EI_DATA] = ELFDATA2LSB;
	b->ehdr.e_ident[EI_VERSION] = EV_CURRENT;
	b->ehdr.e_type = type;
	b->ehdr.e_machine = machine;
	b->ehdr.e_version = EV_CURRENT;
	b->ehdr.e_ehsize = sizeof b->ehdr;
	append(&b->image, &b->size, &b->capacity, NULL, sizeof b->ehdr + phdr_room * sizeof *b->phdrs);
	return b;
}

void core_build_free(struct core_build *b)
{
	free(b->phdrs);
	free(b->image);
	free(b->notes);
	free(b);
}

uint64_t core_build_bytes(struct core_build *b, const void *bytes, size_t size, size_t alignment)
{
	append(&b->image, &b->size, &b->capacity, NULL, (alignment - b->size % alignment) % alignment);
	uint64_t offset = b->size;
	append(&b->image, &b->size, &b->capacity, bytes, size);
	return offset;
}

Elf64_Phdr *core_build_phdr(struct core_build *b, uint32_t type, uint32_t flags, uint64_t offset, uint64_t vaddr,
                            uint64_t file_size, uint64_t memory_size)
{
	check(b->phnum < b->phdr_room, "room for program headers");
	Elf64_Phdr *p = &b->phdrs[b->phnum++];
	*p = (Elf64_Phdr){ type, flags, offset, vaddr, 0, file_size, memory_size, 1 };
	return p;
}

Elf64_Phdr *core_build_load(struct core_build *b, uint64_t vaddr, const void *bytes, uint64_t file_size,
                            uint64_t memory_size, uint32_t flags)
{
	uint64_t offset = core_build_bytes(b, bytes, (size_t)file_size, 16);
	return core_build_phdr(b, PT_LOAD, flags, offset, vaddr, file_size, memory_size);
}

static uint32_t section_name(struct core_build *b, const char *name)
{
	size_t length = strlen(name) + 1, at = b->section_names_size;
	check(at + length < sizeof b->section_names, "room for section names");
	memcpy(b->section_names + at, name, length);
	b->section_names_size += length;
	return (uint32_t)at;
}

Elf64_Shdr *core_build_section(struct core_build *b, const char *name, uint32_t type, uint64_t flags, uint64_t address,
                               const void *bytes, size_t size)
{
	if (b->shnum == 0) {
		b->shnum = 1; /* the null section */
		b->section_names_size = 1;
	}
	check(b->shnum < 30, "room for sections");
	Elf64_Shdr *s = &b->shdrs[b->shnum++];
	s->sh_name = section_name(b, name);
	s->sh_type = type;
	s->sh_flags = flags;
	s->sh_addr = address;
	s->sh_size = size;
	s->sh_offset = type == SHT_NOBITS ? 0 : core_build_bytes(b, bytes, size, 8);
	return s;
}

void core_build_note(struct core_build *b, const char *owner, uint32_t type, const void *desc, size_t size)
{
	uint32_t header[3] = { (uint32_t)strlen(owner) + 1, (uint32_t)size, type };
	append(&b->notes, &b->notes_size, &b->notes_capacity, header, sizeof header);
	append(&b->notes, &b->notes_size, &b->notes_capacity, owner, header[0]);
	append(&b->notes, &b->notes_size, &b->notes_capacity, NULL, -(size_t)header[0] & 3);
	append(&b->notes, &b->notes_size, &b->notes_capacity, desc, size);
	append(&b->notes, &b->notes_size, &b->notes_capacity, NULL, -size & 3);
}

void core_build_notes_end(struct core_build *b)
{
	uint64_t offset = core_build_bytes(b, b->notes, b->notes_size, 4);
	core_build_phdr(b, PT_NOTE, 0, offset, 0, b->notes_size, 0);
	b->notes_size = 0;
}

void core_build_prstatus(struct core_build *b, uint32_t lwp, int signal, const uint64_t *registers)
{
	unsigned char desc[392] = { 0 };
	size_t count = b->ehdr.e_machine == EM_AARCH64 ? 34 : 27;
	int16_t cursig = (int16_t)signal;
	memcpy(desc, &signal, sizeof signal);
	memcpy(desc + 12, &cursig, sizeof cursig);
	memcpy(desc + 32, &lwp, sizeof lwp);
	for (size_t i = 0; i < count; i++) {
		uint64_t value = registers != NULL ? registers[i] : 1000 * (uint64_t)lwp + i;
		memcpy(desc + 112 + 8 * i, &value, sizeof value);
	}
	core_build_note(b, "CORE", NT_PRSTATUS, desc, b->ehdr.e_machine == EM_AARCH64 ? 392 : 336);
}

void core_build_prpsinfo(struct core_build *b, uint32_t pid, const char *command, const char *arguments)
{
	unsigned char desc[136] = { 0 };
	uint32_t ids[4] = { 1001, 1002, pid, 1 }; /* uid, gid, pid, ppid */
	memcpy(desc + 16, ids, sizeof ids);
	memcpy(desc + 40, command, strlen(command) < 16 ? strlen(command) : 16);
	memcpy(desc + 56, arguments, strlen(arguments) < 80 ? strlen(arguments) : 80);
	core_build_note(b, "CORE", NT_PRPSINFO, desc, sizeof desc);
}

void core_build_siginfo(struct core_build *b, int signal, int code, uint64_t address)
{
	unsigned char desc[128] = { 0 };
	memcpy(desc, &signal, sizeof signal);
	memcpy(desc + 8, &code, sizeof code);
	memcpy(desc + 16, &address, sizeof address);
	core_build_note(b, "CORE", NT_SIGINFO, desc, sizeof desc);
}

void core_build_auxv(struct core_build *b, const uint64_t (*pairs)[2], size_t count)
{
	uint64_t end[2] = { AT_NULL, 0 };
	unsigned char *desc = malloc((count + 1) * sizeof end);
	check(desc != NULL, "malloc");
	memcpy(desc, pairs, count * sizeof end);
	memcpy(desc + count * sizeof end, end, sizeof end);
	core_build_note(b, "CORE", NT_AUXV, desc, (count + 1) * sizeof end);
	free(desc);
}

void core_build_file_note(struct core_build *b, const struct build_file *files, size_t count, uint64_t page_size)
{
	unsigned char *desc = NULL;
	size_t size = 0, capacity = 0;
	uint64_t head[2] = { count, page_size };
	append(&desc, &size, &capacity, head, sizeof head);
	for (size_t i = 0; i < count; i++) {
		uint64_t entry[3] = { files[i].start, files[i].end, files[i].page };
		append(&desc, &size, &capacity, entry, sizeof entry);
	}
	for (size_t i = 0; i < count; i++)
		append(&desc, &size, &capacity, files[i].path, strlen(files[i].path) + 1);
	core_build_note(b, "CORE", NT_FILE, desc, size);
	free(desc);
}

static void sections_finish(struct core_build *b)
{
	if (b->shnum == 0)
		return;
	uint32_t name = section_name(b, ".shstrtab");
	uint64_t names = core_build_bytes(b, b->section_names, b->section_names_size, 1);
	b->shdrs[b->shnum] = (Elf64_Shdr){ .sh_name = name, .sh_type = SHT_STRTAB, .sh_offset = names,
		                           .sh_size = b->section_names_size };
	if (b->ehdr.e_shstrndx == 0)
		b->ehdr.e_shstrndx = (uint16_t)b->shnum;
	b->shnum++;
	uint64_t offset = core_build_bytes(b, b->shdrs, b->shnum * sizeof b->shdrs[0], 8);
	if (b->ehdr.e_shoff == 0)
		b->ehdr.e_shoff = offset;
	if (b->ehdr.e_shnum == 0)
		b->ehdr.e_shnum = (uint16_t)b->shnum;
	if (b->ehdr.e_shentsize == 0)
		b->ehdr.e_shentsize = sizeof b->shdrs[0];
}

void core_build_finish(struct core_build *b)
{
	sections_finish(b);
	if (b->phnum != 0 && b->ehdr.e_phnum == 0)
		b->ehdr.e_phnum = (uint16_t)b->phnum;
	if (b->phnum != 0 && b->ehdr.e_phoff == 0)
		b->ehdr.e_phoff = sizeof b->ehdr;
	if (b->ehdr.e_phentsize == 0)
		b->ehdr.e_phentsize = sizeof b->phdrs[0];
	memcpy(b->image, &b->ehdr, sizeof b->ehdr);
	memcpy(b->image + sizeof b->ehdr, b->phdrs, b->phnum * sizeof *b->phdrs);
}

void core_build_write(struct core_build *b, const char *path)
{
	core_build_finish(b);
	file_write(path, b->image, b->size);
}

void file_write(const char *path, const void *bytes, size_t size)
{
	unlink(path); /* a new file: some file systems flush one that was truncated, which costs a test minutes */
	FILE *f = fopen(path, "wb");
	check(f != NULL, path);
	check(size == 0 || fwrite(bytes, 1, size, f) == size, path);
	check(fclose(f) == 0, path);
}

char *temporary_directory(char *out, size_t size)
{
	const char *parent = getenv("TMPDIR");
	snprintf(out, size, "%s/hansei-test.XXXXXX", parent != NULL ? parent : "/tmp");
	check(mkdtemp(out) != NULL, out);
	return out;
}

void directory_remove(const char *path)
{
	char name[4096];
	DIR *d = opendir(path);
	for (struct dirent *e; d != NULL && (e = readdir(d)) != NULL;) {
		snprintf(name, sizeof name, "%s/%s", path, e->d_name);
		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
			unlink(name);
	}
	if (d != NULL)
		closedir(d);
	rmdir(path);
}
