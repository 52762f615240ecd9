/* elf_header.h - mapping a file that ought to be ELF and reading its first 64 bytes: what executables and cores
 * have in common, and the messages for what people give instead. Errors do not name the path unless they come
 * from file_map_open. */
#ifndef HANSEI_ELF_ELF_HEADER_H
#define HANSEI_ELF_ELF_HEADER_H

#include <stdint.h>

struct error;

struct file_map { /* a whole regular file, read-only */
	const unsigned char *bytes;
	uint64_t size;
};

/* Maps path. The error names the path: missing or unreadable (ERROR_IO); a directory, no regular file or an empty
 * one (ERROR_UNSUPPORTED). Nothing is read. */
struct error *file_map_open(struct file_map *out, const char *path);
void file_map_close(struct file_map *map); /* a zeroed map is fine */

enum { ELF_HEADER_SIZE = 64, ELF_PROGRAM_HEADER_SIZE = 56, ELF_SECTION_HEADER_SIZE = 64 };

struct elf_header { /* elf(5), Elf64_Ehdr */
	uint16_t type, machine;
	uint64_t entry, phoff, shoff;
	uint16_t phentsize, phnum, shentsize, shnum, shstrndx;
};

enum elf_wanted { ELF_WANT_CORE, ELF_WANT_PROGRAM };

/* Reads the ELF header. ERROR_UNSUPPORTED says what the bytes are instead of the wanted sort of file (script,
 * minidump, compressed, 32-bit, another machine, a core instead of a program …), ERROR_TRUNCATED that the header
 * itself is cut. */
struct error *elf_header_read(struct elf_header *out, const unsigned char *bytes, uint64_t size,
                              enum elf_wanted wanted);

#endif
