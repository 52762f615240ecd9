# hansei-tasks against what the programs say of themselves. Every test runs over dev and release builds, and over
# cores of gcore and of the kernel.

load ../harness.sh
load ../compare.sh

# each PROGRAM FUNCTION: calls it with core, binary and truth set to each of the four.
each()
{
	local profile kind
	for profile in dev release; do
		for kind in gcore kernel; do
			need_core "$1" "$profile" "$kind"
			echo "# $1 $profile $kind" # shown when it fails
			scratch=$BATS_TEST_TMPDIR sources=(-b "$binary")
			"$2"
		done
	done
}

@test "a current_thread runtime: ids, states, sites, futures" { each current compare_tasks; }
@test "1,000 tasks over all shards: ids, states, sites, futures" { each many compare_tasks; }
@test "several runtimes: ids, states, sites, futures" { each runtimes compare_tasks; }
@test "all shapes of futures: ids, states, sites, names" { each shapes compare_tasks; }
@test "all states: idle, queued, running, never polled, aborted" { each states compare_tasks; }
@test "several runtimes: each task under its own" { each runtimes compare_runtimes; }
@test "running tasks: the thread that polls them" { each states compare_lwps; }
@test "sizes of futures, boxed ones too" { each shapes compare_sizes; }
@test "who joins whom" { each runtimes compare_joins; }

# The table of the description: states, sites and futures from the program, waits by their words.
description_rows()
{
	run -0 --separate-stderr hansei-tasks -c "$core" -b "$binary" --no-cache -o table
	[ -z "$stderr" ]
	[ "${lines[0]%% *}" = ID ]
	[ "${lines[11]}" = "[10 tasks]" ]
	number='[0-9]+' address='0x[0-9a-f]+'
	waits=(
		"io fd $number \(readable\)"
		"the semaphore at $address: 1 permit requested, 0 available; wake queue: task 4"
		"a tokio::sync::Mutex \(semaphore $address\): 1 permit requested, 0 available; wake queue: task 5"
		"future tokio::sync::oneshot::Receiver<\(\)>"
		"future futures_util::stream::futures_unordered::FuturesUnordered<hansei_example::probe>"
		"timer \(deadline $number\.[0-9]{3}s on the target's monotonic clock\)"
		"future tokio::util::idle_notified_set::IdleNotifiedSet<tokio::runtime::task::join::JoinHandle<usize>>"
		"future tokio::sync::notify::Notified"
		"future tokio::sync::notify::Notified"
		"future tokio::sync::notify::Notified"
	)
	names=(listener producer dispatcher reloader fanout heartbeat supervisor worker worker worker)
	for i in 0 1 2 3 4 5 6 7 8 9; do
		site=$(awk -F '\t' -v id=$((i + 3)) '$1 == "task" && $2 == id { print $5 }' "$truth")
		[[ "${lines[i + 1]}" =~ ^$((i + 3))\ +idle\ +$site\ +${waits[i]}.*\ async\ fn\ hansei_example::${names[i]}$ ]] ||
			{ echo "row $i: ${lines[i + 1]}"; false; }
	done
}
@test "the example's table is the description's, row by row" { each example description_rows; }

@test "filters, groups, limits and columns" {
	need_core example release kernel
	tasks() { run -0 --separate-stderr hansei-tasks -c "$core" -b "$binary" --no-cache -o table "$@"; }
	tasks --with type worker
	[ "${lines[4]}" = "[3 tasks]" ] && [ "${#lines[@]}" -eq 5 ]
	tasks --with type worker --without id 11
	[ "${lines[3]}" = "[2 tasks]" ]
	tasks --group state
	[[ "${lines[0]}" =~ ^COUNT\ +STATE\ +TASKS$ ]] && [[ "${lines[1]}" =~ ^\ *10\ +idle\ +3,\ 4,\ 5,\ …$ ]]
	[ "${lines[2]}" = "[1 group]" ]
	tasks --limit 2
	[ "${lines[3]}" = "[10 tasks, 2 shown]" ]
	tasks --limit 0
	[ "$output" = "[10 tasks, 0 shown]" ]
	tasks --columns id,future --with future heartbeat
	[[ "${lines[1]}" =~ ^8\ +async\ fn\ hansei_example::heartbeat$ ]]
	run -2 hansei-tasks -c "$core" -b "$binary" --with colour red
	[[ "$output" == *"no field 'colour'"* ]]
}

@test "references: blocks, records, unknown ones in place" {
	need_core example release kernel
	run -0 hansei-tasks -c "$core" -b "$binary" --no-cache 5
	[ "${lines[0]}" = "task 5" ]
	[ "${lines[1]}" = "    state: idle" ]
	[ "${lines[2]}" = "    thread: <none>" ]
	[ "${lines[3]}" = "    type: async fn hansei_example::dispatcher" ]
	site=$(awk -F '\t' '$2 == 5 { print $5 }' "$truth")
	[ "${lines[4]}" = "    awaiting at: $site" ]
	run -3 --separate-stderr hansei-tasks -c "$core" -b "$binary" --no-cache -o json task/5 999 7
	[ "$(printf '%s\n' "$output" | jq -r .ref)" = "task/5
task/7" ]
	[ "$stderr" = "hansei-tasks: no task 999 (10 tasks)" ]
	run -1 hansei-tasks -c "$core" -b "$binary" --no-cache 999
	refs=$(hansei-tasks -c "$core" -b "$binary" --no-cache -o tsv --with type worker | hansei-tasks -c "$core" -b "$binary" --no-cache -o json | jq -r .id)
	[ "$refs" = "10
11
12" ]
}
