/* Times, addresses and ranges. Sources: library/core/src/{time,net/ip_addr,net/socket_addr,ops/range}.rs, library/std/
 * src/sys/{time/unix,pal/unix/time}.rs. */
#include <stdio.h>
#include <string.h>

#include "value/target.h"
#include "value/view.h"

/* paths: seconds, nanoseconds. As Debug has it, to the nanosecond. */
static bool view_duration(struct viewer *viewer, const struct subject *s, struct view *out)
{
	uint64_t at[2];
	if (!subject_numbers(viewer, s, 2, at, out))
		return true;
	if (at[1] >= 1000000000) {
		view_error(out, "%llu nanoseconds are no part of a second", (unsigned long long)at[1]);
		return true;
	}
	static const struct { uint64_t unit; unsigned digits; const char *name; } UNITS[] = {
		{ 1000000, 6, "ms" }, { 1000, 3, "µs" }, { 1, 0, "ns" },
	};
	uint64_t whole = at[0], part = at[1];
	unsigned digits = 9, unit = 0;
	const char *name = "s";
	for (; whole == 0 && at[0] == 0 && at[1] != 0 && unit < 3; unit++) {
		whole = at[1] / UNITS[unit].unit;
		part = at[1] % UNITS[unit].unit;
		digits = UNITS[unit].digits;
		name = UNITS[unit].name;
	}
	char fraction[16] = "";
	if (digits != 0 && part != 0) {
		snprintf(fraction, sizeof fraction, ".%0*llu", (int)digits, (unsigned long long)part);
		for (size_t end = strlen(fraction); fraction[end - 1] == '0'; end--)
			fraction[end - 1] = '\0';
	}
	view_word(out, "%llu%s%s", (unsigned long long)whole, fraction, at[0] == 0 && at[1] == 0 ? "ns" : name);
	return true;
}

/* paths: seconds, nanoseconds of a monotonic clock. */
static bool view_instant(struct viewer *viewer, const struct subject *s, struct view *out)
{
	uint64_t at[2];
	if (!subject_numbers(viewer, s, 2, at, out))
		return true;
	view_word(out, "%lld.%09llus", (long long)at[0], (unsigned long long)at[1]);
	return true;
}

/* Days since 1970 -> date; Howard Hinnant's civil_from_days. */
static void civil_date(int64_t days, int64_t *year, unsigned *month, unsigned *day)
{
	days += 719468;
	int64_t era = (days >= 0 ? days : days - 146096) / 146097;
	unsigned of_era = (unsigned)(days - era * 146097);
	unsigned year_of_era = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
	unsigned of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
	unsigned shifted = (5 * of_year + 2) / 153;
	*day = of_year - (153 * shifted + 2) / 5 + 1;
	*month = shifted < 10 ? shifted + 3 : shifted - 9;
	*year = (int64_t)year_of_era + era * 400 + (*month <= 2);
}

/* paths: seconds since 1970, nanoseconds. In JSON the two numbers serde has. */
static bool view_system_time(struct viewer *viewer, const struct subject *s, struct view *out)
{
	uint64_t at[2];
	int64_t year;
	unsigned month, day;
	if (!subject_numbers(viewer, s, 2, at, out))
		return true;
	int64_t seconds = (int64_t)at[0], limit = INT64_C(1) << 52;
	if (seconds > limit || seconds < -limit || at[1] >= 1000000000) {
		view_error(out, "no time: %lld seconds, %llu nanoseconds", (long long)seconds, (unsigned long long)at[1]);
		return true;
	}
	int64_t days = seconds / 86400 - (seconds % 86400 < 0), rest = seconds - days * 86400;
	civil_date(days, &year, &month, &day);
	view_word(out, "%04lld-%02u-%02uT%02d:%02d:%02d.%09lluZ", (long long)year, month, day, (int)(rest / 3600),
	          (int)(rest / 60 % 60), (int)(rest % 60), (unsigned long long)at[1]);
	return true;
}

