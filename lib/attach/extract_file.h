/* extract_file.h - an extraction from files, without a core: what `hansei-tinfo extract` does. */
#ifndef HANSEI_ATTACH_EXTRACT_FILE_H
#define HANSEI_ATTACH_EXTRACT_FILE_H

struct error;
struct extract_options;
struct tinfo;

/* Extracts from `binary`, or, when debug_info is not NULL, from that file, whose build id must be the binary's. The
 * errors of elf_open and extract_layouts; ERROR_MISMATCH names both build ids. */
struct error *extract_file(struct tinfo **out, const char *binary, const char *debug_info,
                           const struct extract_options *options);

#endif
