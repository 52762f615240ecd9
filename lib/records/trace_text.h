/* trace_text.h - an await chain as text, the most recently polled frame first:
 *
 *	#0  future        tokio::sync::batch_semaphore::Acquire
 *	      waiting on a tokio::sync::Mutex (semaphore 0x…): 1 permit requested, 0 available; wake queue: task 5
 *	#1  async fn      shop::dispatcher
 *	      awaiting at src/main.rs:158 (Suspend1, 7 locals) */
#ifndef HANSEI_RECORDS_TRACE_TEXT_H
#define HANSEI_RECORDS_TRACE_TEXT_H

#include <stdbool.h>
#include <stdint.h>

struct out;
struct trace;
struct traces;

struct trace_options {
	bool verbose;   /* locals and other suspend points */
	bool limited;
	uint64_t limit; /* frames to print; a footer says how many there are */
};

/* The chain, or a sentence on why there is none. A note above it says where it could not be followed further. */
void trace_print(struct out *out, struct traces *traces, const struct trace *trace, const struct trace_options *options);
/* The two lines of one frame, numbered as on its chain. */
void trace_print_frame(struct out *out, struct traces *traces, const struct trace *trace, uint32_t index);

#endif