static bool json_system_time(struct viewer *viewer, const struct subject *s, struct view *out)
{
	uint64_t at[2];
	if (!subject_numbers(viewer, s, 2, at, out))
		return true;
	out->kind = VIEW_RECORD;
	out->field_count = 2;
	static const char *const NAMES[] = { "secs_since_epoch", "nanos_since_epoch" };
	for (int i = 0; i < 2; i++) {
		out->fields[i] = (struct view_field){ .name = NAMES[i], .value = { TINFO_NONE, 0 } };
		snprintf(out->fields[i].word, sizeof out->fields[i].word, "%lld", (long long)at[i]);
	}
	return true;
}

static void add_ipv4(char *to, size_t size, const unsigned char *octets)
{
	snprintf(to, size, "%u.%u.%u.%u", octets[0], octets[1], octets[2], octets[3]);
}

/* RFC 5952, and the mixed form for mapped addresses, as Display has it. */
static void add_ipv6(char *to, size_t size, const unsigned char *octets)
{
	unsigned groups[8];
	int best = -1, best_length = 1;
	size_t length = 0;
	for (int i = 0; i < 8; i++)
		groups[i] = (unsigned)octets[2 * i] << 8 | octets[2 * i + 1];
	for (int i = 0; i < 8; i++) {
		int run = 0;
		while (i + run < 8 && groups[i + run] == 0)
			run++;
		if (run > best_length) {
			best = i;
			best_length = run;
		}
		i += run != 0 ? run - 1 : 0;
	}
	if (best == 0 && best_length == 5 && groups[5] == 0xffff) {
		snprintf(to, size, "::ffff:%u.%u.%u.%u", octets[12], octets[13], octets[14], octets[15]);
		return;
	}
	to[0] = '\0';
	for (int i = 0; i < 8; i++) {
		if (i == best) {
			length += (size_t)snprintf(to + length, size - length, "::");
			i += best_length - 1;
			continue;
		}
		bool first = i == 0 || (best >= 0 && i == best + best_length);
		length += (size_t)snprintf(to + length, size - length, first ? "%x" : ":%x", groups[i]);
	}
}

enum { IP_TEXT = 48 };

/* The text of an address of 4 or 16 bytes at a member named "octets". */
static bool ip_text(struct viewer *viewer, uint64_t address, uint32_t type, char text[IP_TEXT])
{
	unsigned char octets[16];
	struct type here = tinfo_type(viewer->target->tinfo, type);
	if ((here.size != 4 && here.size != 16) || !target_read(viewer->target, address, octets, (size_t)here.size))
		return false;
	if (here.size == 4)
		add_ipv4(text, IP_TEXT, octets);
	else
		add_ipv6(text, IP_TEXT, octets);
	return true;
}

static bool view_ip(struct viewer *viewer, const struct subject *s, struct view *out)
{
	char text[IP_TEXT];
	uint64_t at;
	if (path_locate(&s->paths[0], viewer->target, s->address, &at) != OUTCOME_VALUE ||
	    !ip_text(viewer, at, s->paths[0].type, text))
		view_unreadable(out, s->address);
	else
		view_word(out, "%s", text);
	return true;
}

/* paths: octets, port [, scope]. words: "6". */
static bool view_socket_address(struct viewer *viewer, const struct subject *s, struct view *out)
{
	char text[IP_TEXT];
	uint64_t at, port, scope;
	if (path_locate(&s->paths[0], viewer->target, s->address, &at) != OUTCOME_VALUE ||
	    !ip_text(viewer, at, s->paths[0].type, text) || subject_load(viewer, s, 1, &port) != OUTCOME_VALUE)
		view_unreadable(out, s->address);
	else if (s->row->words == NULL)
		view_word(out, "%s:%llu", text, (unsigned long long)port);
	else if (subject_load(viewer, s, 2, &scope) == OUTCOME_VALUE && scope != 0)
		view_word(out, "[%s%%%llu]:%llu", text, (unsigned long long)scope, (unsigned long long)port);
	else
		view_word(out, "[%s]:%llu", text, (unsigned long long)port);
	return true;
}

