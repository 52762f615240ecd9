#include "records/census.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "out/json.h"
#include "records/census_internal.h"
#include "records/future_cells.h"
#include "tinfo/tinfo.h"
#include "tokio/held.h"
#include "tokio/tokio.h"

const char *census_owners(struct arena *arena, struct tokio *tokio, bool local_sets)
{
	size_t count, sets;
	const struct runtime *runtimes = tokio_runtimes(tokio, &count);
	tokio_local_sets(tokio, &sets);
	const char *text = count == 1 ? arena_printf(arena, "runtime 0 @ 0x%" PRIx64, runtimes[0].handle)
	                              : arena_printf(arena, "%zu runtimes", count);
	if (!local_sets || sets == 0)
		return text;
	return arena_printf(arena, "%s and %zu local set%s", text, sets, sets == 1 ? "" : "s");
}

static void print_json(struct out *out, struct strbuf *text)
{
	strbuf_addc(text, '\n');
	out_write(out, text->text, text->length);
	strbuf_release(text);
}

static void json_section(struct json *j, const char *name, uint64_t total)
{
	json_object(j);
	json_key(j, "section");
	json_string(j, name);
	json_key(j, "total");
	json_number(j, total);
}

static void key_number(struct json *j, const char *key, uint64_t value)
{
	json_key(j, key);
	json_number(j, value);
}

struct task_counts {
	struct arena arena;
	struct tally *states, *types;
	size_t total, owned;
};

static void count_tasks(const struct census *c, struct task_counts *counts)
{
	struct chain *chain = malloc(sizeof *chain);
	const struct task *tasks = tokio_tasks(c->tokio, &counts->total);
	if (chain == NULL)
		abort();
	counts->states = tally_new(&counts->arena);
	counts->types = tally_new(&counts->arena);
	for (size_t i = 0; i < counts->total; i++) {
		struct task_record record;
		task_record_fill(c->tokio, &tasks[i], &record, chain);
		counts->owned += tasks[i].runtime != TINFO_NONE || record.local_set != 0;
		tally_add(counts->states, record.state, NULL);
		struct tally_row *row = tally_add(counts->types, record.future, record.type);
		if (row->inner == NULL)
			row->inner = tally_new(&counts->arena);
		tally_add(row->inner, census_wait_text(&record.wait), NULL);
	}
	tally_sort(counts->states);
	tally_sort(counts->types);
	free(chain);
}

static void tally_free(struct tally *tally)
{
	for (size_t i = 0; i < tally->count; i++)
		if (tally->rows[i]->inner != NULL)
			tally_free(tally->rows[i]->inner);
	free(tally->rows);
	map_release(&tally->by_key);
}

void census_tasks(const struct census *c, enum format format)
{
	struct task_counts counts = { .arena = ARENA_INIT };
	count_tasks(c, &counts);
	if (format == FORMAT_JSON) {
		struct strbuf text = STRBUF_INIT;
		struct json j = json_into(&text);
		size_t runtimes, sets;
		tokio_runtimes(c->tokio, &runtimes);
		tokio_local_sets(c->tokio, &sets);
		json_section(&j, "tasks", counts.total);
		key_number(&j, "owned", counts.owned);
		key_number(&j, "runtimes", runtimes);
		key_number(&j, "local_sets", sets);
		tally_json(&j, "states", "state", counts.states);
		tally_json(&j, "types", "future", counts.types);
		json_object_end(&j);
		print_json(c->out, &text);
	} else if (format == FORMAT_TSV) {
		tally_tsv(c->out, "tasks", "state", NULL, counts.states, UINT64_MAX);
		tally_tsv(c->out, "tasks", "type", "waiting_on", counts.types, c->limit);
	} else {
		struct strbuf heading = STRBUF_INIT;
		strbuf_addf(&heading, "Tasks: %zu owned by %s", counts.owned, census_owners(&counts.arena, c->tokio, true));
		if (counts.owned < counts.total)
			strbuf_addf(&heading, ", %zu of unknown owner", counts.total - counts.owned);
		out_styled(c->out, STYLE_BOLD, heading.text);
		out_text(c->out, "\n\n");
		tally_print(counts.states, c->out, "STATE", "task", "tasks", UINT64_MAX, false);
		out_text(c->out, "\n");
		tally_print(counts.types, c->out, "TYPE / WAITING ON", "type", "types", c->limit, true);
		strbuf_release(&heading);
	}
	tally_free(counts.states);
	tally_free(counts.types);
	arena_release(&counts.arena);
}

