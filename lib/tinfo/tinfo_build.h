/* tinfo_build.h - filling a layout model. Strings given are copied and shared. Type ids are handed out before types
 * are defined, so that types may refer to each other (forward and cyclic references are the rule); they are
 * provisional: finishing sorts types by name. Members and variants of one type are added together. One thread. */
#ifndef HANSEI_TINFO_TINFO_BUILD_H
#define HANSEI_TINFO_TINFO_BUILD_H

#include "tinfo/tinfo.h"

struct tinfo_build;

struct tinfo_build *tinfo_build_new(void);
void tinfo_build_free(struct tinfo_build *b); /* NULL is fine */

uint32_t build_type_reserve(struct tinfo_build *b);                            /* id of a type yet to be defined: opaque until then */
/* Defines a reserved type. type->first/count are set by the builder from members or variants (one of the two may
 * be NULL/0); texts are copied; type->id is ignored. */
void build_type_define(struct tinfo_build *b, uint32_t id, const struct type *type, const struct member *members,
                       size_t member_count, const struct variant *variants, size_t variant_count);
uint32_t build_function(struct tinfo_build *b, const struct function *function); /* a provisional id, stable for instances */
void build_vtable(struct tinfo_build *b, const struct vtable *vtable);
void build_instance(struct tinfo_build *b, const struct instance *instance, const struct constant *constants, size_t count);
void build_static(struct tinfo_build *b, const struct static_variable *variable);
void build_impl(struct tinfo_build *b, const struct impl *impl);
void build_local(struct tinfo_build *b, const struct local *local);
void build_crate(struct tinfo_build *b, const struct crate *crate);
void build_symbol(struct tinfo_build *b, const struct symbol_key *symbol);
void build_meta(struct tinfo_build *b, const char *key, const char *value);

/* Sorts, de-duplicates and seals; consumes b. */
struct error *tinfo_build_finish(struct tinfo_build *b, struct tinfo **out);

#endif