/* In text a SocketAddr opens into its variant and that one's two fields at once. paths: of V4 and V6, ip and port. */
static bool text_socket_address(struct viewer *viewer, const struct subject *s, struct view *out)
{
	struct variant variant;
	uint32_t position;
	const char *why;
	struct value value = { s->plan->type.id, s->address };
	if (!live_variant(viewer, value, &variant, &position, &why)) {
		view_error(out, "%s", why);
		return true;
	}
	bool six = strcmp(variant.name, "V6") == 0;
	for (int i = 0; i < 2; i++) {
		const struct path *path = &s->paths[2 * six + i];
		uint64_t at;
		if (path_locate(path, viewer->target, s->address, &at) != OUTCOME_VALUE)
			return false;
		out->fields[i] = (struct view_field){ .name = i == 0 ? "ip" : "port", .value = { path->type, at } };
	}
	out->kind = VIEW_RECORD;
	out->field_count = 2;
	out->head = six ? "core::net::socket_addr::SocketAddr::V6" : "core::net::socket_addr::SocketAddr::V4";
	return true;
}

/* RangeInclusive has a flag that serde leaves out; its `start` and `end` are what counts. */
static bool view_range(struct viewer *viewer, const struct subject *s, struct view *out)
{
	for (int i = 0; i < 2; i++) {
		uint64_t at;
		if (path_locate(&s->paths[i], viewer->target, s->address, &at) != OUTCOME_VALUE)
			return false;
		out->fields[i] = (struct view_field){ .name = i == 0 ? "start" : "end", .value = { s->paths[i].type, at } };
	}
	out->kind = VIEW_RECORD;
	out->field_count = 2;
	return true;
}

#define V4_PATHS ".ip.octets", ".port"
#define TIMESPEC(path) path "tv_sec", path "tv_nsec.__0 | " path "tv_nsec"

static const struct formatter ROWS[] = {
	{ "core::time::Duration", FORMAT_TEXT_ONLY, view_duration, 2, { ".secs", ".nanos.__0 | .nanos" }, NULL },
	{ "std::time::Instant", FORMAT_TEXT_ONLY, view_instant, 2, { TIMESPEC(".__0.t.") }, NULL },
	{ "std::sys::time::unix::Instant", FORMAT_TEXT_ONLY, view_instant, 2, { TIMESPEC(".t.") }, NULL },
	{ "std::sys::pal::unix::time::Instant", FORMAT_TEXT_ONLY, view_instant, 2, { TIMESPEC(".t.") }, NULL },
	{ "std::time::SystemTime", FORMAT_TEXT_ONLY, view_system_time, 2, { TIMESPEC(".__0.t.") }, NULL },
	{ "std::time::SystemTime", FORMAT_JSON_ONLY, json_system_time, 2, { TIMESPEC(".__0.t.") }, NULL },

	{ "core::net::ip_addr::Ipv4Addr", FORMAT_STRING, view_ip, 1, { ".octets" }, NULL },
	{ "core::net::ip_addr::Ipv6Addr", FORMAT_STRING, view_ip, 1, { ".octets" }, NULL },
	{ "core::net::ip_addr::IpAddr", FORMAT_STRING, view_payload, 0, { NULL }, NULL },
	{ "core::net::socket_addr::SocketAddrV4", FORMAT_STRING | FORMAT_JSON_ONLY, view_socket_address, 2, { V4_PATHS }, NULL },
	{ "core::net::socket_addr::SocketAddrV6", FORMAT_STRING | FORMAT_JSON_ONLY, view_socket_address, 2,
	  { V4_PATHS, ".scope_id" }, "6" },
	{ "core::net::socket_addr::SocketAddr", FORMAT_STRING | FORMAT_JSON_ONLY, view_payload, 0, { NULL }, NULL },
	{ "core::net::socket_addr::SocketAddr", FORMAT_TEXT_ONLY, text_socket_address, 4,
	  { "<V4>.__0.ip", "<V4>.__0.port", "<V6>.__0.ip", "<V6>.__0.port" }, NULL },

	{ "core::ops::range::RangeInclusive", 0, view_range, 2, { ".start", ".end" }, NULL },
	{ "core::range::RangeInclusive", 0, view_range, 2, { ".start", ".last | .end" }, NULL },
};

const struct formatter_table STD_TIME = FORMATTER_TABLE(ROWS);
