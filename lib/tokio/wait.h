/* wait.h - what a task waits for: the wait objects of hansei-records(5). */
#ifndef HANSEI_TOKIO_WAIT_H
#define HANSEI_TOKIO_WAIT_H

#include <stdbool.h>
#include <stdint.h>

struct chain;
struct task;
struct tokio;

enum wait_kind { /* names as in the record: wait_kind_text */
	WAIT_NONE, WAIT_MUTEX, WAIT_RWLOCK, WAIT_SEMAPHORE, WAIT_MPSC, WAIT_ONESHOT, WAIT_WATCH, WAIT_BROADCAST,
	WAIT_NOTIFY, WAIT_BARRIER, WAIT_ONCE_CELL, WAIT_TIMER, WAIT_INTERVAL, WAIT_TASK, WAIT_JOIN_SET,
	WAIT_FUTURES_UNORDERED, WAIT_SELECT, WAIT_JOIN, WAIT_IO, WAIT_BLOCKING, WAIT_SIGNAL, WAIT_PROCESS,
	WAIT_CANCELLATION, WAIT_YIELD, WAIT_NEVER, WAIT_RUNNING, WAIT_QUEUED, WAIT_COMPLETE, WAIT_UNRESUMED,
	WAIT_UNKNOWN,
};
const char *wait_kind_text(enum wait_kind kind);

struct wait {
	enum wait_kind kind;
	const char *text;        /* never NULL; "—" where there is nothing to wait for; in the tokio's arena */
	uint64_t resource;       /* address of the primitive; 0 none */
	uint64_t task_id, task;  /* joined task: id (0 unknown) and header address */
	uint64_t requested, available; /* permits */
	const uint64_t *queue;   /* ids of the tasks in wake order */
	uint32_t queue_count;
	bool queue_complete;     /* the walk reached the end, under no doubt */
	bool has_permits, has_deadline, has_fd;
	uint64_t deadline_ns;    /* on the target's monotonic clock */
	int32_t fd;
	const char *interest;    /* "readable", "writable", "readable, writable"; NULL */
	bool inferred;
};

/* What the task waits for, given its chain. */
void wait_decide(struct tokio *tk, const struct task *task, const struct chain *chain, struct wait *out);

#endif
