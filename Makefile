# hansei: one static library, one program per tools/*.c. Plain GNU make; no configure step.
#   make            the programs, in build/
#   make check      everything that tests (scripts/check installs what is missing, then calls this)
#   make matrix     the programs' ground truth over releases of tokio, compilers, linkers (hours; ROWS="twin musl")
#   make asan       the unit tests and programs under AddressSanitizer and UBSan
#   make layers     dependencies point downward, and only lib/tokio and above speak of tokio
#   make record     the recorded demo core, made anew (needs cargo and gdb)

VERSION = 0.1.0
PREFIX ?= /usr/local
CC ?= cc
O ?= build
OPT ?= -O2 -g
WARN = -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes
# dwarf.h lives in a directory of libdwarf's own on Debian.
LIBDWARF_CFLAGS ?= $(shell pkg-config --cflags libdwarf 2>/dev/null || echo -I/usr/include/libdwarf)
CPPFLAGS += -Ilib $(LIBDWARF_CFLAGS) -D_POSIX_C_SOURCE=200809L -D_FILE_OFFSET_BITS=64 -DHANSEI_VERSION='"$(VERSION)"'
ALL_CFLAGS = -std=c11 $(OPT) $(WARN) $(SANITIZE) $(CFLAGS)
LDLIBS = -lelf -ldwarf -lzstd -lz -liberty -lpthread

LIB_SRC := $(wildcard lib/*/*.c)
TOOL_SRC := $(wildcard tools/hansei-*.c)
UNIT_SRC := $(wildcard tests/unit/test_*.c)
UNIT_HELP := $(filter-out $(UNIT_SRC),$(wildcard tests/unit/*.c))
OBJ := $(LIB_SRC:%.c=$(O)/%.o)
LIB := $(O)/lib/libhansei.a
TOOLS := $(TOOL_SRC:tools/%.c=$(O)/%)
UNITS := $(UNIT_SRC:tests/unit/%.c=$(O)/unit/%)

all: $(TOOLS)

$(O)/lib/libhansei.a: $(OBJ)
	@rm -f $@
	ar rcs $@ $^

$(O)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

$(TOOLS): $(O)/%: $(O)/tools/%.o $(LIB)
	$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $(filter %.o,$^) $(LIB) $(LDLIBS)

# The prompt, the only program with libedit.
$(O)/hansei-edit: $(O)/tools/edit-complete.o
$(O)/hansei-edit: LDLIBS += -ledit

$(UNITS): $(O)/unit/%: $(O)/tests/unit/%.o $(UNIT_HELP:%.c=$(O)/%.o) $(LIB)
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS) -lcmocka

-include $(OBJ:.o=.d) $(TOOL_SRC:%.c=$(O)/%.d) $(O)/tools/edit-complete.d $(UNIT_SRC:%.c=$(O)/%.d) $(UNIT_HELP:%.c=$(O)/%.d)

units: $(UNITS)

check: all units layers
	@O=$(O) tests/run

# On the recorded core, which needs neither cargo nor gdb nor the program itself.
demo: all
	@echo '$$ hansei-tasks -c example/recorded/core.zst -t example/recorded/example.tinfo' >&2
	@$(O)/hansei-tasks -c example/recorded/core.zst -t example/recorded/example.tinfo -o table

record: all
	O=$(O) scripts/record

matrix: all
	@O=$(O) tests/matrix $(ROWS)

layers:
	@tests/layers

asan:
	$(MAKE) O=build/asan OPT='-O1 -g' SANITIZE='-fsanitize=address,undefined -fno-omit-frame-pointer' all units
	O=build/asan tests/run

clean:
	rm -rf $(O)

.PHONY: all units check matrix demo record layers asan clean
.SECONDARY:
