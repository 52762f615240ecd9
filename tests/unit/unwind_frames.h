/* unwind_frames.h - prints the native stacks of a core, for tests/bats/unwind.bats and by hand. */
#ifndef HANSEI_TESTS_UNWIND_FRAMES_H
#define HANSEI_TESTS_UNWIND_FRAMES_H

/* arguments: [-g] [-n] [-m MAX] [-r SYSROOT] CORE [EXECUTABLE]. One line a frame: lwp, pc, flags (h heuristic, s signal,
 * e exact, - none), name; then "lwp why TEXT" for a stack that is cut. -n: no symbols. -g: lwp,
 * pc and x86-64's rsp, rbx, rbp, r12 .. r15 instead, - for one that is not known. Warnings and, last, the time
 * it took go to stderr. Returns the exit status. */
int unwind_frames_main(int count, char **arguments);

#endif
