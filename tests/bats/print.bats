#!/usr/bin/env bats
# hansei-print: every local of tests/programs/values against what the program said of it, the description's samples on
# the example, and cores with damage in them.

load ../harness.sh

setup_file()
{
	export XDG_CACHE_HOME=$BATS_FILE_TMPDIR/cache
	cc -std=c11 -o "$BATS_FILE_TMPDIR/poke" "$BATS_TEST_DIRNAME/../poke.c"
}

printer()
{
	hansei-print -c "$core" -b "$binary" "$@"
}

# compare FILE TRUTH: prints the locals of TRUTH whose value in the JSON lines of FILE is another, or is missing.
# Addresses are left out. One JSON value a line, so that no line is split by jq.
compare()
{
	awk -F '\t' '{ sub(/^r#/, "", $3); print "[\"" $3 "\"," $4 "]" }' "$2" >"$BATS_TEST_TMPDIR/want"
	jq -rn --slurpfile got "$1" --slurpfile want "$BATS_TEST_TMPDIR/want" '
		def clean: if type == "object" then with_entries(select(.key != "$address")) | map_values(clean)
			elif type == "array" then map(clean) else . end;
		($got | map({key: .path, value: .value}) | from_entries) as $values
		| $want[] | . as [$name, $value]
		| if ($values | has($name) | not) then "\($name) is missing"
		  elif ($values[$name] | clean) != $value then "\($name): \($values[$name]) and not \($value)" | .[0:400]
		  else empty end'
}

values_agree()
{
	need_core values "$1" "$2"
	local total=0 id
	for id in $(awk -F '\t' '$1 == "value" { print $2 }' "$truth" | sort -nu); do
		awk -F '\t' -v id="$id" '$1 == "value" && $2 == id && $4 != "\"unsaid\""' "$truth" >"$BATS_TEST_TMPDIR/truth"
		printer "task/$id" --frame 1 -o json >"$BATS_TEST_TMPDIR/got" 2>"$BATS_TEST_TMPDIR/said"
		[ ! -s "$BATS_TEST_TMPDIR/said" ]
		compare "$BATS_TEST_TMPDIR/got" "$BATS_TEST_TMPDIR/truth" >"$BATS_TEST_TMPDIR/differences"
		cat "$BATS_TEST_TMPDIR/differences"
		[ ! -s "$BATS_TEST_TMPDIR/differences" ]
		total=$((total + $(wc -l <"$BATS_TEST_TMPDIR/truth")))
	done
	[ "$total" -gt 300 ]
}

@test "values agree with serde_json in a release build's kernel core" { values_agree release kernel; }
@test "values agree with serde_json in a dev build's kernel core" { values_agree dev kernel; }
@test "values agree with serde_json in a release build's gcore" { values_agree release gcore; }

# values_task NAME: the id of the task of the async fn of this name; sets binary and core.
values_task()
{
	need_core values release kernel
	awk -F '\t' -v name="$1" '$1 == "task" && $4 ~ ("::" name "$") { print $2 }' "$truth"
}

# local_of FUNCTION NAME [OPTION...]: prints a local of that task.
local_of()
{
	local id
	need_core values release kernel
	id=$(values_task "$1")
	printer "task/$id" --frame 1 --path "$2" "${@:3}"
}

@test "print reads as in the description: frame 4, config.data.c" {
	need_core example release kernel
	run -0 printer frame/5.4 config.data.c
	diff <(printf '%s\n' "$output") - <<-'END'
		hansei_example::Config {
		    upstream: core::net::socket_addr::SocketAddr::V4 {
		        ip: 10.0.0.7,
		        port: 8080,
		    },
		    max_in_flight: 8,
		    retries: alloc::collections::btree::map::BTreeMap<alloc::string::String, u32, alloc::alloc::Global> {
		        "connect": 3,
		        "read": 1,
		        "write": 2,
		    },
		}
	END
}

