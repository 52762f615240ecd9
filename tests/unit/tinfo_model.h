/* tinfo_model.h - what the tests of tinfo share: models, files in a directory of their own, and comparing. Everything
 * fails the running cmocka test when it cannot do its work. */
#ifndef HANSEI_TESTS_TINFO_MODEL_H
#define HANSEI_TESTS_TINFO_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "tinfo/tinfo.h"

struct tinfo_build;

/* The types of the small model, by name: these are their ids. */
enum small_type { T_POINTER, T_OPAQUE, T_SOME, T_ARRAY, T_OPTION, T_FN, T_UNION, T_NODE, T_STATE, T_WRAP, T_ENV, T_ENV_1,
		  T_ENV_0, T_U64, SMALL_TYPES };

struct bytes {
	unsigned char *at;
	size_t length;
};

extern char model_directory[];            /* made by model_begin, removed by model_end */
extern char model_file[64], model_copy[64]; /* two paths in it */
bool model_begin(void);
void model_end(void);

uint64_t model_random(uint64_t *state); /* splitmix64: the same numbers everywhere */
struct bytes model_file_read(const char *path); /* malloc'd, with room behind */
void model_file_put(const char *path, const void *bytes, size_t length);
void model_refused(struct error *err, enum error_code code, const char *part); /* expects this error; frees it */
void model_fine(struct error *err);

/* One with every kind of record and a cycle. The order of adding must not matter, nor repetitions: `turn` turns the
 * one and adds the other. */
struct tinfo_build *model_small_build(bool turn);
struct tinfo *model_small(bool turn);
void model_small_check(struct tinfo *ti); /* all that it must say */
/* Types as a program has them: generic names nested in each other, members that point around, cycles. */
struct tinfo_build *model_large(uint32_t types, uint32_t members);

struct tinfo *model_reopened(struct tinfo *ti); /* written to model_file and opened again */
char *model_text(struct tinfo *ti);             /* everything that the accessors give; malloc'd */
void model_probe(struct tinfo *ti, uint64_t *state); /* asks everything there is to ask */
void model_checksums_fix(struct bytes file);         /* makes those of header and directory right again */

#endif
