#!/usr/bin/env bats
# example/pipelines/*.sh on the recorded core.

load ../harness.sh

setup()
{
	command -v jq >/dev/null || skip "jq is not installed"
	pipelines=$harness_root/example/pipelines
	export XDG_CACHE_HOME=$BATS_FILE_TMPDIR/cache
	export HANSEI_CORE=$harness_root/example/recorded/core.zst HANSEI_TINFO=$harness_root/example/recorded/example.tinfo
	unset HANSEI_DEBUG_INFO HANSEI_BINARY HANSEI_FORMAT
	hansei-tasks --limit 0 >/dev/null 2>&1 # unpacks the core
}

@test "waits: each task once, by kind" {
	run -0 "$pipelines/waits.sh"
	[ "$(printf '%s\n' "$output" | awk '{ sum += $1 } END { print sum }')" -eq 10 ]
	for kind in io mutex timer; do
		printf '%s\n' "$output" | grep -qx " *1 $kind"
	done
}

@test "queues: the channel's permits and the mutex" {
	run -0 "$pipelines/queues.sh"
	[ "${#lines[@]}" -eq 2 ]
	[[ "${lines[0]}" == mpsc/0x*" 0 available: task/4" ]]
	[[ "${lines[1]}" == mutex/0x*" 0 available: task/5" ]]
}

@test "traces: of those that wait for a mutex, or of others" {
	run -0 "$pipelines/traces.sh"
	[ "${lines[0]}" = "task 5" ]
	[[ "${lines[-2]}" == "#4  async fn      hansei_example::dispatcher" ]]
	run -0 "$pipelines/traces.sh" type worker
	[ "$(printf '%s\n' "$output" | grep -c '^task ')" -eq 3 ]
}

@test "values: the dispatcher's configuration as JSON" {
	run -0 "$pipelines/values.sh"
	[ "$output" = '{"task":5,"value":{"upstream":"10.0.0.7:8080","max_in_flight":8,"retries":{"connect":3,"read":1,"write":2}}}' ]
	run -0 "$pipelines/values.sh" heartbeat 1 beat
	[ "$output" = '{"task":8,"value":1}' ]
}

@test "chains: all tasks, the workers' merged" {
	run -0 "$pipelines/chains.sh"
	[ "$(printf '%s\n' "$output" | awk '{ sum += $NF } END { print sum }')" -eq 10 ]
	[[ "${lines[0]}" == "hansei_example::worker;tokio::sync::watch::Receiver::changed<usize>;"*" 3" ]]
}

@test "sites: as many as tasks, the workers' first" {
	run -0 "$pipelines/sites.sh"
	[[ "${lines[0]}" == *" 3 src/main.rs:"* ]]
	[ "$(printf '%s\n' "$output" | awk '{ sum += $1 } END { print sum }')" -eq 10 ]
}

@test "each pipeline has a test" {
	for file in "$pipelines"/*.sh; do
		name=${file##*/}
		grep -q "^@test \"${name%.sh}:" "$BATS_TEST_FILENAME"
	done
}
