# Native stacks (lib/unwind) against gdb's: program counters and callee-saved registers of every physical frame, on
# a program whose threads stand on all sorts of stacks, and on the cores of the tokio programs. What prints ours is
# the unit test's program, called with a core.

load ../harness.sh

setup()
{
	frames=${O:-build}/unit/test_unwind
	[ -x "$frames" ] || skip "unit tests are not built"
	command -v gdb >/dev/null || skip "gdb is not installed"
	[ "$(DEBUGINFOD_URLS='' gdb -nx -q -batch -ex 'python print(1)' 2>/dev/null 3>&-)" = 1 ] || skip "gdb has no python"
	here=$BATS_TEST_TMPDIR
}

# need_stacks FLAG...: builds stacks.c so, and its library unless it is to be ALONE; skips where that cannot be.
need_stacks()
{
	[ "$(uname -sm)" = "Linux x86_64" ] || skip "the program steps through itself on x86-64 Linux only"
	command -v cc >/dev/null || skip "no C compiler"
	local source=$harness_root/tests/bats/unwind/stacks.c link=-DALONE
	case "$*" in
	*ALONE*) ;;
	*)
		cc -w "$@" -shared -fPIC -DLIBRARY -Wl,--build-id -o "$here/libstacks.so" "$source"
		link="-L$here -lstacks -Wl,-rpath,$here"
		;;
	esac
	# shellcheck disable=SC2086 # words
	cc -w -g -pthread -Wl,--build-id "$@" -o "$here/stacks" "$source" $link || skip "cannot be linked here"
	[ -z "$(core_refusal "$kind")" ] || skip "$(core_refusal "$kind")"
	mkdir -p "$here/core"
	core_take "$here/stacks" "$kind" "$here/core" || case $? in
	77) skip "ptrace is not permitted here" ;;
	*) return 1 ;;
	esac
	core=$here/core/core
	binary=$here/stacks
}

# compare: ours.txt and gdb.txt of $core: lwp, pc, registers. Prints how many threads and frames are the same, how
# many threads gdb lost (it went to address 0 or stopped, or ours had to guess there), and every other difference.
compare()
{
	"$frames" -g -m 5000 "$core" "$binary" 2>/dev/null | grep -v ' why ' >"$here/ours.txt"
	DEBUGINFOD_URLS='' gdb -nx -q -batch -iex 'set auto-load no' -ex "source $harness_root/tests/bats/unwind/frames.py" \
		"$binary" "$core" 2>/dev/null 3>&- | sed -n 's/^F //p' >"$here/gdb.txt"
	awk '
		NR == FNR { theirs[$1, ++their[$1]] = $0; order[$1] = 1; next }
		{ ours[$1, ++our[$1]] = $0 }
		END {
			for (lwp in order) {
				same = 0
				while (same < their[lwp] && equal(theirs[lwp, same + 1], ours[lwp, same + 1]))
					same++
				frames += same
				if (same == their[lwp] && same == our[lwp])
					threads++
				else if (is_lost(lwp, same) && same >= 3)
					lost++
				else
					print "frame " same " of " lwp ": " ours[lwp, same + 1] ", gdb: " theirs[lwp, same + 1]
			}
			printf "%d threads, %d frames, %d lost by gdb\n", threads, frames, lost
		}
		# Registers that we do not know do not count.
		function equal(a, b, i, n, x, y)
		{
			n = split(a, x, " ")
			if (split(b, y, " ") != n || x[2] != y[2])
				return 0
			for (i = 3; i <= n; i++)
				if (y[i] != "-" && x[i] != y[i])
					return 0
			return 1
		}
		function is_lost(lwp, same, i, x)
		{
			if (their[lwp] == same || ours[lwp, same + 1] ~ / -/)
				return 1
			for (i = same + 1; i <= their[lwp]; i++) {
				split(theirs[lwp, i], x, " ")
				if (length(x[2]) < 8)
					return 1
			}
			return 0
		}' "$here/gdb.txt" "$here/ours.txt"
}

# Code made at run time (5 threads) and coroutine stacks (5) are beyond gdb.
same_stacks()
{
	run compare
	echo "$output"
	[ "$status" -eq 0 ]
	[ "${#lines[@]}" -eq 1 ]
	local word
	read -r -a word <<<"${lines[0]}"
	[ "${word[0]}" -ge "$1" ] && [ "${word[2]}" -ge "$2" ] && [ "${word[4]}" -le "$3" ]
}

