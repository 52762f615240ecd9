# frames.py - for gdb: prints "F lwp pc rsp rbx rbp r12 r13 r14 r15" for every physical frame of every thread, innermost
# first, and "S lwp REASON" where gdb gave up. Frames of inlined calls and the tail calls that gdb reconstructs have
# no stack frame of their own.
import gdb

REGISTERS = ("rsp", "rbx", "rbp", "r12", "r13", "r14", "r15")
MASK = 0xFFFFFFFFFFFFFFFF

gdb.execute("set backtrace past-main on")
gdb.execute("set backtrace limit 100000")

for thread in sorted(gdb.selected_inferior().threads(), key=lambda t: t.ptid[1]):
    thread.switch()
    lwp = thread.ptid[1]
    frame = gdb.newest_frame()
    while frame is not None:
        if frame.type() not in (gdb.INLINE_FRAME, gdb.TAILCALL_FRAME):
            values = [frame.read_register(name) for name in REGISTERS]
            print("F %d 0x%x" % (lwp, frame.pc()), *["0x%x" % (int(value) & MASK) for value in values])
        try:
            older = frame.older()
        except gdb.error as error:
            print("S %d %s" % (lwp, error))
            break
        if older is None:
            reason = frame.unwind_stop_reason()
            if reason not in (gdb.FRAME_UNWIND_NO_REASON, gdb.FRAME_UNWIND_OUTERMOST):
                print("S %d %s" % (lwp, gdb.frame_stop_reason_string(reason)))
        frame = older
