# hansei-census: its totals are those of the listings.

load ../harness.sh

each()
{
	local profile kind
	for profile in dev release; do
		for kind in gcore kernel; do
			need_core "$1" "$profile" "$kind"
			echo "# $1 $profile $kind" # shown when it fails
			"$2"
		done
	done
}

census() { run -0 --separate-stderr hansei-census -c "$core" -b "$binary" --no-cache "$@"; }
count() { "$1" -c "$core" -b "$binary" --no-cache --no-header -o tsv "${@:2}" | wc -l; }

totals_agree()
{
	local futures
	census -o json
	[ -z "$stderr" ]
	page=$output
	of() { jq -r "select(.section == \"$1\") | $2" <<<"$page"; }
	[ "$(of tasks .total)" -eq "$(count hansei-tasks)" ]
	[ "$(of tasks '[.states[].count] | add')" -eq "$(of tasks .total)" ]
	[ "$(of tasks '[.types[].count] | add')" -eq "$(of tasks .total)" ]
	[ "$(of tasks '[.types[].waiting_on[].count] | add')" -eq "$(of tasks .total)" ]
	futures=$(count hansei-futures)
	[ "$(of futures '.held_in.frame + .held_in.set')" -eq "$futures" ]
	[ "$(of futures .held_in.set)" -eq "$(count hansei-futures --with kind set)" ]
	[ "$(of futures '[.types[].count] | add // 0')" -eq "$futures" ]
	[ "$(of futures .total)" -eq "$(of futures '.held_in.task + .held_in.frame + .held_in.set')" ]
	[ "$(of threads '[.rows[].count] | add')" -eq "$(of threads .total)" ]
	[ "$(of threads .total)" -eq "$(gdb_thread_count "$core")" ]
	for state in $(of tasks '.states[].state' | grep -v ' '); do
		[ "$(of tasks ".states[] | select(.state == \"$state\").count")" -eq "$(count hansei-tasks --with state "^$state\$")" ]
	done
}
@test "totals equal the listings" {
	for program in example held hidden states runtimes; do
		each "$program" totals_agree
	done
}

@test "the page of the description" {
	need_core example release kernel
	census
	[[ "${lines[0]}" =~ ^Threads:\ 3\ lwps,\ 3\ in\ runtime\ 0\ @\ 0x[0-9a-f]+$ ]]
	[[ "${lines[1]}" =~ ^COUNT\ +RT\ +ROLE\ +STATE\ +LWPS$ ]]
	[[ "$output" =~ $'\n'"    1  0   worker           in driver        "[0-9]+$'\n' ]]
	[[ "$output" =~ $'\n'"    1  0   worker           parked           "[0-9]+$'\n' ]]
	[[ "$output" =~ $'\n'"    1  0   entered runtime  block_on caller  "[0-9]+$'\n' ]]
	[[ "$output" == *"
    0  0   blocking pool    0 idle, 0 busy   —
[3 lwps]

Tasks: 10 owned by runtime 0 @ 0x"*"

COUNT  STATE
   10  idle
[10 tasks]

COUNT  TYPE / WAITING ON
    3  async fn hansei_example::worker
       └─ 3  "*"
    1  async fn hansei_example::dispatcher
       └─ 1  mutex
"*"
    3  (3 more types)
[8 types, 5 shown]

Futures: 13 in flight, on "*" await-chain frames, up to 6 deep

COUNT  HELD IN
   10  task (its own await chain)
    0  frame (off any await chain)
    3  set (1 FuturesUnordered)
[13 futures]

COUNT  TYPE / WAITING ON
    3  async fn hansei_example::probe
[1 type]" ]]
}

@test "sections by name, and a limit" {
	need_core states release kernel
	census --threads
	[[ "${lines[0]}" == Threads:* ]] && [[ "$output" != *Tasks:* ]] && [[ "$output" != *Futures:* ]]
	census --tasks --futures --limit 1
	[[ "${lines[0]}" == Tasks:* ]] && [[ "$output" == *"
[9 types, 1 shown]"* ]]
	census --limit 100
	[[ "$output" == *"
[9 types]"* ]]
	census -o tsv
	[ "${lines[0]}" = $'section\tkey\tcount\ttext' ]
	run -2 hansei-census -c "$core" -b "$binary" 7
	run -2 hansei-census -c "$core" -b "$binary" --limit x
}

thread_roles()
{
	local lwp id
	census --threads
	while IFS=$'\t' read -r _ id _ _ _ rest; do
		lwp=$(truth_field "$rest" lwp)
		[[ "$output" == *"$lwp (task $id)"* ]]
	done < <(grep $'^task\t[0-9]*\trunning' "$truth")
	lwp=$(awk -F '\t' '$1 == "thread" && $3 == "blocking" { print $2 }' "$truth")
	[[ "$output" =~ "blocking pool    0 idle, 1 busy  $lwp" ]]
}
@test "threads: who polls which task, which thread is the pool's" { each states thread_roles; }

hidden_owners()
{
	census --threads --tasks
	[[ "$output" == *"4 in 6 runtimes"* ]]
	[[ "$output" == *"Tasks: 15 owned by 6 runtimes and 2 local sets"* ]]
	[[ "$output" == *"0 idle, 1 busy, 3 queued"* ]]
}
@test "runtimes nobody is inside, a LocalSet, a full pool" { each hidden hidden_owners; }
