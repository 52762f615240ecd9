# hansei-futures and what a task holds, against what the programs say of themselves.

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

futures() { run -0 --separate-stderr hansei-futures -c "$core" -b "$binary" --no-cache "$@"; }
tasks() { run -0 --separate-stderr hansei-tasks -c "$core" -b "$binary" --no-cache "$@"; }

# task_of NAME: the id of the task that runs it.
task_of() { awk -F '\t' -v name="$1" '$1 == "task" && $4 == name { print $2; exit }' "$truth"; }

@test "futures held in every kind of container" { each held compare_futures; }
@test "the tasks that hold them" { each held compare_tasks; }
@test "runtimes and sets that nobody is inside, and blocking tasks" { each hidden compare_tasks; }
@test "each of their tasks under its owner" { each hidden compare_runtimes; }
@test "the thread that is inside a LocalSet" { each hidden compare_lwps; }
@test "who joins a task that no list has" { each hidden compare_joins; }

# A task's two counts are those of the listing.
counts_agree()
{
	tasks -o json
	jq -r '[.ref, .holds] | @tsv' <<<"$output" | sort >"$BATS_TEST_TMPDIR/counts"
	jq -r .ref <<<"$output" >"$BATS_TEST_TMPDIR/tasks"
	futures -o json
	jq -r 'select(.kind == "local" and .via == null) | .task' <<<"$output" |
		awk '{ n[$1]++ } END { while ((getline line < tasks) > 0) print line "\t" n[line] + 0 }' \
			tasks="$BATS_TEST_TMPDIR/tasks" | sort | diff "$BATS_TEST_TMPDIR/counts" -
}
@test "holds of a task is the number of its rows" { each held counts_agree; each hidden counts_agree; each example counts_agree; }

# Of a find as well: what it holds stands below it.
inner_counts_agree()
{
	futures -o json
	jq -es 'map(select(.kind == "local" and .via != null)) as $inner |
		all(.[]; . as $f | .holds == ($inner | map(select(.via == $f.ref)) | length))' <<<"$output" >/dev/null
}
@test "holds of a future is the number of those inside it" { each held inner_counts_agree; }

joinset_block()
{
	local id
	id=$(task_of "async fn held::join_set")
	tasks "$id"
	[[ "$output" == *"
    held futures: 0
    join sets: 1 (3 tasks)" ]]
	tasks --children "$id"
	[[ "$output" == *"    join sets: 1 (3 tasks)
        - tokio::task::join_set::JoinSet<u32> at 0x"*", \`workers\`): 3 tasks
            task "*"  async fn held::sleeper  idle"* ]]
	tasks "$(task_of "async fn held::unordered")"
	[[ "$output" == *"join sets: 1 (4 futures)" ]]
	tasks "$(task_of "async fn held::maps")"
	[[ "$output" == *"held futures: 25
    join sets: 0" ]]
	tasks --children "$(task_of "async fn held::nested")"
	[[ "$output" == *"join sets: 1 (2 futures)"*"2 children in flight"*"async fn held::branch"*"- futures_util::"*", \`twigs\`)"*"async fn held::leaf"* ]]
}
@test "a task's block: held futures and join sets, and what is in them" { each held joinset_block; }

@test "the example: the children of its FuturesUnordered, its JoinSet's tasks" {
	need_core example release kernel
	futures -o table
	[[ "${lines[0]}" =~ ^ADDR\ +TASK\ +HELD\ IN\ +STATE\ +WAITING\ ON\ +FUTURE$ ]]
	[ "${lines[4]}" = "[3 futures]" ]
	for i in 1 2 3; do
		[[ "${lines[i]}" =~ ^0x[0-9a-f]+\ +7\ +set\ 0x[0-9a-f]+\ +Suspend0\ —\ src/main.rs:[0-9]+\ +timer\ \(deadline\ .*\)\ +async\ fn\ hansei_example::probe$ ]]
	done
	tasks 9
	[[ "$output" == *"join sets: 1 (3 tasks)"* ]]
}

@test "blocks of futures, by address and from a pipe" {
	need_core held release kernel
	local id ref
	futures -o json --with local outermost
	ref=$(jq -r .ref <<<"$output")
	id=$(task_of "async fn held::inside")
	futures "$ref"
	[ "${lines[0]}" = "future ${ref#future/}" ]
	[ "${lines[1]}" = "    type: async fn held::outer" ]
	[ "${lines[2]}" = "    held by: task $id (frame 1, \`outermost\`)" ]
	[[ "${lines[3]}" == "    state: Suspend1 — held/src/main.rs:"* ]]
	[ "${lines[4]}" = "    depth: 2 frames" ]
	[ "${lines[5]}" = "    waiting on: never ready" ]
	[ "${lines[6]}" = "    armed: no" ]
	[ "${lines[7]}" = "    held futures: 1" ]
	[[ "${lines[8]}" == *"(frame 1, \`inner\`): 0x"*"  async fn held::leaf  Suspend0 — held/src/main.rs:"* ]]
	run -0 bash -c "hansei-futures -c '$core' -b '$binary' --no-cache -o tsv --with kind set --with task $(task_of "async fn held::unordered") |
		hansei-futures -c '$core' -b '$binary' --no-cache"
	[ "$(grep -c '^    child of: futures_util::.*, polled by task' <<<"$output")" -eq 4 ]
	run -1 hansei-futures -c "$core" -b "$binary" --no-cache 0x1234
	[ "$output" = "hansei-futures: no held future at 0x1234 ($(grep -c ^held "$truth") futures)" ]
	run -2 hansei-futures -c "$core" -b "$binary" --no-cache --with colour red
	[[ "$output" == *"no field 'colour'"* ]]
}

@test "filters and groups of futures" {
	need_core held release kernel
	futures -o table --with armed yes
	[ "${lines[3]}" = "[2 futures]" ]
	futures -o table --group kind
	[[ "${lines[0]}" =~ ^COUNT\ +KIND\ +FUTURES$ ]]
	[ "${lines[3]}" = "[2 groups]" ]
	futures -o tsv --group local
	[ "$(awk -F '\t' '$1 == "tree" { print $2 }' <<<"$output")" -eq 22 ]
	futures -o table --limit 3
	[ "${lines[4]}" = "[$(grep -c ^held "$truth") futures, 3 shown]" ]
}

@test "the manual pages" {
	command -v mandoc >/dev/null || skip "mandoc is not installed"
	mandoc -T lint -W warning "$harness_root/man/hansei-futures.1" "$harness_root/man/hansei-census.1"
}
