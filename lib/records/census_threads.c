/* The threads section: what each does for which runtime, from the runtimes' own words and without any stack. A pool
 * thread says nothing of itself; it is one of those that have entered a runtime without running anything of it, and as
 * many of these as the pool counts are taken for its own. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/strbuf.h"
#include "out/column.h"
#include "out/json.h"
#include "out/table.h"
#include "records/census_internal.h"
#include "tinfo/tinfo.h"
#include "tokio/tokio.h"

enum { SAMPLE = 3 };

struct thread_row {
	uint32_t runtime; /* TINFO_NONE: none */
	const char *role, *state;
	uint64_t count;
	const struct tokio_thread *sample[SAMPLE];
	bool polling;     /* the sample names tasks */
	bool anonymous;   /* which threads they are cannot be told */
	bool pool;
};

struct thread_rows {
	const struct census *census;
	struct thread_row *rows;
	size_t count, capacity;
	size_t inside;    /* threads in any runtime */
	struct arena arena;
};

static struct thread_row *row_of(struct thread_rows *r, uint32_t runtime, const char *role, const char *state)
{
	for (size_t i = 0; i < r->count; i++) {
		struct thread_row *row = &r->rows[i];
		if (row->runtime == runtime && strcmp(row->role, role) == 0 && !row->pool &&
		    (row->state == state || (row->state != NULL && state != NULL && strcmp(row->state, state) == 0)))
			return row;
	}
	r->rows = array_reserve(r->rows, &r->capacity, r->count, 1, sizeof *r->rows);
	r->rows[r->count] = (struct thread_row){ .runtime = runtime, .role = role, .state = state };
	return &r->rows[r->count++];
}

static void row_add(struct thread_row *row, const struct tokio_thread *th)
{
	if (row->count < SAMPLE)
		row->sample[row->count] = th;
	row->count++;
}

static const struct task *task_polled(struct tokio *tokio, const struct tokio_thread *th)
{
	const struct task *task = tokio_task_by_id(tokio, th->task_id);
	return task != NULL && task->lwp == th->lwp && task->state == TASK_RUNNING ? task : NULL;
}

static const char *worker_state(struct tokio *tokio, const struct tokio_thread *th, const struct task *task)
{
	static const char *const TEXTS[] = {
		[PARK_AWAKE] = "awake", [PARK_PARKED] = "parked", [PARK_DRIVER] = "in driver", [PARK_NOTIFIED] = "notified",
		[PARK_UNREAD] = "park state unread",
	};
	size_t count;
	if (task != NULL)
		return "polling";
	return TEXTS[runtime_worker_park(tokio, &tokio_runtimes(tokio, &count)[th->runtime], th->worker)];
}

static const char *block_on_state(const struct tokio_thread *th, const struct task *task)
{
	if (!th->has_core)
		return "awake";
	if (th->in_driver)
		return "in driver";
	return task != NULL ? "polling" : "polling block_on";
}

/* Inside a runtime, without a scheduler and not in block_on: a thread of the pool, or a guard of Handle::enter. */
static bool is_bystander(const struct tokio_thread *th)
{
	return th->runtime != TINFO_NONE && !th->scheduling && !th->entered;
}

static void add_thread(struct thread_rows *r, const struct tokio_thread *th)
{
	struct tokio *tokio = r->census->tokio;
	const struct task *task = task_polled(tokio, th);
	if (th->runtime == TINFO_NONE) {
		row_add(row_of(r, TINFO_NONE, "no runtime", NULL), th);
		return;
	}
	r->inside++;
	if (is_bystander(th))
		return;
	struct thread_row *row;
	if (th->scheduling && th->worker != WORKER_NONE)
		row = row_of(r, th->runtime, "worker", worker_state(tokio, th, task));
	else if (th->scheduling)
		row = row_of(r, th->runtime, "block_on thread", block_on_state(th, task));
	else
		row = row_of(r, th->runtime, "entered runtime", "block_on caller");
	row_add(row, th);
	row->polling |= row->state != NULL && strcmp(row->state, "polling") == 0;
}

