# hansei-trace against what the programs say of their chains. The comparisons run over dev and release builds, and
# over cores of gcore and of the kernel.

load ../harness.sh

setup()
{
	cd "$BATS_TEST_TMPDIR"
}

# each PROGRAM FUNCTION: calls it with core, binary and truth set to each of the four.
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

# trace ARGUMENT...: of the core at hand.
trace()
{
	hansei-trace -c "$core" -b "$binary" "$@"
}

# task_of NAME: the id of the first task whose future has this name.
task_of()
{
	awk -F '\t' -v name="$1" '$1 == "task" && $4 == name { print $2; exit }' "$truth"
}

# The chains as the program has them, as lines of `task branch position kind-and-name site`; the position counts from
# the outermost, the branch is empty for the chain itself. Futures that wait forever by themselves are left out.
expected_chains()
{
	awk -F '\t' -v OFS='\t' '
		function value(key,    i) {
			for (i = 5; i <= NF; i++)
				if (index($i, key "=") == 1)
					return substr($i, length(key) + 2)
			return ""
		}
		function put(id, branch, name, site) {
			if (loose[id])
				sub(/<.*/, "", name)
			if (site == "-")
				site = ""
			print id, branch, count[id, branch]++, name, site
		}
		function put_all(id, name, site,    branch, parts, n, i) {
			branch = value("branch")
			put(id, branch, name, site)
			n = split(value("through"), parts, / \| /)
			for (i = 1; i <= n; i++)
				if (parts[i] !~ /^future core::future::pending::Pending</)
					put(id, branch, parts[i], "")
		}
		{ tasks = FNR == NR }
		tasks && $1 == "task" {
			loose[$2] = value("loose")
			hidden[$2] = value("endless") != "" || /owned=0/ || /running/ || /undriven/ || $4 ~ /Pending/
			if (!hidden[$2])
				put_all($2, $4, $5)
		}
		!tasks && $1 == "frame" && !hidden[$2] { put_all($2, $3, $4) }
	' "$truth" "$truth" | sort
}

# The same of our TSV: without what tokio awaits inside its own functions; of branches those that the program has
# something to say of.
our_chains()
{
	awk -F '\t' -v OFS='\t' -v own="${1:-}/" '
		FILENAME == "loose" { loose[$1] = 1; next }
		FILENAME == "expected" { wanted[$1, $2] = 1; next }
		$1 == "ref" { next }
		$5 ~ /^core::future::pending::Pending</ || ($4 ~ /^async/ && index($6, own) != 1 && $7 ~ /^Suspend/) { next }
		{
			split($2, task, "/")
			branch = ""
			if (split($1, parts, ":") > 2)
				next
			if (parts[2] != "") {
				split(parts[2], number, ".")
				branch = number[1]
			}
			if (!((task[2], branch) in wanted))
				next
			name = $4 " " $5
			if (task[2] in loose)
				sub(/<.*/, "", name)
			line[++n] = task[2] OFS branch OFS "%d" OFS name OFS $6
			key[n] = task[2] SUBSEP branch
			total[key[n]]++
		}
		END { for (i = 1; i <= n; i++) printf line[i] "\n", --total[key[i]] }
	' loose expected - | sort
}

compare_chains()
{
	expected_chains >expected
	[ "$(wc -l <expected)" -gt 20 ]
	awk -F '\t' '/loose=1/ { print $2 }' "$truth" >loose
	echo none >>loose
	cut -f 1 expected | sort -un >ids
	# shellcheck disable=SC2046
	trace -o tsv $(cat ids) >tsv
	our_chains "$program" <tsv >ours
	"${1:-true}"
	diff expected ours
}

# shapes has nothing to say of the futures that macros make, and calls all that is no coroutine a future.
shapes_plain()
{
	grep -v 'core::future::poll_fn::PollFn<' ours |
		sed 's/	\(select\|join\) /	future /; s/::{async_closure_env#0}//' >plain
	mv plain ours
}

shapes_compare()
{
	compare_chains shapes_plain
}

