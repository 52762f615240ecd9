/* constants.h - numbers of tokio that the compiler folds away and debug information never shows. Each with the
 * source it was read in; checked in tokio 1.38.0, 1.47.1 and 1.54.1 for 64-bit targets. */
#ifndef HANSEI_TOKIO_CONSTANTS_H
#define HANSEI_TOKIO_CONSTANTS_H

#include <stdint.h>

/* src/runtime/task/state.rs: the state word of a task. */
#define WORD_RUNNING UINT64_C(0x01)
#define WORD_COMPLETE UINT64_C(0x02)
#define WORD_NOTIFIED UINT64_C(0x04)
#define WORD_JOIN_INTEREST UINT64_C(0x08)
#define WORD_JOIN_WAKER UINT64_C(0x10)
#define WORD_CANCELLED UINT64_C(0x20)
#define WORD_REF_SHIFT 6
#define WORD_INITIAL UINT64_C(0xcc)

/* src/sync/batch_semaphore.rs: `permits` is count << 1 | closed. */
#define SEMAPHORE_CLOSED UINT64_C(1)
#define SEMAPHORE_PERMIT_SHIFT 1

/* src/io/interest.rs: bits of an Interest. */
#define INTEREST_READABLE UINT64_C(0x01)
#define INTEREST_WRITABLE UINT64_C(0x02)
#define INTEREST_PRIORITY UINT64_C(0x10)
#define INTEREST_ERROR UINT64_C(0x20)

#endif