static const char *pool_text(struct thread_rows *r, const struct blocking_pool *pool)
{
	const char *queued = pool->queued != 0 ? arena_printf(&r->arena, ", %" PRIu64 " queued", pool->queued) : "";
	if (!pool->reconciled)
		return arena_printf(&r->arena, "%" PRIu64 " threads, %" PRIu64 " idle%s, workers included", pool->threads,
		                    pool->idle, queued);
	return arena_printf(&r->arena, "%" PRIu64 " idle, %" PRIu64 " busy%s", pool->idle, pool->threads - pool->idle,
	                    queued);
}

/* Runs a cell of spawn_blocking: a pool thread without any doubt. */
static bool is_busy(struct thread_rows *r, const struct tokio_thread *th)
{
	const struct task *task = task_polled(r->census->tokio, th);
	return task != NULL && task->class->blocking;
}

/* The bystanders of a runtime: pool threads, and the rest. */
static void add_pool(struct thread_rows *r, const struct runtime *runtime, const struct tokio_thread *threads,
                     size_t count)
{
	struct blocking_pool pool = { 0 };
	struct thread_row row = { .runtime = runtime->index, .role = "blocking pool", .pool = true };
	struct thread_row other = { .runtime = runtime->index, .role = "entered runtime" };
	uint64_t bystanders = 0, busy = 0;
	bool read = runtime_pool(r->census->tokio, runtime, &pool);
	for (size_t i = 0; i < count; i++) {
		bool here = threads[i].runtime == runtime->index && is_bystander(&threads[i]);
		bystanders += here;
		busy += here && is_busy(r, &threads[i]);
	}
	uint64_t own = !read || !pool.reconciled ? 0 : pool.threads < bystanders ? pool.threads : bystanders;
	row.anonymous = other.anonymous = own != bystanders && own != busy && own != 0;
	uint64_t idle = own > busy ? own - busy : 0;
	for (size_t i = 0; i < count; i++) {
		if (threads[i].runtime != runtime->index || !is_bystander(&threads[i]))
			continue;
		bool mine = is_busy(r, &threads[i]) || idle > 0;
		idle -= mine && !is_busy(r, &threads[i]);
		row_add(mine ? &row : &other, &threads[i]);
	}
	row.state = read ? pool_text(r, &pool) : "unread";
	r->rows = array_reserve(r->rows, &r->capacity, r->count, 2, sizeof *r->rows);
	r->rows[r->count++] = row;
	if (other.count > 0)
		r->rows[r->count++] = other;
}

/* The scheduler's own threads first. */
static int role_rank(const struct thread_row *row)
{
	return row->pool ? 2 : strcmp(row->role, "entered runtime") == 0;
}

static int compare_rows(const void *a, const void *b)
{
	const struct thread_row *x = a, *y = b;
	if (x->runtime != y->runtime)
		return x->runtime < y->runtime ? -1 : 1;
	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	int rank = role_rank(x) - role_rank(y);
	return rank != 0 ? rank : strcmp(x->state != NULL ? x->state : "", y->state != NULL ? y->state : "");
}

static int compare_threads(const void *a, const void *b)
{
	const struct tokio_thread *x = a, *y = b;
	return (x->lwp > y->lwp) - (x->lwp < y->lwp);
}

static const char *row_lwps(struct thread_rows *r, const struct thread_row *row)
{
	struct strbuf sb = STRBUF_INIT;
	for (uint64_t i = 0; i < row->count && i < SAMPLE && !row->anonymous; i++) {
		const struct task *task = row->polling ? task_polled(r->census->tokio, row->sample[i]) : NULL;
		strbuf_addf(&sb, "%s%" PRIu32, i > 0 ? ", " : "", row->sample[i]->lwp);
		if (task != NULL)
			strbuf_addf(&sb, " (task %" PRIu64 ")", task->id);
	}
	if (row->count > SAMPLE && !row->anonymous)
		strbuf_adds(&sb, ", …");
	const char *text = sb.length > 0 ? arena_strdup(&r->arena, sb.text) : NULL;
	strbuf_release(&sb);
	return text;
}

