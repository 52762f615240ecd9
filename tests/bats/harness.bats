# The harness itself, with real programs: what they say of themselves, and that their cores are what they say.

load ../harness.sh

PROGRAMS="chains current many runtimes shapes states"

teardown()
{
	[ -z "${pid:-}" ] || kill -KILL "$pid" 2>/dev/null || :
}

# The number of threads that the ground truth of a program has.
truth_threads()
{
	grep -c '^thread' "$1"
}

@test "the example's truth has tasks 3 to 12, each at an await" {
	example_truth >"$BATS_TEST_TMPDIR/truth.tsv"
	[ "$(truth_tasks "$BATS_TEST_TMPDIR/truth.tsv" | cut -f 1 | paste -sd ' ' -)" = "3 4 5 6 7 8 9 10 11 12" ]
	[ "$(cut -f 5 "$BATS_TEST_TMPDIR/truth.tsv" | grep -c '^src/main.rs:[0-9]')" -eq 10 ]
}

# The example prints no ids. A copy of it does, in which each async fn begins by saying its task and name.
@test "the example's tasks have the ids 3 to 12, in the order of the description" {
	reason=$(cargo_refusal example)
	[ -z "$reason" ] || skip "$reason"
	copy=$BATS_TEST_TMPDIR/example
	mkdir -p "$copy/src"
	cp -R "$harness_root/example/Cargo.toml" "$harness_root/example/Cargo.lock" "$harness_root/example/.cargo" "$copy"
	awk '/^async fn / { name = $3; sub(/\(.*/, "", name) }
	     { print }
	     name != "" && /\{$/ {
		if (name != "main" && name != "probe")
			printf "println!(\"task {} %s\", tokio::task::id());\n", name
		name = ""
	     }' "$harness_root/example/src/main.rs" >"$copy/src/main.rs"
	cargo_in "$copy" build --quiet --locked --target-dir "$harness_root/example/target/ids"
	for ((round = 0; round < 5; round++)); do
		"$harness_root/example/target/ids/debug/hansei-example" >"$copy/out" 3>&- &
		pid=$!
		for ((i = 0; i < 100; i++)); do
			[ "$(grep -c '^task' "$copy/out")" -lt 10 ] || break
			sleep 0.05
		done
		kill "$pid"
		pid=
		[ "$(grep '^task' "$copy/out" | sort -k 2n)" = "task 3 listener
task 4 producer
task 5 dispatcher
task 6 reloader
task 7 fanout
task 8 heartbeat
task 9 supervisor
task 10 worker
task 11 worker
task 12 worker" ]
	done
}

@test "the example says how to core it, and nothing else" {
	need_program example release
	"$binary" >"$BATS_TEST_TMPDIR/out" 3>&- &
	pid=$!
	for ((i = 0; i < 100; i++)); do
		[ "$(wc -l <"$BATS_TEST_TMPDIR/out")" -lt 2 ] || break
		sleep 0.05
	done
	[ "$(cat "$BATS_TEST_TMPDIR/out")" = "hansei-example running as pid $pid
core it with: gcore $pid" ]
}

@test "every site in the ground truth is an await" {
	for program in $PROGRAMS; do
		need_core "$program" dev kernel
		awk -F '\t' '$1 == "task" { print $5 } $1 == "frame" { print $4 }' "$truth" | sort -u |
			while IFS=: read -r file line; do
				[ "$file" != - ] || continue
				sed -n "${line}p" "$harness_root/tests/programs/$file" | grep -q '\.await\|select!\|join!\|^ *pending()' ||
					{ echo "$program: no await at $file:$line" && return 1; }
			done
	done
}

@test "ground truth ends with READY, and is the same in dev and release" {
	for program in $PROGRAMS; do
		need_core "$program" dev kernel
		dev=$truth
		need_core "$program" release kernel
		[ "$(tail -n 1 "$truth")" = READY ]
		[ "$(truth_tasks "$dev")" = "$(truth_tasks "$truth")" ]
		[ "$(grep '^frame' "$dev" | sort)" = "$(grep '^frame' "$truth" | sort)" ]
	done
}

@test "a runtime's own count of its tasks is that of the ground truth" {
	for program in $PROGRAMS; do
		need_core "$program" release kernel
		owned=$(awk -F '\t' '$1 == "runtime" { sub("tasks=", "", $5); n += $5 } END { print n }' "$truth")
		[ "$(truth_tasks "$truth" | wc -l)" -eq "$owned" ]
	done
}

@test "gdb finds as many threads in a kernel core as there are" {
	command -v gdb >/dev/null || skip "gdb is not installed"
	for profile in dev release; do
		need_core example "$profile" kernel
		[ "$(gdb_thread_count "$core")" -eq 3 ]
		for program in $PROGRAMS; do
			need_core "$program" "$profile" kernel
			[ "$(gdb_thread_count "$core")" -eq "$(truth_threads "$truth")" ]
		done
	done
}

@test "gdb finds as many threads in a gcore as there are" {
	for profile in dev release; do
		need_core example "$profile" gcore
		[ "$(gdb_thread_count "$core")" -eq 3 ]
		for program in $PROGRAMS; do
			need_core "$program" "$profile" gcore
			[ "$(gdb_thread_count "$core")" -eq "$(truth_threads "$truth")" ]
		done
	done
}

@test "a thread of states is in the function that its task is said to run" {
	for kind in gcore kernel; do
		need_core states release "$kind"
		gdb -q -nx -batch -ex 'thread apply all backtrace' "$binary" "$core" >"$BATS_TEST_TMPDIR/stacks" 2>/dev/null 3>&-
		grep '^thread.*function=' "$truth" >"$BATS_TEST_TMPDIR/threads"
		[ "$(wc -l <"$BATS_TEST_TMPDIR/threads")" -eq 3 ]
		while IFS= read -r line; do
			lwp=$(printf '%s\n' "$line" | cut -f 2)
			awk -v head="LWP $lwp)" -v function_="$(truth_field "$line" function)" '
				/^Thread / { inside = index($0, head) > 0 }
				inside && index($0, function_) { found = 1 }
				END { exit !found }' "$BATS_TEST_TMPDIR/stacks"
		done <"$BATS_TEST_TMPDIR/threads"
	done
}

@test "a core is taken once, and again when the program changes" {
	need_core current dev kernel
	before=$(cksum <"$core")
	need_core current dev kernel
	[ "$(cksum <"$core")" = "$before" ]
	echo "another" >"${core%/*}/hash"
	need_core current dev kernel
	[ "$(cksum <"$core")" != "$before" ]
}

@test "binaries use v0 symbol names" {
	for profile in dev release; do
		need_program example "$profile"
		nm "$binary" | grep -q ' _R.*14hansei_example10dispatcher'
		! nm "$binary" | grep -q ' _ZN14hansei_example' || return 1
	done
}