struct future_counts {
	struct arena arena;
	struct tally *types;
	uint64_t local, child, unordered;
};

static void count_futures(const struct census *c, const struct held_census *census, struct future_counts *counts)
{
	counts->types = tally_new(&counts->arena);
	for (size_t i = 0; i < census->count; i++) {
		const struct held *held = &census->items[i];
		if (held->set != HELD_NONE)
			counts->child++;
		else
			counts->local++;
		tally_add(counts->types, tokio_type_name(c->tokio, held->type, true), tinfo_type(c->tinfo, held->type).name);
	}
	for (size_t i = 0; i < census->set_count; i++)
		counts->unordered += census->sets[i].kind == SET_UNORDERED;
	tally_sort(counts->types);
}

static void held_in_table(const struct census *c, const struct held_census *census, const struct future_counts *counts)
{
	struct tally held_in = { .arena = NULL };
	struct tally_row rows[] = {
		{ "task (its own await chain)", NULL, census->chains, NULL },
		{ "frame (off any await chain)", NULL, counts->local, NULL },
		{ NULL, NULL, counts->child, NULL },
	};
	char set[64];
	snprintf(set, sizeof set, "set (%" PRIu64 " FuturesUnordered)", counts->unordered);
	rows[2].text = set;
	struct tally_row *all[] = { &rows[0], &rows[1], &rows[2] };
	held_in.rows = all;
	held_in.count = 3;
	tally_print(&held_in, c->out, "HELD IN", "future", "futures", UINT64_MAX, false);
}

void census_futures(const struct census *c, enum format format)
{
	const struct held_census *census = tokio_held(c->tokio);
	struct future_counts counts = { .arena = ARENA_INIT };
	count_futures(c, census, &counts);
	uint64_t total = census->chains + census->count;
	if (format == FORMAT_JSON) {
		struct strbuf text = STRBUF_INIT;
		struct json j = json_into(&text);
		json_section(&j, "futures", total);
		key_number(&j, "frames", census->frames);
		key_number(&j, "deepest", census->deepest);
		key_number(&j, "sets", counts.unordered);
		json_key(&j, "held_in");
		json_object(&j);
		key_number(&j, "task", census->chains);
		key_number(&j, "frame", counts.local);
		key_number(&j, "set", counts.child);
		json_object_end(&j);
		tally_json(&j, "types", "future", counts.types);
		json_object_end(&j);
		print_json(c->out, &text);
	} else if (format == FORMAT_TSV) {
		census_line(c->out, "futures", "held_in", census->chains, "task");
		census_line(c->out, "futures", "held_in", counts.local, "frame");
		census_line(c->out, "futures", "held_in", counts.child, "set");
		tally_tsv(c->out, "futures", "type", NULL, counts.types, c->limit);
	} else {
		struct strbuf heading = STRBUF_INIT;
		strbuf_addf(&heading, "Futures: %" PRIu64 " in flight, on %" PRIu64 " await-chain frame%s, up to %" PRIu32 " deep",
		            total, census->frames, census->frames == 1 ? "" : "s", census->deepest);
		out_styled(c->out, STYLE_BOLD, heading.text);
		out_text(c->out, "\n\n");
		held_in_table(c, census, &counts);
		out_text(c->out, "\n");
		tally_print(counts.types, c->out, "TYPE / WAITING ON", "type", "types", c->limit, true);
		strbuf_release(&heading);
	}
	tally_free(counts.types);
	arena_release(&counts.arena);
}

void census_print(const struct census *c, enum format format)
{
	bool page = format != FORMAT_TSV && format != FORMAT_JSON;
	if (format == FORMAT_TSV)
		out_text(c->out, "section\tkey\tcount\ttext\n");
	if (c->threads)
		census_threads(c, format);
	if (page && c->threads && (c->tasks || c->futures))
		out_text(c->out, "\n");
	if (c->tasks)
		census_tasks(c, format);
	if (page && c->tasks && c->futures)
		out_text(c->out, "\n");
	if (c->futures)
		census_futures(c, format);
}
