/* How it works: workers take units one at a time from an atomic counter (their sizes differ by orders of
 * magnitude) and append to arrays of their own; a unit remembers which slices are its. So there are no locks, and
 * reading the slices in unit order gives the same result for any number of threads.
 *
 * Only units and namespaces are descended into. Everything else is stepped over by abbrev_skip_children, the hot
 * loop: functions and their bodies are nine tenths of the section. */
#include "dwarf/sweep.h"

#include <dwarf.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "dwarf/sweep_internal.h"

/* One unit's pass. */
struct pass {
	struct sweep *sweep;
	struct worker *worker;
	const struct dwarf_unit *unit;
	const struct abbrev_table *abbrevs;
	const unsigned char *info, *end;
	struct slice *slice;
	unsigned depth;
	struct {
		uint64_t hash;
		uint32_t scope;
		uint16_t wanted; /* 0: not wanted, else index + 1 */
		uint16_t below;  /* the same for variables of namespaces below */
		bool is_impl;
		bool has_wanted_type; /* a wanted path may end in a type of this namespace */
	} stack[DEPTH_MAX];
};

static const char *name_at(struct pass *p, const struct abbrev *abbrev, const unsigned char *die,
                           const unsigned char *values)
{
	if (abbrev->name_form == 0)
		return NULL;
	/* The common case by hand: a strp at a known place, in a .debug_str whose last string ends. */
	if (abbrev->name_form == DW_FORM_strp && abbrev->name_position != ABBREV_NO_POSITION &&
	    p->unit->offset_size == 4 && (size_t)(p->end - values) >= abbrev->name_position + 4u) {
		struct dwarf_bytes str = p->sweep->dw->sections[DWARF_STR];
		uint64_t offset = load_uint(values + abbrev->name_position, 4);
		if (offset >= str.size)
			return NULL;
		if (str.data[str.size - 1] == 0)
			return (const char *)str.data + offset;
	}
	struct die d = { (uint64_t)(die - p->info), p->unit, p->abbrevs, abbrev, values, p->end };
	return die_name(p->sweep->dw, &d);
}

static void add_find(struct pass *p, const unsigned char *die, enum find_kind kind, uint16_t wanted)
{
	struct worker *w = p->worker;
	w->finds = array_reserve(w->finds, &w->find_capacity, w->find_count, 1, sizeof *w->finds);
	w->finds[w->find_count++] = (struct sweep_find){ (uint64_t)(die - p->info), p->stack[p->depth].scope,
		                                         (uint16_t)kind, wanted };
}

static bool push_scope(struct pass *p, const unsigned char *die, const char *name)
{
	if (p->depth + 1 >= DEPTH_MAX)
		return false;
	struct worker *w = p->worker;
	size_t length = name != NULL ? scope_name_length(name) : 0;
	bool is_root = name == NULL && p->slice->scope_count == 0;
	uint64_t hash = is_root ? 0 : sweep_path_extend(p->stack[p->depth].hash, name != NULL ? name : "", length);
	uint32_t parent = is_root ? 0 : p->stack[p->depth].scope;
	w->scopes = array_reserve(w->scopes, &w->scope_capacity, w->scope_count, 1, sizeof *w->scopes);
	w->scopes[w->scope_count++] = (struct scope){ (uint32_t)((uint64_t)(die - p->info) - p->unit->offset),
		                                      UINT32_MAX, parent, (uint32_t)hash };
	p->depth += is_root ? 0 : 1;
	p->stack[p->depth].hash = hash;
	p->stack[p->depth].scope = (uint32_t)p->slice->scope_count++;
	p->stack[p->depth].is_impl = length > 6 && memcmp(name, "{impl#", 6) == 0;
	p->stack[p->depth].wanted = 0;
	p->stack[p->depth].below = is_root ? 0 : p->stack[p->depth - 1].below;
	p->stack[p->depth].has_wanted_type = false;
	for (size_t i = 0; i < p->sweep->wanted_count; i++) {
		p->stack[p->depth].has_wanted_type |= p->sweep->parents[i] == hash;
		if (p->sweep->wanted[i] != hash)
			continue;
		p->stack[p->depth].wanted = (uint16_t)(i + 1);
		if (p->sweep->wanted_below != NULL && p->sweep->wanted_below[i])
			p->stack[p->depth].below = (uint16_t)(i + 1);
	}
	return true;
}