compare_branches()
{
	awk -F '\t' -v OFS='\t' 'match($0, /branches=[a-z,]+/) { print "task/" $2, substr($0, RSTART + 9, RLENGTH - 9) }' \
		"$truth" | sort >expected
	[ -s expected ]
	sed 's/\t.*//' expected | trace -o json |
		jq -r '[.ref, (.frames | map(.branch_states // empty) | first | join(","))] | @tsv' | sort | diff expected -
}

@test "every chain of shapes is the program's own" { program=shapes each shapes shapes_compare; }
@test "every chain of chains is the program's own" { program=chains each chains compare_chains; }
@test "branches are armed or done as the program says" { each chains compare_branches; }

compare_words()
{
	local id
	id=$(task_of "async fn hansei_example::dispatcher")
	run -0 --separate-stderr trace "$id"
	[ -z "$stderr" ]
	printf '%s\n' "$output" | sed 's/0x[0-9a-f]*/0x…/' >ours
	site=$(grep "^task	$id	" "$truth" | cut -f 5)
	lock=$(sed -n 's/^      awaiting at \(tokio.*mutex.rs:[0-9]*\) .*/\1/p' ours | paste -sd ' ' -)
	set -- $lock
	[ $# -eq 3 ]
	diff - ours <<-END
		#0  future        tokio::sync::batch_semaphore::Acquire
		      waiting on a tokio::sync::Mutex (semaphore 0x…): 1 permit requested, 0 available; wake queue: task 5
		#1  async fn      tokio::sync::mutex::Mutex::acquire<hansei_example::Config>
		      awaiting at $1 (Suspend1, 0 locals)
		#2  async block   tokio::sync::mutex::Mutex::lock::{async_fn#0}<hansei_example::Config>
		      awaiting at $2 (Suspend0, 0 locals)
		#3  async fn      tokio::sync::mutex::Mutex::lock<hansei_example::Config>
		      awaiting at $3 (Suspend0, 0 locals)
		#4  async fn      hansei_example::dispatcher
		      awaiting at $site (Suspend1, 7 locals)
	END
}

@test "the dispatcher's trace is that of the description, to the letter" { each example compare_words; }

@test "leaves of the example: timer, io, semaphore, set" {
	need_core example release kernel
	[[ "$(trace 8)" == *"waiting on timer (deadline "*"s on the target's monotonic clock)"* ]]
	[[ "$(trace 3)" == *"waiting on io fd "*" (readable)"* ]]
	[[ "$(trace 4)" == *"waiting on the semaphore at 0x"*": 1 permit requested, 0 available; wake queue: task 4"* ]]
	[ "$(trace 7 | sed -n 1,2p)" = "#0  future        futures_util::stream::futures_unordered::FuturesUnordered<hansei_example::probe>
      (<no_state>, 3 locals)" ]
}

@test "one reference has no heading, several have one each, with an empty line between" {
	need_core example release kernel
	[[ "$(trace 8)" == "#0  future        tokio::time::sleep::Sleep"* ]]
	[ "$(trace 8 task/7 | grep -v '^[ #]')" = "task 8

task 7" ]
}

@test "what comes through a pipe is headed, as --exec does" {
	need_core example release kernel
	hansei-tasks -c "$core" -b "$binary" --with type dispatcher >list
	[ "$(trace <list | head -n 1)" = "task 5" ]
	hansei-tasks -c "$core" -b "$binary" -o json | jq -c 'select(.waiting_on.kind == "mutex")' >list
	[ "$(trace <list | head -n 2)" = "task 5
#0  future        tokio::sync::batch_semaphore::Acquire" ]
}

@test "TSV: the fields of the records, absent ones empty" {
	need_core example release kernel
	[ "$(trace -o tsv 8 | head -n 1)" = "ref	task	index	kind	name	awaiting	state	locals" ]
	[[ "$(trace -o tsv 8 | sed -n 2p)" == "frame/8.0	task/8	0	future	tokio::time::sleep::Sleep			"* ]]
	[[ "$(trace -o tsv --no-header 8 | tail -n 1)" == \
		"frame/8.1	task/8	1	async fn	hansei_example::heartbeat	src/main.rs:"*"	Suspend0	2" ]]
}

@test "JSON: one object per reference, jq finds its way" {
	need_core example release kernel
	trace -o json 5 8 >json
	[ "$(wc -l <json)" -eq 2 ]
	[ "$(jq -r .ref json | paste -sd ' ' -)" = "task/5 task/8" ]
	jq -es '.[0] | .complete and .stopped == null and (.frames | length) == 5
		and .frames[0].waiting_on.kind == "mutex" and .frames[0].waiting_on.queue == ["task/5"]
		and (.frames[1:] | all(.waiting_on == null)) and .frames[4].locals == 7 and .frames[4].index == 4
		and .frames[4].kind == "async fn" and .frames[4].state == "Suspend1" and .frames[4].dyn == false
		and .frames[4].type == "hansei_example::dispatcher::{async_fn_env#0}"
		and (.frames[4].address | test("^0x[0-9a-f]+$"))' json
	jq -es '.[1] | .frames[0].waiting_on.deadline_ns > 0' json
}

@test "JSON: branches are arrays of frames with references that are taken back" {
	need_core chains release kernel
	id=$(task_of "async fn chains::nested_forks")
	trace -o json "$id" >json
	jq -e --arg id "$id" '.frames[0] | .kind == "join" and (.branches | length) == 2
		and .branches[0][0].kind == "select" and .branches[0][0].ref == "frame/\($id).0:0.0"
		and .branches[0][0].branches[1][0].ref == "frame/\($id).0:0.0:1.0"
		and .branches[0][0].branches[1][0].waiting_on.kind == "timer"' json
	jq -r '.. | objects | .ref? // empty' json >refs
	[ "$(wc -l <refs)" -ge 9 ]
	while read -r ref; do
		[ "$(trace -o json "$ref" | jq -r '.ref, .frames[-1].ref' | sort -u)" = "$ref" ]
		[ "$ref" = "task/$id" ] || [ "$(trace -o tsv --no-header "$ref" | tail -n 1 | cut -f 1)" != "" ]
	done < <(grep frame refs)
}

@test "a frame is traced from there on, under the numbers of its chain" {
	need_core example release kernel
	[ "$(trace frame/5.2)" = "$(trace 5 | head -n 6)" ]
	[ "$(trace -o json frame/5.2 | jq -r '.ref, .frames[].ref' | paste -sd ' ' -)" = \
		"frame/5.2 frame/5.0 frame/5.1 frame/5.2" ]
}

@test "a frame's address finds it on its chain, and so does one inside it" {
	need_core example release kernel
	address=$(trace -o json 5 | jq -r '.frames[1].address')
	for ref in "$address" "future/$address"; do
		[ "$(trace -o json "$ref" | jq -r '.ref, .frames[].ref' | paste -sd ' ' -)" = \
			"future/$address frame/$address.0 frame/$address.1" ]
	done
	[ "$(trace "$address" | sed -n 1,2p)" = \
		"future $address: async fn tokio::sync::mutex::Mutex::acquire<hansei_example::Config>
Awaited by: task 5, frame/5.1" ]
	[ "$(trace "frame/$address.1" | tail -n 4)" = "$(trace 5 | head -n 4)" ]
	# The last byte of the task's future lies in no other frame than the outermost, or in one inside it.
	root=$(trace -o json 5 | jq -r '.frames[4].address')
	size=$(hansei-tasks -c "$core" -b "$binary" -o json 5 | jq .size)
	inside=$(trace -o json "$(printf '0x%x' $((root + size - 1)))" | jq -r '.frames[-1].address')
	trace -o json 5 | jq -e --arg inside "$inside" '[.frames[].address] | index($inside)'
	header=$(hansei-tasks -c "$core" -b "$binary" -o json 5 | jq -r .address)
	[ "$(trace "$header")" = "$(trace 5)" ]
	[ "$(trace "task/$header")" = "$(trace 5)" ]
}

@test "branches are found by address, too" {
	need_core chains release kernel
	id=$(task_of "async fn chains::joining")
	address=$(trace -o json "$id" | jq -r '.frames[0].branches[2][-1].address')
	[ "$(trace -o json "$address" | jq -r '.frames[-1].name')" = chains::branch ]
	[[ "$(trace "$address")" == *"Awaited by: task $id, frame/$id.0:2.1"* ]]
}

@test "a running task: a warning, then its chain; its thread leads to it" {
	need_core states release kernel
	id=$(task_of "async fn states::spinner")
	lwp=$(awk -F '\t' -v id="$id" '$1 == "task" && $2 == id && match($0, /lwp=[0-9]+/) { print substr($0, RSTART + 4, RLENGTH - 4) }' "$truth")
	run -0 --separate-stderr trace "$id"
	[ "$stderr" = "warning: task $id is running on lwp $lwp; its state may be torn" ]
	[[ "$output" == *"async fn      states::spinner"* ]]
	[[ "$output" != *"waiting on"* ]]
	[ "$(trace "thread/$lwp" 2>&1)" = "$(trace "$id" 2>&1)" ]
}

@test "a thread without a task, and one that does not exist" {
	need_core states release kernel
	main=$(awk -F '\t' '$1 == "thread" && $3 == "main" { print $2 }' "$truth")
	run -1 trace "thread/$main"
	[[ "$output" == "hansei-trace: "*"thread $main"* ]]
	run -1 trace thread/999999999
	[[ "$output" == "hansei-trace: no thread 999999999"* ]]
}

@test "a task that was never polled says where it is written" {
	need_core states release kernel
	id=$(awk -F '\t' '$1 == "task" && /polled=0/ && !/undriven/ { print $2 }' "$truth")
	[ "$(trace "$id" | head -n 1)" = "#0  async fn      states::fresh" ]
	[[ "$(trace "$id" | tail -n 1)" == "      state Unresumed — states/src/main.rs:"* ]]
}

@test "finished tasks, known only to their handles: a sentence" {
	need_core states release kernel
	keeper=$(trace -o json "$(task_of "async fn states::keeper")" | jq -r '.frames[-1].address')
	count=0
	# The handles lie in its future: words that point at headers of tasks that no list has.
	size=$(hansei-tasks -c "$core" -b "$binary" -o json "$(task_of "async fn states::keeper")" | jq .size)
	for word in $(dd if="$core" bs=1 skip="$(place_of "$keeper")" count="$size" status=none | od -An -v -w8 -tx8 | sort -u); do
		run --separate-stderr trace "task/0x$(printf '%s' "$word" | sed 's/^0*//')"
		[ "$status" -eq 0 ] || continue
		[[ "$output" == "task "[34]" has finished; its output "* ]]
		[ "$(trace -o json "task/0x$word" | jq -c '[.frames, .complete, .stopped]')" = "[[],true,null]" ]
		count=$((count + 1))
	done
	[ "$count" -eq 2 ]
}

@test "--limit: that many frames and how many there are" {
	need_core chains release kernel
	id=$(task_of "async fn chains::deep")
	[ "$(trace -l 2 "$id" | grep -c '^#')" -eq 2 ]
	[ "$(trace -l 2 "$id" | tail -n 1)" = "[101 frames, 2 shown]" ]
	[ "$(trace -l 0 "$id")" = "[101 frames, 0 shown]" ]
	[ "$(trace -l 101 "$id" | tail -n 1)" = "$(trace "$id" | tail -n 1)" ]
	run -0 --separate-stderr trace -l 2 -o json "$id"
	[ "$(printf '%s' "$output" | jq '.frames | length')" -eq 2 ]
	[ "$stderr" = "hansei-trace: task/$id: 101 frames, 2 shown" ]
	[ "$(trace -l 3 -o tsv --no-header "$id" 2>/dev/null | wc -l)" -eq 3 ]
}

@test "a chain longer than anybody follows is cut, with a note above it" {
	need_core chains release kernel
	id=$(task_of "async fn chains::too_deep")
	run -0 --separate-stderr trace "$id"
	[ "${lines[0]}" = "note: the chain is cut after 256 frames" ]
	[[ "${lines[1]}" == "#0    async fn      chains::too_deep" ]]
	[ -z "$stderr" ]
	trace -o json "$id" | jq -e '(.complete | not) and .stopped == "the chain is cut after 256 frames"'
	trace -o tsv "$id" 2>&1 >/dev/null | grep -q "^warning: task/$id: the chain is cut"
}

@test "futures by hand: what is told by shape is marked so, and what is not known is said" {
	need_core chains release kernel
	id=$(task_of "async fn chains::hand::wrapping")
	[ "$(trace -o json "$id" | jq -c '[.frames[] | .inferred]')" = "[false,true,false,false]" ]
	trace "$id" | grep -q '^#1  async fn      chains::leaf \[inferred\]$'
	id=$(task_of "async fn chains::hand::leafless")
	[ "$(trace "$id" | head -n 1)" = "note: what chains::hand::Opaque polls is not known" ]
}

@test "--verbose lists locals and the other suspend points" {
	need_core example release kernel
	trace -v 5 >verbose
	grep -q '^      locals:$' verbose
	grep -q '^        config: alloc::sync::Arc<tokio::sync::mutex::Mutex<hansei_example::Config>' verbose
	grep -q '^      other suspend points:$' verbose
	grep -Eq '^        Suspend0 — src/main.rs:[0-9]+ \([0-9]+ locals?\) → ' verbose
	[ "$(grep '^[# ]  *\(#\|await\|wait\)\|^#' verbose)" = "$(trace 5)" ]
	locals=$(awk '/hansei_example::dispatcher/ { on = 1 } on && /^        [a-z_]*: / && !/moved out/ { n++ } /other suspend/ { on = 0 } END { print n }' verbose)
	[ "$locals" -eq 7 ]
}

@test "an unknown reference is reported in its place, the others are answered" {
	need_core example release kernel
	run -3 --separate-stderr trace 8 999 7
	[ "$stderr" = "hansei-trace: no task 999 (10 tasks)" ]
	[ "$(printf '%s\n' "$output" | grep '^task')" = "task 8
task 7" ]
	run -1 --separate-stderr trace 999
	[ -z "$output" ]
	for ref in frame/5.9 frame/5.0:0.0 future/0x10 0x10 frame/0x10.0 task/0x10 runtime/0 mutex/0x10 nonsense; do
		run -3 --separate-stderr trace "$ref" 8
		[[ "$stderr" == "hansei-trace: "* ]] || { echo "$ref: $stderr"; false; }
		[ "$(printf '%s\n' "$stderr" | wc -l)" -eq 1 ]
	done
}

@test "wrong usage" {
	need_core example release kernel
	run -2 trace </dev/null
	[[ "$output" == *"no reference"* ]]
	run -2 trace --limit x 5
	[[ "$output" == *"--limit: 'x' is not a number"* ]]
	run -2 trace -o xml 5
	run -2 hansei-trace -b "$binary" 5
}

# place_of ADDRESS: its offset in the core file.
place_of()
{
	readelf -lW "$core" | awk '$1 == "LOAD" { print $2, $3, $5 }' |
		while read -r offset address size; do
			if [ $(($1)) -ge $((address)) ] && [ $(($1)) -lt $((address + size)) ]; then
				echo $((offset + $1 - address))
			fi
		done
}

# word_put ADDRESS VALUE: changes a word of the core at hand.
word_put()
{
	local bytes='' i
	for ((i = 0; i < 8; i++)); do
		bytes+=$(printf '\\x%02x' $(($2 >> (8 * i) & 255)))
	done
	printf "$bytes" | dd of="$core" bs=1 seek="$(place_of "$1")" conv=notrunc status=none
}

# pointer_in FROM SIZE VALUE: the address of the word in this stretch of memory that has the value.
pointer_in()
{
	local at
	at=$(dd if="$core" bs=1 skip="$(place_of "$1")" count="$2" status=none | od -An -v -w8 -tx8 |
		awk -v value="$(printf '%016x' $(($3)))" '$1 == value { print NR - 1; exit }')
	[ -n "$at" ] && printf '0x%x\n' $(($1 + 8 * at))
}

# A copy of the core of chains in which the third frame of the recursion leads elsewhere: to VALUE, or to its holder.
deep_damaged()
{
	need_core chains release kernel
	cp "$core" copy
	core=$PWD/copy
	id=$(task_of "async fn chains::deep")
	trace -o json "$id" >json
	holder=$(jq -r '.frames[-3].address' json)
	child=$(jq -r '.frames[-4].address' json)
	at=$(pointer_in "$holder" 32 "$child")
	word_put "$at" "${1:-$holder}"
}

@test "a chain that bites its tail: what decoded, the reason, status 3" {
	deep_damaged
	run -3 --separate-stderr trace "$id"
	[ "$(printf '%s\n' "$output" | grep -c '^#')" -eq 3 ]
	[ "${lines[0]}" = "note: the chain comes back to $holder" ]
	[ "$(trace -o json "$id" | jq -c '[.complete, .stopped, (.frames | length)]')" = \
		"[false,\"the chain comes back to $holder\",3]" ]
}

@test "a chain into memory that is not there" {
	deep_damaged 0x1000
	run -3 --separate-stderr trace "$id"
	[[ "${lines[0]}" == "note: 0x1"*" cannot be read" ]]
	[ "$(printf '%s\n' "$output" | grep -c '^#')" -ge 3 ]
	run -3 --separate-stderr trace "$id" 5 # the others are whole
	[[ "$output" == *"chains::mixed"* ]]
}

@test "a state that no coroutine has" {
	need_core example release kernel
	cp "$core" copy
	core=$PWD/copy
	root=$(trace -o json 8 | jq -r '.frames[-1].address')
	size=$(hansei-tasks -c "$core" -b "$binary" -o json 8 | jq .size)
	for ((i = 0; i + 8 <= size; i += 8)); do
		word_put "$(printf '0x%x' $((root + i)))" 0x7fffffffffffffff
	done
	run -3 --separate-stderr trace 8
	[[ "${lines[0]}" == "note: the state at 0x"*" is none that hansei_example::heartbeat has" ]]
	[ "${lines[1]}" = "#0  async fn      hansei_example::heartbeat" ]
}

@test "a trait object whose vtable is nobody's" {
	need_core chains release kernel
	cp "$core" copy
	core=$PWD/copy
	id=$(task_of "async fn chains::crates::boxed")
	trace -o json "$id" >json
	holder=$(jq -r '.frames[-1].address' json)
	child=$(jq -r '.frames[-2].address' json)
	at=$(pointer_in "$holder" 64 "$child")
	word_put "$(printf '0x%x' $((at + 8)))" "$holder"
	run --separate-stderr trace "$id"
	[ "$status" -eq 0 ]
	[[ "${lines[0]}" == "note: the vtable $holder of a trait object "* ]]
	[ "$(printf '%s\n' "$output" | grep -c '^#')" -eq 1 ]
}

@test "all tasks of a large core within a second" {
	need_core many release kernel
	trace 5 >/dev/null # fills the cache
	hansei-tasks -c "$core" -b "$binary" -o tsv >list
	start=$(date +%s%N)
	trace <list >all
	[ $((($(date +%s%N) - start) / 1000000)) -lt 1000 ]
	[ "$(grep -c '^task ' all)" -eq 1001 ]
}

@test "the examples of the manual page run" {
	command -v mandoc >/dev/null || skip "mandoc is not installed"
	mandoc -T lint -W warning "$harness_root/man/hansei-trace.1"
	need_core example release kernel
	cp "$core" core.1234
	export HANSEI_BINARY=$binary
	count=0
	awk '/^\.Sh EXAMPLES/ { on = 1 } /^\.Sh SEE/ { on = 0 }
	     on && /^\.Bd/ { block = 1; next } /^\.Ed/ { block = 0 } on && block' "$harness_root/man/hansei-trace.1" |
		sed 's/^\$ //; s/\\e/\\/g; s/\\(aq/'"'"'/g' | awk '{ printf "%s%s", (/^hansei/ && NR > 1) ? "\n" : " ", $0 } END { print "" }' >commands
	while read -r command; do
		run -0 bash -o pipefail -c "$command" </dev/null
		[ -n "$output" ]
		count=$((count + 1))
	done <commands
	[ "$count" -ge 4 ]
}
