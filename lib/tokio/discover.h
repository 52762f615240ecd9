/* discover.h - what no thread leads to: runtimes and LocalSets that nobody is inside, cells of spawn_blocking, and
 * complete tasks that only a handle keeps alive. A work queue to a fixed point: references to tasks are met in the
 * storage of tasks (handles, join sets, queues of semaphores), in timer wheels, io registrations and blocking queues; an
 * owner that is new is admitted only if its list has the number that the task says it belongs to, and is then listed,
 * scanned and harvested like the others. Internal to lib/tokio. */
#ifndef HANSEI_TOKIO_DISCOVER_H
#define HANSEI_TOKIO_DISCOVER_H

#include <stdint.h>

struct tokio;

enum found { FOUND_THREAD, FOUND_JOIN_HANDLE, FOUND_ABORT_HANDLE, FOUND_JOIN_SET, FOUND_SEMAPHORE, FOUND_TIMER, FOUND_IO,
	     FOUND_BLOCKING_QUEUE, FOUND_LOCAL_SET, FOUND_LOCAL_THREAD };
/* "a JoinHandle found in a task's storage"; as in hansei-info's FOUND VIA. */
const char *found_text(enum found found);

/* A header that something points at. Cheap when it is known. */
void tokio_candidate(struct tokio *tk, uint64_t header, enum found found);
void tokio_candidate_local_set(struct tokio *tk, uint64_t shared);

/* After the lists of the known runtimes were walked: all the rest. */
void tokio_discover(struct tokio *tk);

/* harvest.c: the candidates in a runtime's timer wheel, io registrations and blocking queue. */
void tokio_harvest(struct tokio *tk, uint32_t runtime);

#endif
