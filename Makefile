# hansei: one static library, one program per tools/*.c. Plain GNU make; no configure step.
#   make            the programs, in build/
#   make check      everything that tests (scripts/check installs what is missing, then calls this)
#   make matrix     the programs' ground truth over releases of tokio, compilers, linkers (hours; ROWS="twin musl")
#   make asan       the unit tests and programs under AddressSanitizer and UBSan
#   make install    under $(DESTDIR)$(PREFIX); make uninstall takes it away
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

all: $(TOOLS) $(O)/hansei

$(O)/lib/libhansei.a: $(OBJ)
	@rm -f $@
	ar rcs $@ $^

$(O)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

$(TOOLS): $(O)/%: $(O)/tools/%.o $(LIB)
	$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $(filter %.o,$^) $(LIB) $(LDLIBS)

# The session, for a PATH with the build folder in it.
$(O)/hansei: scripts/hansei
	@mkdir -p $(@D)
	ln -sf $(CURDIR)/scripts/hansei $@

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

# The two helpers are the session's, and nobody else's.
HELPERS := hansei-edit hansei-page
PROGRAMS := $(filter-out $(HELPERS),$(notdir $(TOOLS)))
MAN := $(notdir $(wildcard man/*.[157]))
COMPLETED = $(addprefix share/bash-completion/completions/,$(PROGRAMS)) \
	$(patsubst %,share/fish/vendor_completions.d/%.fish,$(PROGRAMS))
INSTALLED = $(addprefix bin/,hansei $(PROGRAMS)) $(addprefix libexec/hansei/,$(HELPERS)) \
	$(addprefix share/hansei/,$(notdir $(wildcard scripts/hansei.d/*.sh))) \
	$(foreach page,$(MAN),share/man/man$(subst .,,$(suffix $(page)))/$(page)) \
	share/bash-completion/completions/hansei share/fish/vendor_completions.d/hansei.fish \
	share/zsh/site-functions/_hansei $(COMPLETED)
place = $(DESTDIR)$(PREFIX)/$(1)

install: all
	install -d $(call place,bin) $(call place,libexec/hansei) $(call place,share/hansei) \
		$(foreach n,1 5 7,$(call place,share/man/man$(n))) $(call place,share/bash-completion/completions) \
		$(call place,share/fish/vendor_completions.d) $(call place,share/zsh/site-functions)
	install -m 755 scripts/hansei $(addprefix $(O)/,$(PROGRAMS)) $(call place,bin)
	install -m 755 $(addprefix $(O)/,$(HELPERS)) $(call place,libexec/hansei)
	install -m 644 scripts/hansei.d/*.sh $(call place,share/hansei)
	$(foreach n,1 5 7,install -m 644 $(wildcard man/*.$(n)) $(call place,share/man/man$(n)) &&) :
	install -m 644 scripts/completions/hansei.bash $(call place,share/bash-completion/completions/hansei)
	install -m 644 scripts/completions/hansei.fish $(call place,share/fish/vendor_completions.d)
	install -m 644 scripts/completions/_hansei $(call place,share/zsh/site-functions)
	for name in $(COMPLETED); do \
		case $$name in *.fish) to=hansei.fish ;; *) to=hansei ;; esac; ln -sf $$to $(call place,$$name) || exit; \
	done

uninstall:
	rm -f $(foreach name,$(INSTALLED),$(call place,$(name)))
	-rmdir $(call place,libexec/hansei) $(call place,share/hansei) 2>/dev/null

clean:
	rm -rf $(O)

.PHONY: all install uninstall units check matrix demo record layers asan clean
.SECONDARY:
