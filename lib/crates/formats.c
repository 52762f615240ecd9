/* Values of crates that many programs use, as read in the sources of bytes 1.12, camino 1.1, chrono 0.4.42, indexmap 2.14
 * (1.9 alike), once_cell 1.21, serde_json 1.0, smallvec 1.15, time 0.3.44, uuid 1.18. */
#include "crates/formats.h"

#include <stdio.h>
#include <string.h>

#include "value/target.h"
#include "value/view.h"

/* uuid/src/lib.rs: sixteen bytes, printed in groups of 4, 2, 2, 2, 6. */
static bool view_uuid(struct viewer *viewer, const struct subject *s, struct view *out)
{
	unsigned char bytes[16];
	size_t at = 0;
	if (s->plan->type.size != sizeof bytes || !target_read(viewer->target, s->address, bytes, sizeof bytes)) {
		view_unreadable(out, s->address);
		return true;
	}
	out->kind = VIEW_WORD;
	for (size_t i = 0; i < sizeof bytes; i++) {
		bool dash = i == 4 || i == 6 || i == 8 || i == 10;
		at += (size_t)snprintf(out->word + at, sizeof out->word - at, dash ? "-%02x" : "%02x", bytes[i]);
	}
	return true;
}

/* smallvec/src/lib.rs: inline the capacity is the length. paths: capacity, heap pointer, heap length, inline array. */
static bool view_small(struct viewer *viewer, const struct subject *s, struct view *out)
{
	uint64_t capacity, pointer, length, inside;
	struct type array = tinfo_type(viewer->target->tinfo, s->paths[3].type);
	if (array.kind != TYPE_ARRAY || array.target == TINFO_NONE)
		return false;
	enum outcome outcome = subject_load(viewer, s, 1, &pointer);
	if (subject_load(viewer, s, 0, &capacity) != OUTCOME_VALUE || outcome == OUTCOME_FAILURE) {
		view_unreadable(out, s->address);
		return true;
	}
	if (outcome == OUTCOME_VALUE && subject_load(viewer, s, 2, &length) == OUTCOME_VALUE)
		view_array(viewer, out, pointer, array.target, length, capacity);
	else if (path_locate(&s->paths[3], viewer->target, s->address, &inside) == OUTCOME_VALUE)
		view_array(viewer, out, inside, array.target, capacity, array.extra);
	else
		return false;
	return true;
}

/* A map kept as a list of buckets. context of the walk: the bucket's members. */
struct bucket_shape {
	uint64_t key, value;
	uint32_t key_type, value_type;
};

static bool walk_buckets(struct viewer *viewer, struct walk *walk, struct value *key, struct value *value)
{
	const struct bucket_shape *shape = walk->context;
	struct value bucket;
	uint32_t type = walk->value_type;
	if (!walk_array(viewer, walk, key, &bucket))
		return false;
	*key = (struct value){ shape->key_type, bucket.address + shape->key };
	*value = shape->value_type == shape->key_type && shape->value == shape->key
	                 ? *key : (struct value){ type, bucket.address + shape->value };
	return true;
}

/* paths: buckets, their number, marker of their type [, capacity, a list that has to be empty]. words "set". */
static bool view_buckets(struct viewer *viewer, const struct subject *s, struct view *out)
{
	uint64_t at[2], capacity, extra;
	struct tinfo *ti = viewer->target->tinfo;
	uint32_t bucket = phantom_type(viewer, s->paths[2].type);
	struct member key, value;
	if (bucket == TINFO_NONE)
		return false;
	struct type type = tinfo_type(ti, bucket);
	bool set = s->row->words != NULL;
	if (tinfo_find_member(ti, &type, "key", &key) == TINFO_NONE ||
	    tinfo_find_member(ti, &type, set ? "key" : "value", &value) == TINFO_NONE)
		return false;
	if (subject_load(viewer, s, 4, &extra) == OUTCOME_VALUE && extra != 0)
		return false;
	if (!subject_numbers(viewer, s, 2, at, out))
		return true;
	if (subject_load(viewer, s, 3, &capacity) != OUTCOME_VALUE)
		capacity = UINT64_MAX;
	view_array(viewer, out, at[0], bucket, at[1], capacity);
	if (out->kind != VIEW_LIST)
		return true;
	struct bucket_shape *shape = arena_alloc(&viewer->arena, sizeof *shape);
	*shape = (struct bucket_shape){ key.offset, value.offset, key.type, value.type };
	out->kind = set ? VIEW_LIST : VIEW_MAP;
	out->braces = set;
	out->walk.next = walk_buckets;
	out->walk.context = shape;
	out->walk.key_type = key.type;
	out->walk.value_type = value.type;
	return true;
}

/* serde_json's Value and Number are what they hold; Null is nothing. */
static bool view_json(struct viewer *viewer, const struct subject *s, struct view *out)
{
	if (view_payload(viewer, s, out))
		return true;
	out->kind = VIEW_NOTHING;
	snprintf(out->word, sizeof out->word, "null");
	return true;
}

static bool leap(int64_t year)
{
	return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

/* Day of the year -> "-MM-DD". */
static bool add_month_day(char *to, size_t size, int64_t year, unsigned ordinal)
{
	static const unsigned DAYS[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
	unsigned month = 0;
	if (ordinal == 0 || ordinal > 365u + leap(year))
		return false;
	for (; ordinal > DAYS[month] + (month == 1 && leap(year)); month++)
		ordinal -= DAYS[month] + (month == 1 && leap(year));
	snprintf(to, size, "-%02u-%02u", month + 1, ordinal);
	return true;
}

static bool add_date(char to[32], int64_t year, unsigned ordinal)
{
	int length = snprintf(to, 32, year < 0 || year > 9999 ? "%+05lld" : "%04lld", (long long)year);
	return add_month_day(to + length, 32 - (size_t)length, year, ordinal);
}

/* chrono/src/naive/date/mod.rs: year << 13 | ordinal << 4 | flags. */
static bool chrono_date(char to[32], uint64_t word)
{
	int32_t packed = (int32_t)(uint32_t)word;
	return add_date(to, packed >> 13, (unsigned)packed >> 4 & 0x1ff);
}

/* Seconds of the day and the fraction as Display has it: none, or 3, 6, 9 digits. A leap second counts to 1.999… */
static bool add_time(char to[32], uint64_t seconds, uint64_t nanos)
{
	if (seconds >= 86400 || nanos >= 2000000000)
		return false;
	unsigned second = (unsigned)(seconds % 60 + nanos / 1000000000);
	nanos %= 1000000000;
	int length = snprintf(to, 32, "%02u:%02u:%02u", (unsigned)(seconds / 3600), (unsigned)(seconds / 60 % 60), second);
	if (nanos % 1000000 == 0 && nanos != 0)
		snprintf(to + length, 32 - (size_t)length, ".%03u", (unsigned)(nanos / 1000000));
	else if (nanos % 1000 == 0 && nanos != 0)
		snprintf(to + length, 32 - (size_t)length, ".%06u", (unsigned)(nanos / 1000));
	else if (nanos != 0)
		snprintf(to + length, 32 - (size_t)length, ".%09u", (unsigned)nanos);
	return true;
}

static bool view_date(struct viewer *viewer, const struct subject *s, struct view *out)
{
	uint64_t word;
	char date[32];
	if (!subject_numbers(viewer, s, 1, &word, out))
		return true;
	if (!chrono_date(date, word))
		return false;
	view_word(out, "%s", date);
	return true;
}

static bool view_time_of_day(struct viewer *viewer, const struct subject *s, struct view *out)
{
	uint64_t at[2];
	char time[32];
	if (!subject_numbers(viewer, s, 2, at, out))
		return true;
	if (!add_time(time, at[0], at[1]))
		return false;
	view_word(out, "%s", time);
	return true;
}

/* paths: date, seconds, nanoseconds [, seconds east of Greenwich]. words: "Z" when it has a zone. */
static bool view_moment(struct viewer *viewer, const struct subject *s, struct view *out)
{
	uint64_t at[3], east;
	char date[32], time[32];
	if (!subject_numbers(viewer, s, 3, at, out))
		return true;
	if (subject_load(viewer, s, 3, &east) == OUTCOME_VALUE && (uint32_t)east != 0)
		return false; /* local time is another date: better the parts than a mistake */
	if (!chrono_date(date, at[0]) || !add_time(time, at[1], at[2]))
		return false;
	view_word(out, "%sT%s%s", date, time, s->row->words != NULL ? s->row->words : "");
	return true;
}

/* time/src/date.rs: year << 10 | leap year << 9 | ordinal. */
static bool time_date(char to[32], uint64_t word)
{
	int32_t packed = (int32_t)(uint32_t)word;
	int64_t year = packed >> 10;
	return ((packed >> 9 & 1) != 0) == leap(year) && add_date(to, year, (unsigned)packed & 0x1ff);
}

static bool view_time_date(struct viewer *viewer, const struct subject *s, struct view *out)
{
	uint64_t word;
	char date[32];
	if (!subject_numbers(viewer, s, 1, &word, out))
		return true;
	if (!time_date(date, word))
		return false;
	view_word(out, "%s", date);
	return true;
}

/* paths: hour, minute, second, nanosecond, date [, offset's hours, minutes, seconds]. */
static bool view_time_moment(struct viewer *viewer, const struct subject *s, struct view *out)
{
	uint64_t at[5], offset[3] = { 0, 0, 0 };
	char date[32], time[32], zone[16] = "";
	if (!subject_numbers(viewer, s, 5, at, out))
		return true;
	if (at[0] > 23 || at[1] > 59 || at[2] > 59 || !time_date(date, at[4]) ||
	    !add_time(time, at[0] * 3600 + at[1] * 60 + at[2], at[3]))
		return false;
	bool zoned = subject_load(viewer, s, 5, &offset[0]) == OUTCOME_VALUE;
	for (unsigned i = 1; i < 3 && zoned; i++)
		zoned = subject_load(viewer, s, 5 + i, &offset[i]) == OUTCOME_VALUE;
	int hours = (int8_t)offset[0], minutes = (int8_t)offset[1];
	if (zoned && hours == 0 && minutes == 0)
		snprintf(zone, sizeof zone, "Z");
	else if (zoned)
		snprintf(zone, sizeof zone, "%c%02d:%02d", hours < 0 || minutes < 0 ? '-' : '+', hours < 0 ? -hours : hours,
		         minutes < 0 ? -minutes : minutes);
	view_word(out, "%sT%s%s", date, time, zone);
	return true;
}

#define VEC(path) path "buf.inner.ptr.pointer.pointer", path "len", path "buf._marker", path "buf.inner.cap~8"
#define YOF(path) path "yof.__0.__0 | " path "yof.__0 | " path "yof | " path "ymdf"
#define TIME(path) path "hour~1", path "minute~1", path "second~1", path "nanosecond~4"
#define DATE_WORD(path) path "value.__0.__0 | " path "value.__0 | " path "value"

static const struct formatter ROWS[] = {
	{ "bytes::bytes::Bytes", FORMAT_TEXT_ONLY, view_text_slice, 2, { ".ptr", ".len" }, NULL },
	{ "bytes::bytes::Bytes", FORMAT_JSON_ONLY, view_slice, 2, { ".ptr", ".len" }, NULL },
	{ "bytes::bytes_mut::BytesMut", FORMAT_TEXT_ONLY, view_text_slice, 2, { ".ptr.pointer", ".len", ".cap" }, NULL },
	{ "bytes::bytes_mut::BytesMut", FORMAT_JSON_ONLY, view_slice, 2, { ".ptr.pointer", ".len", ".cap" }, NULL },
	{ "uuid::Uuid", FORMAT_STRING, view_uuid, 0, { NULL }, NULL },
	{ "camino::Utf8PathBuf", FORMAT_STRING, view_same, 1, { ".__0" }, NULL },
	{ "&camino::Utf8Path", FORMAT_STRING, view_text_slice, 2, { ".data_ptr", ".length" }, NULL },
	{ "smallvec::SmallVec", 0, view_small, 4,
	  { ".capacity", ".data<Heap>.ptr.pointer | .data<Heap>.__0.ptr.pointer", ".data<Heap>.len",
	    ".data<Inline>.__0.value.value.__0 | .data<Inline>.__0.value.value" }, NULL },
	{ "indexmap::map::IndexMap", 0, view_buckets, 3, { VEC(".core.entries.") }, NULL },
	{ "indexmap::set::IndexSet", 0, view_buckets, 3, { VEC(".map.core.entries.") }, "set" },
	{ "once_cell::sync::OnceCell", 0, view_same, 1, { ".__0.value.value" }, NULL },
	{ "once_cell::unsync::OnceCell", 0, view_same, 1, { ".inner.value" }, NULL },
	{ "once_cell::sync::Lazy", FORMAT_JSON_ONLY, view_same, 1, { ".cell" }, NULL },
	{ "once_cell::unsync::Lazy", FORMAT_JSON_ONLY, view_same, 1, { ".cell" }, NULL },

	{ "serde_json::value::Value", 0, view_json, 0, { NULL }, NULL },
	{ "serde_json::number::Number", 0, view_same, 1, { ".n" }, NULL },
	{ "serde_json::number::N", 0, view_payload, 0, { NULL }, NULL },
	{ "serde_json::map::Map", 0, view_same, 1, { ".map" }, NULL },

	{ "chrono::naive::date::NaiveDate", FORMAT_STRING, view_date, 1, { YOF(".") }, NULL },
	{ "chrono::naive::time::NaiveTime", FORMAT_STRING, view_time_of_day, 2, { ".secs", ".frac" }, NULL },
	{ "chrono::naive::datetime::NaiveDateTime", FORMAT_STRING, view_moment, 3,
	  { YOF(".date."), ".time.secs", ".time.frac" }, NULL },
	{ "chrono::datetime::DateTime", FORMAT_STRING, view_moment, 3,
	  { YOF(".datetime.date."), ".datetime.time.secs", ".datetime.time.frac", ".offset.local_minus_utc" }, "Z" },
	{ "time::date::Date", FORMAT_STRING, view_time_date, 1, { DATE_WORD(".") }, NULL },
	{ "time::offset_date_time::OffsetDateTime", FORMAT_STRING, view_time_moment, 5,
	  { TIME(".local_date_time.time."), DATE_WORD(".local_date_time.date."), ".offset.hours~1", ".offset.minutes~1",
	    ".offset.seconds~1" }, NULL },
	{ "time::plain_date_time::PlainDateTime", FORMAT_STRING, view_time_moment, 5, { TIME(".time."), DATE_WORD(".date.") }, NULL },
	{ "time::primitive_date_time::PrimitiveDateTime", FORMAT_STRING, view_time_moment, 5,
	  { TIME(".time."), DATE_WORD(".date.") }, NULL },

	{ "slog::Logger", 0, view_opaque, 0, { NULL }, NULL }, /* slog 2.7: a chain of Arcs to the whole setup */

	/* http 1.5: header/map.rs; names with several values stay as they lie. */
	{ "http::header::map::HeaderMap", 0, view_buckets, 3, { VEC(".entries."), ".extra_values.len" }, NULL },
};

const struct formatter_table *crate_formats(void)
{
	static const struct formatter_table table = FORMATTER_TABLE(ROWS);
	return &table;
}