static void function_found(struct pass *p, const struct abbrev *abbrev, const unsigned char *die,
                           const unsigned char *values)
{
	const char *name = name_at(p, abbrev, die, values);
	if (name == NULL) {
		const struct abbrev_attr *attrs = p->abbrevs->attrs + abbrev->first_attr;
		for (unsigned i = 0; i < abbrev->attr_count; i++)
			if (attrs[i].name == DW_AT_low_pc || attrs[i].name == DW_AT_ranges) {
				add_find(p, die, FIND_CONCRETE, 0);
				return;
			}
		return;
	}
	uint16_t wanted = p->stack[p->depth].wanted;
	if (wanted != 0)
		add_find(p, die, FIND_WANTED, (uint16_t)(wanted - 1));
	if (name[0] == '{' ? strncmp(name, "{async_", 7) == 0 : false)
		add_find(p, die, FIND_RESUME, 0);
	else if (p->stack[p->depth].is_impl && strncmp(name, "poll", 4) == 0)
		add_find(p, die, FIND_POLL, 0);
}

static void variable_found(struct pass *p, const struct abbrev *abbrev, const unsigned char *die,
                           const unsigned char *values)
{
	uint16_t wanted = p->stack[p->depth].wanted != 0 ? p->stack[p->depth].wanted : p->stack[p->depth].below;
	if (wanted != 0)
		add_find(p, die, FIND_WANTED, (uint16_t)(wanted - 1));
	if (p->depth != 0)
		return;
	static const char suffix[] = "::{vtable}";
	const char *name = name_at(p, abbrev, die, values);
	size_t length = name != NULL ? strlen(name) : 0;
	if (length >= sizeof suffix && strcmp(name + length - (sizeof suffix - 1), suffix) == 0)
		add_find(p, die, FIND_VTABLE, 0);
}

/* Methods stand as declarations inside their type's DIE. */
static void methods_found(struct pass *p, const struct abbrev *abbrev, const unsigned char *die,
                          const unsigned char *values)
{
	const char *name = name_at(p, abbrev, die, values);
	if (name == NULL)
		return;
	size_t length = scope_name_length(name);
	const char *arguments = memchr(name, '<', length);
	uint64_t hash = sweep_path_extend(p->stack[p->depth].hash, name,
	                                  arguments != NULL ? (size_t)(arguments - name) : length);
	size_t wanted = 0;
	while (wanted < p->sweep->wanted_count && p->sweep->wanted[wanted] != hash)
		wanted++;
	if (wanted == p->sweep->wanted_count)
		return;
	struct die type = { (uint64_t)(die - p->info), p->unit, p->abbrevs, abbrev, values, p->end }, method;
	for (bool more = die_child(p->sweep->dw, &type, &method); more; more = die_next(p->sweep->dw, &method, &method))
		if (method.abbrev->kind == SWEEP_FUNCTION)
			add_find(p, p->info + method.offset, FIND_WANTED, (uint16_t)wanted);
}

/* Handles one DIE directly in a namespace; *at is left behind it and all below it. */
static bool pass_die(struct pass *p, const unsigned char *die, const struct abbrev *abbrev, const unsigned char **at)
{
	const unsigned char *values = *at;
	switch (abbrev->kind) {
	case SWEEP_NAMESPACE:
		if (!abbrev->has_children)
			break;
		if (!push_scope(p, die, name_at(p, abbrev, die, values)))
			return false;
		*at = abbrev_skip(p->abbrevs, abbrev, values, p->end);
		return *at != NULL;
	case SWEEP_TYPE:
		if (p->stack[p->depth].wanted != 0)
			add_find(p, die, FIND_WANTED, (uint16_t)(p->stack[p->depth].wanted - 1));
		if (p->stack[p->depth].has_wanted_type && abbrev->has_children)
			methods_found(p, abbrev, die, values);
		break;
	case SWEEP_DECLARATION:
		add_find(p, die, FIND_DECLARATION, 0);
		break;
	case SWEEP_FUNCTION:
		function_found(p, abbrev, die, values);
		break;
	case SWEEP_VARIABLE:
		variable_found(p, abbrev, die, values);
		break;
	default:
		break;
	}
	*at = abbrev_skip(p->abbrevs, abbrev, values, p->end);
	if (*at != NULL && abbrev->has_children)
		*at = abbrev_skip_children(p->abbrevs, *at, p->end);
	return *at != NULL;
}

