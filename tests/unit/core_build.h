/* core_build.h - a writer of synthetic ELF files, cores above all, that can lie. Everything is appended to one
 * growing image behind a program header table of fixed room, so that offsets are known at once; a test may patch
 * any byte of the image, or any field of ehdr and phdrs, before it writes the file. Independent of lib/elf and
 * lib/core. Fails by abort: it is a test's helper. */
#ifndef HANSEI_TESTS_CORE_BUILD_H
#define HANSEI_TESTS_CORE_BUILD_H

#include <elf.h>
#include <stddef.h>
#include <stdint.h>

struct core_build {
	Elf64_Ehdr ehdr;
	Elf64_Phdr *phdrs;
	size_t phnum, phdr_room;
	Elf64_Shdr shdrs[32]; /* names are offsets into section_names */
	size_t shnum;
	char section_names[1024];
	size_t section_names_size;
	unsigned char *image; /* headers are put into it by core_build_finish */
	size_t size, capacity;
	unsigned char *notes; /* gathered until core_build_notes_end */
	size_t notes_size, notes_capacity;
};

/* type ET_CORE, ET_DYN …; e_phnum and the rest of ehdr may be changed until core_build_finish, which sets only
 * fields that are still 0. */
struct core_build *core_build_new(uint16_t type, uint16_t machine, size_t phdr_room);
void core_build_free(struct core_build *b);

/* Appends bytes at a multiple of alignment; returns their file offset. */
uint64_t core_build_bytes(struct core_build *b, const void *bytes, size_t size, size_t alignment);
Elf64_Phdr *core_build_phdr(struct core_build *b, uint32_t type, uint32_t flags, uint64_t offset, uint64_t vaddr,
                            uint64_t file_size, uint64_t memory_size);
/* A PT_LOAD with file_size bytes from `bytes`. */
Elf64_Phdr *core_build_load(struct core_build *b, uint64_t vaddr, const void *bytes, uint64_t file_size,
                            uint64_t memory_size, uint32_t flags);
Elf64_Shdr *core_build_section(struct core_build *b, const char *name, uint32_t type, uint64_t flags, uint64_t address,
                               const void *bytes, size_t size);

void core_build_note(struct core_build *b, const char *owner, uint32_t type, const void *desc, size_t size);
void core_build_notes_end(struct core_build *b); /* appends them with their PT_NOTE */

/* The notes of a Linux core. registers: 27 on x86-64, 34 on aarch64, or NULL for 1000 * lwp + index. */
void core_build_prstatus(struct core_build *b, uint32_t lwp, int signal, const uint64_t *registers);
void core_build_prpsinfo(struct core_build *b, uint32_t pid, const char *command, const char *arguments);
void core_build_siginfo(struct core_build *b, int signal, int code, uint64_t address);
void core_build_auxv(struct core_build *b, const uint64_t (*pairs)[2], size_t count);

struct build_file {
	uint64_t start, end, page;
	const char *path;
};
void core_build_file_note(struct core_build *b, const struct build_file *files, size_t count, uint64_t page_size);

/* Puts the headers and the section table into the image. After that `image` and `size` are the file. */
void core_build_finish(struct core_build *b);
void core_build_write(struct core_build *b, const char *path); /* core_build_finish, then the file */

/* Helpers for tests with files. */
void file_write(const char *path, const void *bytes, size_t size);
char *temporary_directory(char *out, size_t size); /* made anew */
void directory_remove(const char *path);           /* with the files in it */

#endif