@test "400 threads on all sorts of stacks, gcore" {
	kind=gcore
	need_stacks -O1 -Wl,-z,lazy
	same_stacks 391 3000 10
}

@test "400 threads on all sorts of stacks, kernel core, optimized" {
	kind=kernel
	need_stacks -O2
	same_stacks 391 3000 10
}

@test "the same linked statically, at a fixed address" {
	kind=kernel
	need_stacks -O2 -DALONE -static -no-pie
	same_stacks 391 3000 10
}

@test "the same with frame pointers" {
	kind=kernel
	need_stacks -O1 -fno-omit-frame-pointer -fno-optimize-sibling-calls
	same_stacks 391 3000 10
}

@test "a library that is gone is named, found in a sysroot, and refused when it is another build" {
	kind=kernel
	need_stacks -O1
	"$frames" "$core" "$binary" >"$here/all.txt" 2>"$here/said"
	run ! grep warning "$here/said"
	mkdir -p "$here/root$here"
	mv "$here/libstacks.so" "$here/root$here"

	"$frames" "$core" "$binary" >"$here/without.txt" 2>"$here/said"
	grep -F "warning: library $here/libstacks.so: No such file or directory" "$here/said"
	grep -q ' h' "$here/without.txt"

	"$frames" -r "$here/root" "$core" "$binary" >"$here/sysroot.txt" 2>"$here/said"
	run ! grep warning "$here/said"
	cmp "$here/all.txt" "$here/sysroot.txt"

	cc -w -O0 -shared -fPIC -DLIBRARY -Wl,--build-id -o "$here/libstacks.so" "$harness_root/tests/bats/unwind/stacks.c"
	"$frames" "$core" "$binary" 2>"$here/said" >"$here/other.txt"
	grep "warning: library $here/libstacks.so: .*libstacks.so has build id [0-9a-f]*, the core says [0-9a-f]*" "$here/said"
	cmp "$here/without.txt" "$here/other.txt"
}

@test "without the C library's file the stacks are found again above it" {
	kind=kernel
	need_core states release kernel
	"$frames" "$core" "$binary" | grep -v ' why ' | cut -d ' ' -f 1,2 >"$here/all.txt"
	libc=$(tr '\0' '\n' <"$core" | LC_ALL=C grep -a -m 1 -o '/.*/libc\.so\.6' || :)
	[ -n "$libc" ] || skip "no libc.so.6 in the core"
	LC_ALL=C sed "s#$libc#${libc%.so.6}.no.6#g" "$core" >"$here/core"
	"$frames" "$here/core" "$binary" 2>"$here/said" >"$here/without.txt"
	grep -F "warning: library ${libc%.so.6}.no.6: No such file or directory" "$here/said"
	grep ' why callers of frame [0-9]* lost: no call-frame information of .*libc.no.6 (file missing)' "$here/without.txt"
	# Nothing invented, and a few frames of each thread lost.
	grep -v ' why ' "$here/without.txt" | cut -d ' ' -f 1,2 >"$here/some.txt"
	[ "$(diff "$here/all.txt" "$here/some.txt" | grep -c '^>')" -eq 0 ]
	[ "$(diff "$here/all.txt" "$here/some.txt" | grep -c '^<')" -le $((3 * $(cut -d ' ' -f 1 "$here/all.txt" | sort -u | wc -l))) ]
}

@test "tokio programs: every frame as gdb has it" {
	for program in states runtimes; do
		for profile in dev release; do
			for kind in gcore kernel; do
				need_core "$program" "$profile" "$kind"
				same_stacks 3 40 0
			done
		done
	done
}

@test "3,000 threads in less than a second" {
	kind=kernel
	need_stacks -O2
	rm -rf "$here/core"
	mkdir "$here/core"
	printf '#!/bin/sh\nexec %s/stacks 3000\n' "$here" >"$here/many"
	chmod +x "$here/many"
	core_take "$here/many" kernel "$here/core"
	"$frames" "$here/core/core" "$binary" 2>"$here/said" >"$here/many.txt"
	time=$(sed -n 's/^time: .* of 3001 threads.* walk \([0-9]*\)\..*/\1/p' "$here/said")
	echo "$time ms"
	[ "$time" -lt 1000 ]
}