static bool pass_unit(struct pass *p)
{
	const unsigned char *at = p->info + p->unit->first_die;
	uint64_t code = 0;
	const unsigned char *die = at;
	at = abbrev_code(at, p->end, &code);
	const struct abbrev *abbrev = at != NULL && code != 0 ? abbrev_of(p->abbrevs, code) : NULL;
	if (abbrev == NULL || (at = abbrev_skip(p->abbrevs, abbrev, at, p->end)) == NULL || !push_scope(p, die, NULL))
		return false;
	if (!abbrev->has_children)
		return true;
	size_t base = p->worker->scope_count - 1;
	for (;;) {
		die = at;
		if ((at = abbrev_code(at, p->end, &code)) == NULL)
			return false;
		if (code == 0) {
			struct scope *scope = &p->worker->scopes[base + p->stack[p->depth].scope];
			scope->end = (uint32_t)((uint64_t)(at - p->info) - p->unit->offset);
			if (p->depth-- == 0)
				return true;
			continue;
		}
		if ((abbrev = abbrev_of(p->abbrevs, code)) == NULL || !pass_die(p, die, abbrev, &at))
			return false;
	}
}

static bool is_swept(const struct dwarf_unit *unit)
{
	/* Types of C and C++ units are opaque to us: nothing in them can be a future. */
	return unit->has_die && (unit->language == DW_LANG_Rust || unit->language == 0) &&
	       unit->end - unit->offset < UINT32_MAX;
}

static void sweep_unit(struct sweep *sweep, struct worker *worker, size_t index)
{
	struct slice *slice = &sweep->slices[index];
	const struct dwarf_unit *unit = &sweep->units[index];
	slice->worker = (uint32_t)(worker - sweep->workers);
	slice->first_scope = worker->scope_count;
	slice->first_find = worker->find_count;
	if (!is_swept(unit))
		return;
	const unsigned char *info = sweep->dw->sections[DWARF_INFO].data;
	struct pass *p = malloc(sizeof *p);
	if (p == NULL)
		abort();
	p->sweep = sweep;
	p->worker = worker;
	p->unit = unit;
	p->abbrevs = dwarf_abbrevs(sweep->dw, unit);
	p->info = info;
	p->end = info + unit->end;
	p->slice = slice;
	p->depth = 0;
	slice->damaged = p->abbrevs == NULL || !pass_unit(p);
	slice->find_count = worker->find_count - slice->first_find;
	free(p);
}

struct job {
	struct sweep *sweep;
	struct worker *worker;
};

static void *work(void *argument)
{
	struct job *job = argument;
	struct sweep *sweep = job->sweep;
	for (;;) {
		size_t i = atomic_fetch_add_explicit(&sweep->next, 1, memory_order_relaxed);
		if (i >= sweep->unit_count)
			return NULL;
		sweep_unit(sweep, job->worker, i);
		if (sweep->done != NULL)
			__atomic_fetch_add(sweep->done, sweep->units[i].end - sweep->units[i].offset, __ATOMIC_RELAXED);
	}
}