@test "locals read as in the description: Arc, FuturesUnordered, cuts and labels" {
	need_core example release kernel
	run -0 printer frame/7.0
	masked=$(printf '%s\n' "$output" | sed 's/0x[0-9a-f]*/0x…/g; s/core::sync::atomic::Atomic[A-Za-z]*\(<[^>]*>\)\{0,1\}/ATOMIC/g' |
		sed 's/futures_util::stream::futures_unordered:://g; s/hansei_example::probe::{async_fn_env#0}/FUTURE/g')
	[[ $masked == *"= 0x… -> alloc::sync::ArcInner<ready_to_run_queue::ReadyToRunQueue<FUTURE>> {
      strong: 1,
      weak: 4,
      data: ready_to_run_queue::ReadyToRunQueue<FUTURE> { .. } @ 0x…,
  }"* ]]
	[[ $masked == *" = 0x… (task 7 via FuturesUnordered) -> task::Task<FUTURE> {
      future: core::cell::UnsafeCell<core::option::Option<FUTURE>> { .. } @ 0x… (task 7 via FuturesUnordered),
      next_all: task 7 via FuturesUnordered,
      prev_all: null,
      len_all: 3,"* ]]
	[[ $masked == *"      queued: ATOMIC { .. } @ 0x… (task 7 via FuturesUnordered),"* ]]
	[[ $masked == *"is_terminated: ATOMIC = 0" ]]
	run -0 printer frame/7.0 head_all.future
	[[ $output == "core::option::Option<hansei_example::probe::{async_fn_env#0}> = Some(3 {
    upstream: "* ]]
}

@test "messages in a channel are listed" {
	need_core example release kernel
	run -0 printer frame/5.4 jobs --depth 4
	[[ $output == *'capacity: 4,'*'free: 0,'*'queued: ['*'id: 2,'*'path: "/jobs/5",'* ]]
	run -0 printer frame/5.4 --path jobs -o json
	[ "$(printf '%s' "$output" | jq -c '[.value.queued[].id]')" = '[2,3,4,5]' ]
}

@test "references come from a pipe, with --frame and --path" {
	need_core example release kernel
	run -0 sh -c "hansei-tasks -c '$core' -b '$binary' --with type dispatcher -o tsv |
		hansei-print -c '$core' -b '$binary' --frame 4 --path config.data.c.max_in_flight -o tsv"
	[ "${lines[0]}" = "$(printf 'ref\tpath\ttype\taddress\tvalue')" ]
	[[ ${lines[1]} == "$(printf 'frame/5.4\tconfig.data.c.max_in_flight\tusize\t0x')"*"$(printf '\t8')" ]]
}

@test "paths: entries, ranges, elements, dereference" {
	need_core example release kernel
	run -0 printer frame/5.4 'config.data.c.retries[1].0'
	[ "$output" = 'alloc::string::String = "read"' ]
	run -0 printer frame/5.4 'config.upstream'
	[[ $output == *'::V4 {'* ]]
	run -0 printer frame/5.4 'config.data.c.retries[..].1'
	[ "$output" = "$(printf '[0] u32 = 3\n[1] u32 = 1\n[2] u32 = 2')" ]
	run -0 printer frame/5.4 'config.data.c.retries[3..]'
	[ "$output" = '0 values' ]
	run -0 local_of lists 'pairs[1].1'
	[ "$output" = 'alloc::string::String = "two"' ]
	run -0 local_of lists 'nested[1..=2]' -o json
	[ "$(printf '%s\n' "$output" | jq -c .value)" = "$(printf '[-1]\n[2,3]')" ]
	run -0 local_of owners 'list.Some.next.Some.name'
	[ "$output" = '&str = "b"' ]
	run -0 local_of owners 'reference*'
	[ "$output" = 'u64 = 99' ]
}

@test "paths that lead nowhere say what there is" {
	need_core example release kernel
	run -1 printer frame/5.4 no_such
	[[ $output == *"no member 'no_such'"*'it has config, jobs, drained, progress, started, in_flight'* ]]
	run -1 printer frame/5.4 config.data.c.nothing
	[[ $output == *"no member 'nothing' in hansei_example::Config; it has upstream, max_in_flight, retries"* ]]
	run -1 local_of enums 'circle.Square'
	[[ $output == *"the live one is Circle"* ]]
	run -1 local_of owners 'list.name'
	[[ $output == *"the live one is Some"* ]]
	run -1 local_of lists 'numbers[3]'
	[[ $output == *'there are 3 elements'* ]]
	run -2 printer frame/5.4 'config['
	run -2 printer frame/5.4 'config[3..1]'
	run -2 printer frame/5.4 'config[1..=]'
	run -1 printer frame/5.9
	run -1 printer task/999
}

@test "an address and a type, --ugly, --dump" {
	need_core example release kernel
	address=$(printer frame/5.4 job -o json | jq -r .address)
	run -0 printer "$address" hansei_example::Job
	[[ $output == 'hansei_example::Job {'* ]]
	run -0 printer "$address" hansei_example::Job .path
	[ "$output" = 'alloc::string::String = "/jobs/1"' ]
	run -1 printer "$address" no::such::Type
	run -0 printer frame/5.4 job --ugly
	[[ $output == *'vec: alloc::vec::Vec<u8, alloc::alloc::Global> { .. } @ 0x'* ]]
	run -0 printer frame/5.4 job.path --dump
	[[ $output == *'2f 6a 6f 62 73 2f 31'*'|/jobs/1|'* ]]
	run -0 printer "$address" --dump --length 0x20
	[ "${#lines[@]}" -eq 3 ]
}

@test "limits: --depth, --max-array, --max-string" {
	run -0 local_of large thousand --max-array 2
	[[ $output == *'    0,
    1,
    … 998 more
]' ]]
	run -0 local_of strings long --max-string 4
	[ "$output" = 'alloc::string::String = "0123"… (20000 bytes)' ]
	run -0 local_of structs nested --depth 1
	[[ $output == *'name: values::types::Name { .. } @ 0x'* ]]
	run -0 local_of structs nested --depth 0
	[[ $output == 'values::types::Nested { .. } @ 0x'* ]]
	run -0 local_of structs nested -o json --depth 1
	[ "$(printf '%s' "$output" | jq -r '.value.place."$type"')" = 'core::option::Option<values::types::Point>' ] ||
		[ "$(printf '%s' "$output" | jq -r '.value.place."$type"')" = 'values::types::Point' ]
}

@test "control characters of the target stay in" {
	run -0 local_of strings escapes
	[ "$output" = 'alloc::string::String = "a\"b\\c\nd\te\rf\u{1b}[31mg\u{0}h\u{7f}"' ]
	run -0 local_of strings directions
	[ "$output" = 'alloc::string::String = "a\u{202e}b\u{9b}c\u{2028}d"' ]
	for format in table tsv json; do
		local_of strings directions -o "$format" >"$BATS_TEST_TMPDIR/out"
		! LC_ALL=C grep -q "$(printf '\342\200\256\|\302\233')" "$BATS_TEST_TMPDIR/out" || return 1
		local_of strings escapes -o "$format" >"$BATS_TEST_TMPDIR/out"
		! LC_ALL=C grep -q "$(printf '[\001-\010\013-\037\177]')" "$BATS_TEST_TMPDIR/out" || return 1
	done
}

@test "function pointers, wakers and handles say what they lead to" {
	run -0 local_of functions function
	[[ $output == *'-> values::types::double' ]]
	id=$(values_task handles)
	need_core values release kernel
	run -0 local_of handles waker
	[ "$output" = "core::task::wake::Waker = task $id" ]
	run -0 local_of handles handle -o json
	[[ $(printf '%s' "$output" | jq -r '.value."$ref"') == task/* ]]
	run -0 local_of handles runtime
	[[ $output == 'tokio::runtime::handle::Handle { .. } @ 0x'* ]]
}

@test "a million numbers pass through without gathering" {
	id=$(values_task large)
	need_core values release kernel
	[ "$(local_of large million -o json | jq '.value | length, add')" = "$(printf '1000000\n499999500000')" ]
	# 1,000,000 numbers are 6.9 MB of JSON; all of the program is to stay below that.
	command -v prlimit >/dev/null || skip "no prlimit"
	run -0 sh -c "prlimit --data=$((24 << 20)) hansei-print -c '$core' -b '$binary' task/$id --frame 1 --path million -o json | wc -c"
	[ "$output" -gt 6000000 ]
}

@test "gdb reads the same numbers" {
	command -v gdb >/dev/null || skip "gdb is not installed"
	need_core values release kernel
	for pair in 'integers i32_minus int' 'integers u16_max unsigned:short' 'integers i64_min long' 'small atomic_u32 unsigned'; do
		read -r function name type <<<"$pair"
		address=$(local_of "$function" "$name" -o json | jq -r .address)
		ours=$(local_of "$function" "$name" | sed 's/.* = //')
		theirs=$(gdb -q -nx -batch -ex 'set language c' -ex "p *(${type/:/ } *)$address" "$binary" "$core" 2>/dev/null | sed -n 's/^\$1 = //p')
		[ "$ours" = "$theirs" ]
	done
}

# damage FUNCTION LOCAL OFFSET BYTES...: pokes at an offset from the local, in a copy of the core that becomes $core.
damage()
{
	local address
	address=$(local_of "$1" "$2" -o json | jq -r .address)
	[ "$core" = "$BATS_TEST_TMPDIR/core" ] || cp "$core" "$BATS_TEST_TMPDIR/core"
	core=$BATS_TEST_TMPDIR/core
	"$BATS_FILE_TMPDIR/poke" "$core" "$(printf '0x%x' $((address + $3)))" "${@:4}"
}

# in_damaged FUNCTION [OPTION...]: prints that task's locals from the damaged core.
in_damaged()
{
	local id
	id=$(awk -F '\t' -v name="$1" '$1 == "task" && $4 ~ ("::" name "$") { print $2 }' "$truth")
	hansei-print -c "$BATS_TEST_TMPDIR/core" -b "$binary" "task/$id" --frame 1 "${@:2}"
}

# member_offset LOCAL FUNCTION MEMBER: where a member lies in the local.
member_offset()
{
	local base member
	base=$(local_of "$2" "$1" -o json | jq -r .address)
	member=$(local_of "$2" "$1.$3" -o json | jq -r .address)
	echo $((member - base))
}

@test "a Vec of 2^60 elements: an error in its place, all else as before" {
	need_core values release kernel
	damage lists numbers "$(member_offset numbers lists len)" 0 0 0 0 0 0 0 10
	run -3 in_damaged lists
	[[ $output == *'numbers: alloc::vec::Vec<u32, alloc::alloc::Global> = <length 1152921504606846976 passes the capacity of 3>'* ]]
	[[ $output == *'references: alloc::vec::Vec<&u32, alloc::alloc::Global> = ['* ]]
	run -3 --separate-stderr in_damaged lists -o json
	[ "$(printf '%s\n' "$output" | jq -r 'select(.path == "numbers").value."$error"' | cut -c 1-6)" = length ]
	[ "$(printf '%s\n' "$output" | jq -c 'select(.path == "pairs").value')" = '[[1,"one"],[2,"two"]]' ]
}

@test "a dangling Vec and a freed String" {
	need_core values release kernel
	damage lists bytes "$(member_offset bytes lists buf.inner.ptr)" 1 0 0 0 0 0 ff ff
	run -3 in_damaged lists --path bytes
	[[ $output == *'<unreadable at 0xffff000000000001: 0 of 3 shown>'* ]]
	damage strings owned "$(member_offset owned strings vec.buf.inner.ptr)" 10 0 0 0 0 0 0 0
	run -3 in_damaged strings
	[[ $output == *'owned: alloc::string::String = <unreadable at 0x10>'*'literal: &str = "literal"'* ]]
}

@test "a HashMap with broken control bytes, mask and count" {
	need_core values release kernel
	local control
	control=$(local_of maps hash.base.table.table.ctrl.pointer -o json | jq -r '.value."$address"')
	cp "$core" "$BATS_TEST_TMPDIR/core"
	"$BATS_FILE_TMPDIR/poke" "$BATS_TEST_TMPDIR/core" "$control" 7f 7f 7f 7f
	run -3 in_damaged maps
	[[ $output == *'<more taken buckets than entries'* ]] || [[ $output == *'<length '* ]] || [[ $output == *'unreadable'* ]]
	[[ $output == *'btree_set_texts: '* && $output == *'hash_set_empty: '* ]]
	"$BATS_FILE_TMPDIR/poke" "$BATS_TEST_TMPDIR/core" "$control" ff ff ff ff
	run -3 in_damaged maps --path hash
	[[ $output == *'<fewer taken buckets than entries'*': 0 of 3 shown>'* ]]
	damage maps hash "$(member_offset hash maps base.table.table.bucket_mask)" 5 0 0 0 0 0 0 0
	run -3 in_damaged maps --path hash
	[[ $output == *'a table of 6 buckets with 3 entries cannot be'* ]]
}

@test "a cyclic list and a BTreeMap whose nodes lie" {
	need_core values release kernel
	local head second
	head=$(local_of lists linked.head.Some.0.pointer -o json | jq -r '.value."$address"')
	cp "$core" "$BATS_TEST_TMPDIR/core"
	# The element is first or the links are: the word that leads to the second node is found by its value.
	second=$(local_of lists 'linked[1]' -o json | jq -r .address)
	first=$(local_of lists 'linked[0]' -o json | jq -r .address)
	node=$((head + second - first))
	for offset in 0 8 16 24 32; do
		value=$(printer "$(printf '0x%x' $((head + offset)))" usize -o json | jq -r .value)
		if [ "$value" = "$((second - first + head))" ]; then
			# shellcheck disable=SC2046 # eight bytes, little-endian
			"$BATS_FILE_TMPDIR/poke" "$BATS_TEST_TMPDIR/core" "$(printf '0x%x' $((head + offset)))" \
				$(printf '%016x' "$head" | sed 's/\(..\)\(..\)\(..\)\(..\)\(..\)\(..\)\(..\)\(..\)/\8 \7 \6 \5 \4 \3 \2 \1/')
		fi
	done
	[ "$node" -gt 0 ]
	run -3 in_damaged lists --path linked
	[[ $output == *'"a",'*'<a node whose back link is wrong at 0x'* ]]
	damage maps btree "$(member_offset btree maps length)" ff 0 0 0 0 0 0 0
	run -3 in_damaged maps --path btree
	[[ $output == *'"connect": 3,'*'"write": 2,'*'<fewer entries than the length says'* ]]
}

@test "discriminants, bools and chars that are none" {
	need_core values release kernel
	damage small yes 0 2
	damage small han 0 0 d8 0 0
	damage enums minus 0 55
	run -3 in_damaged small
	[[ $output == *'yes: bool = <0x2 is no bool>'*'han: char = <0xd800 is no char>'* ]]
	run -3 in_damaged enums
	[[ $output == *'<unknown: 85>'* ]]
	run -3 --separate-stderr in_damaged small -o json
	[ "$(printf '%s\n' "$output" | jq -r 'select(.path == "yes").value."$error"')" = '0x2 is no bool' ]
}