static void print_page(struct thread_rows *r, size_t total)
{
	static const struct column COLUMNS[] = {
		{ .name = "count", .type = COL_COUNT, .flags = COL_RIGHT }, { .name = "rt", .type = COL_WORD },
		{ .name = "role", .type = COL_WORD }, { .name = "state", .type = COL_WORD },
		{ .name = "lwps", .type = COL_TEXT },
	};
	const struct column *chosen[] = { &COLUMNS[0], &COLUMNS[1], &COLUMNS[2], &COLUMNS[3], &COLUMNS[4] };
	struct out *out = r->census->out;
	struct table table;
	const char *heading = arena_printf(&r->arena, "Threads: %zu lwp%s, %zu in %s", total, total == 1 ? "" : "s", r->inside,
	                                   census_owners(&r->arena, r->census->tokio, false));
	out_styled(out, STYLE_BOLD, heading);
	out_text(out, "\n\n");
	table_init(&table, chosen, 5);
	for (size_t i = 0; i < r->count; i++) {
		const struct thread_row *row = &r->rows[i];
		const char *runtime = row->runtime != TINFO_NONE ? arena_printf(&r->arena, "%" PRIu32, row->runtime) : NULL;
		table_row(&table, (const char *const[]){ arena_printf(&r->arena, "%" PRIu64, row->count), runtime, row->role,
		                                         row->state, row_lwps(r, row) });
	}
	table_print(&table, out);
	footer_print(out, total, total, "lwp", "lwps");
	table_release(&table);
}

static void print_json(struct thread_rows *r, size_t total)
{
	struct strbuf text = STRBUF_INIT;
	struct json j = json_into(&text);
	json_object(&j);
	json_key(&j, "section");
	json_string(&j, "threads");
	json_key(&j, "total");
	json_number(&j, total);
	json_key(&j, "inside");
	json_number(&j, r->inside);
	json_key(&j, "rows");
	json_array(&j);
	for (size_t i = 0; i < r->count; i++) {
		const struct thread_row *row = &r->rows[i];
		json_object(&j);
		json_key(&j, "count");
		json_number(&j, row->count);
		json_key(&j, "runtime");
		json_string(&j, row->runtime != TINFO_NONE ? arena_printf(&r->arena, "runtime/%" PRIu32, row->runtime) : NULL);
		json_key(&j, "role");
		json_string(&j, row->role);
		json_key(&j, "state");
		json_string(&j, row->state);
		json_key(&j, "sample");
		json_array(&j);
		for (uint64_t k = 0; k < row->count && k < SAMPLE && !row->anonymous; k++)
			json_string(&j, arena_printf(&r->arena, "thread/%" PRIu32, row->sample[k]->lwp));
		json_array_end(&j);
		json_object_end(&j);
	}
	json_array_end(&j);
	json_object_end(&j);
	strbuf_addc(&text, '\n');
	out_write(r->census->out, text.text, text.length);
	strbuf_release(&text);
}

void census_threads(const struct census *c, enum format format)
{
	struct thread_rows r = { .census = c, .arena = ARENA_INIT };
	size_t count, runtimes;
	tokio_tasks(c->tokio, &count);
	const struct runtime *all = tokio_runtimes(c->tokio, &runtimes);
	const struct tokio_thread *given = tokio_threads(c->tokio, &count);
	struct tokio_thread *threads = arena_copy(&r.arena, given, count * sizeof *given);
	if (count > 1)
		qsort(threads, count, sizeof *threads, compare_threads);
	for (size_t i = 0; i < count; i++)
		add_thread(&r, &threads[i]);
	for (size_t i = 0; i < runtimes; i++)
		add_pool(&r, &all[i], threads, count);
	if (r.count > 1)
		qsort(r.rows, r.count, sizeof *r.rows, compare_rows);
	if (format == FORMAT_JSON) {
		print_json(&r, count);
	} else if (format == FORMAT_TSV) {
		for (size_t i = 0; i < r.count; i++)
			census_line(c->out, "threads", r.rows[i].role, r.rows[i].count, r.rows[i].state);
	} else {
		print_page(&r, count);
	}
	free(r.rows);
	arena_release(&r.arena);
}