static void collect_finds(struct sweep *sweep)
{
	for (size_t i = 0; i < sweep->unit_count; i++)
		sweep->find_count += sweep->slices[i].find_count;
	sweep->finds = malloc(sweep->find_count * sizeof *sweep->finds + 1);
	if (sweep->finds == NULL)
		abort();
	size_t at = 0;
	for (size_t i = 0; i < sweep->unit_count; i++) {
		const struct slice *s = &sweep->slices[i];
		if (s->find_count == 0)
			continue;
		memcpy(sweep->finds + at, sweep->workers[s->worker].finds + s->first_find,
		       s->find_count * sizeof *sweep->finds);
		at += s->find_count;
	}
	for (unsigned w = 0; w < sweep->worker_count; w++) {
		free(sweep->workers[w].finds);
		sweep->workers[w].finds = NULL;
	}
}

static unsigned thread_count(unsigned asked, size_t units)
{
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	unsigned count = asked != 0 ? asked : processors > 0 ? (unsigned)processors : 1;
	if (count > THREADS_MAX)
		count = THREADS_MAX;
	return units < count ? (units == 0 ? 1 : (unsigned)units) : count;
}

static uint64_t wanted_hash(const char *path, uint64_t *parent)
{
	const char *last = path;
	for (const char *at = strstr(path, "::"); at != NULL; at = strstr(at + 2, "::"))
		last = at;
	char *above = strndup(path, (size_t)(last - path));
	if (above == NULL)
		abort();
	*parent = sweep_path_hash(above);
	free(above);
	return sweep_path_hash(path);
}

struct sweep *sweep_run(struct dwarf *dw, const struct sweep_options *options)
{
	struct sweep *sweep = calloc(1, sizeof *sweep);
	if (sweep == NULL)
		abort();
	sweep->dw = dw;
	sweep->units = dwarf_units(dw, &sweep->unit_count);
	sweep->slices = calloc(sweep->unit_count + 1, sizeof *sweep->slices);
	sweep->wanted = calloc(options->wanted_count + 1, sizeof *sweep->wanted);
	sweep->parents = calloc(options->wanted_count + 1, sizeof *sweep->parents);
	if (sweep->slices == NULL || sweep->wanted == NULL || sweep->parents == NULL)
		abort();
	sweep->wanted_count = options->wanted_count;
	sweep->wanted_below = options->wanted_below;
	for (size_t i = 0; i < options->wanted_count; i++)
		sweep->wanted[i] = wanted_hash(options->wanted[i], &sweep->parents[i]);
	sweep->done = options->done;
	sweep->worker_count = thread_count(options->threads, sweep->unit_count);
	pthread_t threads[THREADS_MAX];
	struct job jobs[THREADS_MAX];
	unsigned started = 1;
	for (unsigned i = 0; i < sweep->worker_count; i++)
		jobs[i] = (struct job){ sweep, &sweep->workers[i] };
	while (started < sweep->worker_count && pthread_create(&threads[started], NULL, work, &jobs[started]) == 0)
		started++;
	work(&jobs[0]);
	for (unsigned i = 1; i < started; i++)
		pthread_join(threads[i], NULL);
	collect_finds(sweep);
	return sweep;
}

void sweep_free(struct sweep *sweep)
{
	if (sweep == NULL)
		return;
	for (unsigned i = 0; i < sweep->worker_count; i++) {
		free(sweep->workers[i].scopes);
		free(sweep->workers[i].finds);
	}
	free(sweep->slices);
	free(sweep->finds);
	free(sweep->wanted);
	free(sweep->parents);
	free(sweep);
}

size_t sweep_damaged_units(const struct sweep *sweep)
{
	size_t count = 0;
	for (size_t i = 0; i < sweep->unit_count; i++)
		count += sweep->slices[i].damaged;
	return count;
}

size_t sweep_swept_units(const struct sweep *sweep)
{
	size_t count = 0;
	for (size_t i = 0; i < sweep->unit_count; i++)
		count += is_swept(&sweep->units[i]);
	return count;
}

uint64_t sweep_scope_count(const struct sweep *sweep)
{
	uint64_t count = 0;
	for (unsigned i = 0; i < sweep->worker_count; i++)
		count += sweep->workers[i].scope_count;
	return count;
}

const struct sweep_find *sweep_finds(const struct sweep *sweep, size_t *count)
{
	*count = sweep->find_count;
	return sweep->finds;
}
