/* tinfo_records.h - what `hansei-tinfo stats`, `find-types` and `dump` print: a summary of a tinfo, its names and its
 * records one a line. Text is appended to a strbuf of the caller's. */
#ifndef HANSEI_RECORDS_TINFO_RECORDS_H
#define HANSEI_RECORDS_TINFO_RECORDS_H

#include <stdbool.h>
#include <stdint.h>

#include "out/out.h"
#include "tinfo/tinfo.h"

struct strbuf;

/* As text a `key: value` a line, in groups; as TSV `group.key<TAB>value`; as JSON one object with an object a group. */
void tinfo_stats(struct strbuf *to, struct tinfo *ti, enum format format);

/* The types from `first` on that have one name, `count` of them, as a line: name, definitions, first id, kind. */
void tinfo_name_header(struct strbuf *to); /* of TSV */
void tinfo_name(struct strbuf *to, struct tinfo *ti, uint32_t first, uint32_t count, enum format format);

/* Where a dump stands: members and variants are printed with the type they belong to, so records of a table have to be
 * asked for in their order. Starts as { 0 }. */
struct record_walk {
	uint32_t member_owner, variant_owner; /* type ids */
};

/* One record as a line: as text the fields that say something, `key=value`; as TSV all of them; as JSON an object. Each
 * begins with the table and the record's number. False: there is no such record. */
bool tinfo_record(struct strbuf *to, struct tinfo *ti, struct record_walk *walk, enum tinfo_table table, uint32_t index,
		  enum format format);

#endif
