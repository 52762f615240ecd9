#!/usr/bin/env bats
# The session: command line, scripts, cursor, listings with --exec, pipes, settings. On cores of the example; what the
# description shows is replayed and compared, with addresses, lines and times left out.

load ../harness.sh

setup()
{
	need_core example release kernel
	cd "$BATS_TEST_TMPDIR"
	export XDG_CACHE_HOME=$BATS_FILE_TMPDIR/cache
	unset HANSEI_CORE HANSEI_TINFO HANSEI_DEBUG_INFO HANSEI_BINARY HANSEI_FORMAT SHELL
}

# say TEXT...: the commands as a script, on the core.
say()
{
	printf '%s\n' "$@" | hansei --core "$core" --debug-info "$binary"
}

# session: commands from standard input.
session()
{
	hansei --core "$core" --debug-info "$binary" "$@"
}

masked()
{
	sed 's/0x[0-9a-f][0-9a-f]*/0x…/g; s/main\.rs:[0-9]*/main.rs:…/g; s/tokio-[0-9.]*\/\(.*\):[0-9]*/tokio-…\/\1:…/; s/[0-9]*\.[0-9]*s on the/…s on the/; s/io fd [0-9]*/io fd …/; s/  *$//; s/   *[^ ]/  &/; s/   */  /g'
}

same() # EXPECTED on standard input, against $output
{
	masked >expected
	printf '%s\n' "$output" | masked | diff expected -
}

@test "the description: tasks, and with a filter" {
	run -0 say tasks
	same <<-'END'
		ID  STATE  AWAITING AT      WAITING ON                                                                            FUTURE
		3   idle   src/main.rs:110  io fd 6 (readable)                                                                    async fn hansei_example::listener
		4   idle   src/main.rs:139  the semaphore at 0x55b3521b16c0: 1 permit requested, 0 available; wake queue: task 4  async fn hansei_example::producer
		5   idle   src/main.rs:158  a tokio::sync::Mutex (semaphore 0x55b3521b0cf0): 1 permit requested, 0 available; wake queue: task 5  async fn hansei_example::dispatcher
		6   idle   src/main.rs:183  future tokio::sync::oneshot::Receiver<()>                                              async fn hansei_example::reloader
		7   idle   src/main.rs:231  future futures_util::stream::futures_unordered::FuturesUnordered<hansei_example::probe>  async fn hansei_example::fanout
		8   idle   src/main.rs:250  timer (deadline 1661342.991s on the target's monotonic clock)                          async fn hansei_example::heartbeat
		9   idle   src/main.rs:199  future tokio::util::idle_notified_set::IdleNotifiedSet<tokio::runtime::task::join::JoinHandle<usize>>  async fn hansei_example::supervisor
		10  idle   src/main.rs:209  future tokio::sync::notify::Notified                                                   async fn hansei_example::worker
		11  idle   src/main.rs:209  future tokio::sync::notify::Notified                                                   async fn hansei_example::worker
		12  idle   src/main.rs:209  future tokio::sync::notify::Notified                                                   async fn hansei_example::worker
		[10 tasks]
	END
	run -0 say 'tasks --with type worker'
	[ "${#lines[@]}" -eq 5 ]
	[ "${lines[4]}" = "[3 tasks]" ]
	run -0 say 'tasks --with type dispatcher'
	[[ "${lines[1]}" == "5   idle   src/main.rs:"*"a tokio::sync::Mutex (semaphore 0x"*"wake queue: task 5"*"async fn hansei_example::dispatcher" ]]
	[ "${lines[2]}" = "[1 task]" ]
}

@test "the description: --exec trace, and --exec frame 4 print config.data.c" {
	run -0 say 'tasks --with type dispatcher --exec trace'
	same <<-'END'
		task 5
		#0  future        tokio::sync::batch_semaphore::Acquire
		      waiting on a tokio::sync::Mutex (semaphore 0x55b3521b0cf0): 1 permit requested, 0 available; wake queue: task 5
		#1  async fn      tokio::sync::mutex::Mutex::acquire<hansei_example::Config>
		      awaiting at tokio-1.53.1/src/sync/mutex.rs:658 (Suspend1, 0 locals)
		#2  async block   tokio::sync::mutex::Mutex::lock::{async_fn#0}<hansei_example::Config>
		      awaiting at tokio-1.53.1/src/sync/mutex.rs:436 (Suspend0, 0 locals)
		#3  async fn      tokio::sync::mutex::Mutex::lock<hansei_example::Config>
		      awaiting at tokio-1.53.1/src/sync/mutex.rs:455 (Suspend0, 0 locals)
		#4  async fn      hansei_example::dispatcher
		      awaiting at src/main.rs:158 (Suspend1, 7 locals)
		[Executed against 1 task, 0 failed]
	END
	run -0 say 'tasks --with type dispatcher --exec frame 4 print config.data.c'
	same <<-'END'
		task 5
		#4  async fn      hansei_example::dispatcher
		      awaiting at src/main.rs:158 (Suspend1, 7 locals)
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
		[Executed against 1 task, 0 failed]
	END
}

@test "the description: groups, --exec task, the block of a task" {
	run -0 say 'tasks --group state'
	same <<-'END'
		COUNT  STATE  TASKS
		   10  idle   3, 4, 5, …
		[1 group]
	END
	run -0 say 'tasks --with type worker --without id 11 --exec task'
	[ "${lines[0]}" = "task 10" ]
	[ "$(printf '%s\n' "$output" | grep -c '^task')" -eq 2 ]
	[[ $output == *$'join sets: 0\n\ntask 12\n    state: idle\n'* ]]
	[ "${lines[-1]}" = "[Executed against 2 tasks, 0 failed]" ]
	run -0 say 'task 5'
	same <<-'END'
		task 5
		    state: idle
		    thread: <none>
		    type: async fn hansei_example::dispatcher
		    awaiting at: src/main.rs:121
		    waiting on: a tokio::sync::Mutex (semaphore 0x55aaaeac5e80): 1 permit requested, 0 available; wake queue: task 5
		    defined at: src/main.rs:112
		    held futures: 0
		    join sets: 0
	END
}

@test "the description: --exec and standard input are the same, in every shell" {
	commands='tasks --with state idle --exec task; census; tasks --with type worker | grep -c worker; task 7 frame 0 print head_all.future; config'
	session --exec "$commands" >by-exec
	echo "$commands" | session >by-stdin
	cmp by-exec by-stdin
	[ "$(tail -n 1 by-exec)" = "ugly              off" ]
	for shell in dash 'bash --posix' 'busybox sh'; do
		command -v "${shell%% *}" >/dev/null || continue
		echo "# $shell"
		HANSEI_BIN=$(dirname "$(command -v hansei-tasks)") $shell "$harness_root/scripts/hansei" -c "$core" -d "$binary" -e "$commands" >by-shell
		cmp by-exec by-shell
	done
}

@test "the description: tokio-info extract, --tokio-info" {
	run -0 hansei tokio-info extract "$binary" --output mybin.tinfo
	[ -s mybin.tinfo ]
	run -0 --separate-stderr hansei --core "$core" --tokio-info mybin.tinfo --exec 'tasks --with type worker'
	[ "${lines[3]##* }" = hansei_example::worker ]
	[ -z "$stderr" ]
	run -2 hansei tokio-info extract
	[[ $output == hansei-tinfo:* ]]
}

@test "one file is enough; options in all spellings" {
	hansei "$core" -e tasks >one
	for options in "-c $core" "--core=$core -d$binary" "-c$core --debug-info=$binary -b $binary" "--binary $binary --best-effort -- $core"; do
		# shellcheck disable=SC2086
		printf tasks | hansei $options >other
		cmp one other
	done
	HANSEI_CORE=$core HANSEI_FORMAT=tsv hansei --exec=tasks >other
	cmp one other
}

@test "wrong usage of the command line is 2" {
	for options in '' '--core' '--nonsense' "-c $core -t x -d y" "-c $core --config depth" "-c $core --config depth x" "-c $core --config nonsense 1" "a b" "-c $core --force=yes" '-x'; do
		# shellcheck disable=SC2086
		run -2 --separate-stderr hansei $options -e tasks </dev/null
		[ -z "$output" ]
		[[ $stderr == hansei:* || $stderr == error:* ]] || { echo "$options: $stderr"; false; }
	done
	run -0 hansei --help
	[[ $output == "usage: hansei"* ]]
	run -0 hansei --version
	[[ $output == "hansei "[0-9]* ]]
}

@test "what cannot be opened is told once, and is 1" {
	run -1 --separate-stderr hansei --core "$binary" -e 'tasks; tasks'
	[ -z "$output" ]
	[ "${#stderr_lines[@]}" -eq 1 ]
	run -1 --separate-stderr hansei --core nowhere -e tasks
	[[ $stderr == *nowhere* ]]
	cp "$(command -v hansei-tasks)" other
	run -1 --separate-stderr hansei --core "$core" --binary other -d "$binary" -e tasks
	[[ $stderr == *"build id"*"--force"* ]]
	run --separate-stderr hansei --core "$core" --binary other -d "$binary" --force -e 'tasks; tasks'
	[ "$status" -ne 1 ]
	[ "$(printf '%s\n' "$stderr" | grep -c 'answers may be wrong')" -eq 1 ]
	[ "$(printf '%s\n' "$output" | grep -c '^\[10 tasks\]')" -eq 2 ]
}

@test "the first failure ends a script, with its line and text" {
	run -1 --separate-stderr say 'tasks -l 0' '' '# a comment' '  # and another' 'tasks -l 0; trace 999; graph' 'tasks'
	[ "$output" = $'[10 tasks, 0 shown]\n[10 tasks, 0 shown]' ]
	[[ $stderr == *'no task 999 (10 tasks)'*'stdin line 5: in `trace 999`' ]]
	run -1 --separate-stderr session -e 'tasks -l 0' -e 'trace 999' -e tasks
	[ "$output" = '[10 tasks, 0 shown]' ]
	[[ $stderr == *'--exec: in `trace 999`' ]]
	run -2 --separate-stderr say 'tasks --with nonsense 1'
	[[ $stderr == *"no field 'nonsense'"*'stdin line 1'* ]]
	run -0 session -e $'# comment\n\ntasks -l 0\nquit\ntasks' -e tasks
	[ "$output" = '[10 tasks, 0 shown]' ]
	run -0 session -e ' ; ;; ' </dev/null
	[ -z "$output" ]
}

@test "an answer in part does not stop a script, and is 3 at the end" {
	mkdir bin
	printf '#!/bin/sh\necho part\nexit 3\n' >bin/hansei-graph
	chmod +x bin/hansei-graph
	export HANSEI_BIN=$PWD/bin
	run -3 --separate-stderr say graph 'tasks -l 0'
	[ "$output" = $'part\n[10 tasks, 0 shown]' ]
	run -2 say graph nonsense
}

@test "a script is not eaten by what it runs; line ends of other systems, and none" {
	run -0 say 'tasks -l 0 | cat' '!cat' 'trace 8' 'tasks --with id 8 --exec trace' 'tasks --with id 8 -o tsv | hansei-trace -l 1' 'tasks -l 0'
	[ "${lines[-1]}" = '[10 tasks, 0 shown]' ]
	run -0 bash -c "printf 'tasks -l 0\r\ntask 5\r\nframe 4' | hansei -c '$core'"
	[ "$(printf '%s\n' "$output" | grep -c 'tasks, 0 shown')" -eq 1 ]
	[[ "${lines[-2]}" == "#4  async fn      hansei_example::dispatcher" ]]
}

@test "the cursor: select, scope, frames" {
	run -0 --separate-stderr say 'task 5' 'task 7 trace -l 1' 'frame 4' locals down 'up print config.data.c.max_in_flight' 'frame 0 frame 3 print $_ u8' frame
	[[ $output == *$'\n#0  future        futures_util::stream::futures_unordered::FuturesUnordered<hansei_example::probe>\n'* ]]
	[[ $output == *$'config: alloc::sync::Arc<'*$'in_flight: usize = 0\n'*$'#3  async fn      tokio::sync::mutex::Mutex::lock<'*$'\n#4  async fn      hansei_example::dispatcher\n'*$'\nusize = 8\n'* ]]
	[[ "${lines[-2]}" == '#3  async fn'* ]]
	[ -z "$stderr" ]
	for wrong in "up|frame #4 is the root of task 5" "frame 9|no frame #9 in task 5: it has 5" "frame 0 down|frame #0 is the most recently polled" \
		"task 999|no task 999" "task x|'x': a task is named by" "future 5|'5': a future is named by" "task 999 trace|no task 999" "trace 0x1|0x1"; do
		run --separate-stderr say 'task 5 | cat' 'frame 4' "${wrong%%|*}"
		[ "$status" -ne 0 ]
		[[ $stderr == *"${wrong#*|}"* ]] || { echo "$wrong: $stderr"; false; }
	done
	for needs in trace locals 'print x' frame up children 'print $_ u8'; do
		run -1 --separate-stderr say "$needs"
		[[ $stderr == "error: no task selected"* ]]
	done
	run -1 --separate-stderr say future
	[[ $stderr == "error: no future selected"* ]]
}

@test "a failed selection leaves the cursor, a scoped command too, also when it fails" {
	cat >probe <<-'END'
		task 5
		frame 4 frame
		task 7 frame 0 frame | tail -n 1
		frame | head -n 1
	END
	run -0 session <probe
	[ "${lines[-1]}" = '#4  async fn      hansei_example::dispatcher' ]
	# at the prompt a session goes on after a failure; here a pipe hides it
	run -0 say 'task 5' 'frame 4' 'tasks --with id 7 --exec frame 0' 'frame'
	[[ "${lines[-2]}" == '#4 '* ]]
}

@test "--exec: errors in place, counts, limits, and nothing printed before a bad command" {
	run -1 --separate-stderr say 'tasks --exec frame 4'
	[ "${lines[-1]}" = '[Executed against 10 tasks, 4 failed]' ]
	[[ $output == *$'\n\ntask 6\n\ntask 7\n'* ]]
	[ "$(printf '%s\n' "$stderr" | grep -c '^error: no frame #4 in task')" -eq 4 ]
	[[ $stderr == *'failed on 4 of 10'* ]]
	for wrong in 'tasks --exec nonsense' 'tasks --exec' 'tasks --group state --exec trace' 'tasks -e tasks' 'runtimes --exec trace' 'tasks 5' 'tasks -o json -e task'; do
		run -2 --separate-stderr say "$wrong"
		[ -z "$output" ]
	done
	run -0 --separate-stderr say 'tasks --limit 2 --exec task'
	[ "${lines[-1]}" = '[Executed against 2 tasks, 0 failed]' ]
	[ -z "$stderr" ]
	run -0 say 'tasks --with type nothing --exec trace'
	[ "$output" = '[Executed against 0 tasks, 0 failed]' ]
	run -0 say 'tasks --exec quit' 'tasks -l 0'
	[ "${lines[-1]}" = '[10 tasks, 0 shown]' ]
	run -0 say 'futures --with task 7 --exec future'
	[ "$(printf '%s\n' "$output" | grep -c '^future 0x')" -eq 3 ]
}

@test "--exec of trace and task, which run once for all, print what one by one prints" {
	say 'tasks --exec trace' >all
	for id in 3 4 5 6 7 8 9 10 11 12; do
		[ "$id" -eq 3 ] || echo
		echo "task $id"
		say "trace $id"
	done >each
	echo '[Executed against 10 tasks, 0 failed]' >>each
	diff each all
	say 'tasks --exec task' >all
	say 'task 3; !echo' 'task 4' >each
	head -n "$(wc -l <each)" all | diff each -
}

@test "pipes and files: separate words only, the shell of the user" {
	run -0 --separate-stderr say 'tasks | grep worker | sort -r | head -n 1' 'tasks > out.txt; tasks -l 0 >> out.txt' '!wc -l < out.txt' 'tasks ! tail -n 1'
	[ "${lines[0]%% *}" = 12 ]
	[ "${lines[1]}" -eq 13 ]
	[ "${lines[2]}" = '[10 tasks]' ]
	[ -z "$stderr" ]
	run -0 say 'tasks --with holds >3'
	[ "$output" = '[0 tasks]' ]
	run ! test -e 3
	run -0 --separate-stderr say 'tasks --with type "a|b"; tasks | grep nothing; tasks --exec trace | head -n 1; tasks -l 0'
	[ -z "$stderr" ]
	run -0 say '!echo "a;b" ; tasks -l 0'
	[ "${lines[0]}" = 'a;b' ]
	SHELL=/bin/echo run -0 say 'tasks | x'
	[ "$output" = '-c x' ]
	for wrong in 'tasks >' 'tasks |' '| grep x' '> x'; do
		run -2 say "$wrong"
	done
	for wrong in 'trace 999 | cat' 'tasks > /nowhere/x' 'tasks | exit 3'; do
		run -1 say "$wrong"
	done
	# what a command in a pipe selects stays selected
	run -0 say 'task 5 | cat' 'frame 4'
	[[ "${lines[-2]}" == '#4 '* ]]
}

@test "quotes make words, a backslash is ordinary" {
	run -0 say 'tasks --with future "async fn hansei_example::(listener|producer)"' "tasks --with future 'fn .*::list'ener"
	[ "$(printf '%s\n' "$output" | grep -c '^3 ')" -eq 2 ]
	run -0 say 'tasks --with waiting-on Receiver<\(\)>'
	[ "${lines[-1]}" = '[1 task]' ]
	run -2 --separate-stderr say 'tasks --with type "x'
	[[ $stderr == 'error: a quote is not closed: "x'* ]]
}

@test "names: beginnings, aliases, unknown, not built, help" {
	for pair in 'ta|could be task, tasks' 'zz|no command' "''|no command"; do
		run -2 --separate-stderr say "${pair%%|*}"
		[[ $stderr == *"${pair#*|}"* ]]
	done
	run -0 say 'conf depth'
	[ "$output" = 2 ]
	mkdir bin
	for program in tasks trace print; do
		ln -s "$(command -v "hansei-$program")" bin
	done
	for name in threads graph conns 'conn 0x12' connections runtimes info; do
		case $name in conn*) program=hansei-conns ;; *) program=hansei-${name%% *} ;; esac
		! command -v "$program" >/dev/null || continue
		run -1 --separate-stderr say "$name"
		[[ $stderr == "error: ${name%% *}"*" is not built: there is no $program"* || $name == conn* && $stderr == *"is not built"* ]]
	done
	run -0 say help
	for name in $(printf '%s\n' "$output" | sed -n 's/^  \([a-z-]*\).*/\1/p'); do
		run -0 say "help $name"
		[[ $output == "usage: $name"* ]]
	done
	[[ $(say 'help tasks') == *"--exec COMMAND"*"--with FIELD VALUE"*"* state "* ]]
}

@test "settings drive print and locals, options override them, the command line sets them" {
	run -0 say 'task 5 | tail -n 0' 'frame 4 | tail -n 0' 'config depth 4' 'print config' 'config ugly on' 'print config.data.c.upstream' 'config ugly off' 'print --ugly config.data.c.upstream' 'config max-array-values 1' 'print jobs'
	[[ $output == *'max_in_flight: 8'*'octets'*'octets'*'… 3 more'* ]]
	run -0 hansei --config limit 2 --config depth 0 "$core" -e 'tasks; tasks --limit 1; trace 5; config depth; tasks --exec trace; config limit off; tasks'
	[[ $output == *'[10 tasks, 2 shown]'*'[10 tasks, 1 shown]'*'[5 frames, 2 shown]'*$'\n0\n'*'[Executed against 2 tasks, 0 failed]'*'[10 tasks]' ]]
	run -0 say config
	[ "${lines[0]}" = 'depth             2' ]
	[ "${#lines[@]}" -eq 7 ]
	for wrong in 'config limit 0' 'config depth x' 'config ugly maybe' 'config nonsense' 'config depth 1 2'; do
		run -2 say "$wrong"
	done
	run -2 --separate-stderr hansei --config ugly maybe nowhere
	[[ $stderr != *nowhere* ]]
}

@test "save-tokio-info writes what the launch extracted, also when it came from the cache" {
	for cache in cold warm; do
		XDG_CACHE_HOME=$PWD/cache run -0 say "save-tokio-info $cache.tinfo"
		[ "$output" = "wrote $cache.tinfo" ]
	done
	cmp cold.tinfo warm.tinfo
	run -0 hansei tokio-info check cold.tinfo --core "$core"
	run -1 --separate-stderr hansei -c "$core" -t cold.tinfo -e 'save-tokio-info other.tinfo'
	[[ $stderr == *"in a file already: cold.tinfo"* ]]
	run ! test -e other.tinfo
	run -1 say 'save-tokio-info /nowhere/x'
	run -2 say save-tokio-info
	run -0 say 'find-types ^hansei_example::Config$' 'type hansei_example::Config'
	[[ $output == *'max_in_flight  usize'* ]]
}

@test "nothing is left behind, not even by a session that is ended, nor without a home" {
	say tasks >/dev/null
	run -2 say nonsense
	mkfifo commands
	hansei --core "$core" --debug-info "$binary" <commands >said 3>&- &
	pid=$!
	exec 4>commands
	echo 'tasks -l 0' >&4
	for ((i = 0; i < 100; i++)); do
		[ ! -s said ] || break
		sleep 0.1
	done
	[ -n "$(find "$XDG_CACHE_HOME/hansei" -name 'session.*')" ]
	kill -TERM "$pid"
	status=0
	wait "$pid" || status=$?
	[ "$status" -eq 143 ]
	exec 4>&-
	[ -z "$(find "$XDG_CACHE_HOME/hansei" -name 'session.*')" ]
	run -0 env -u XDG_CACHE_HOME HOME=/dev/null TMPDIR="$PWD" "$(command -v hansei)" "$core" -e 'tasks -l 0'
	[ "$output" = '[10 tasks, 0 shown]' ]
	[ -z "$(find . -name 'session.*')" ]
}

@test "a reader that goes is no error, and leaves nothing behind" {
	for shell in dash 'bash --posix' 'busybox sh'; do
		command -v "${shell%% *}" >/dev/null || continue
		for commands in 'tasks --exec frame 0' 'tasks; tasks; tasks' 'config; config; config'; do
			{ HANSEI_BIN=$(dirname "$(command -v hansei-tasks)") $shell "$harness_root/scripts/hansei" "$core" -e "$commands" 2>said; echo "$?" >status; } | head -n 1 >/dev/null
			[ "$(cat status)" -eq 0 ]
			[ ! -s said ] || { echo "$shell: $commands"; cat said; false; }
		done
	done
	[ -z "$(find "$XDG_CACHE_HOME/hansei" -name 'session.*')" ]
}

@test "a compressed core is unpacked for the session, and removed with it" {
	command -v zstd >/dev/null || skip "zstd is not installed"
	zstd -q "$core" -o core.zst
	run -0 --separate-stderr hansei core.zst -d "$binary" -e 'tasks -l 0; tasks -l 0'
	[ "$output" = $'[10 tasks, 0 shown]\n[10 tasks, 0 shown]' ]
	[ "${#stderr_lines[@]}" -eq 1 ]
	[[ $stderr == *unpacked* ]]
	[ -z "$(find "$XDG_CACHE_HOME/hansei" -name 'core-*')" ]
	# one that somebody else had unpacked stays
	hansei-tasks -c core.zst -d "$binary" -l 0
	run -0 --separate-stderr hansei core.zst -d "$binary" -e 'tasks -l 0'
	[ -n "$(find "$XDG_CACHE_HOME/hansei" -name 'core-*')" ]
	[ -z "$stderr" ]
}

@test "the cursor on a thread; what other programs are asked for" {
	mkdir bin
	for name in threads trace tasks conns info; do
		printf '#!/bin/sh\n[ "$1 $2" != "--limit 0" ] || exit 0\necho "%s $*"\n' "$name" >bin/hansei-$name
		chmod +x bin/hansei-$name
	done
	export HANSEI_BIN=$PWD/bin
	run -0 say 'thread 115' trace 'trace -v' regs thread 'conn 0x12' 'whatis 0x13' info 'threads --with role worker' 'task 5 trace --native' 'config limit 7; trace 5; tasks; tasks -l3; tasks --limit=4 --colu id,state'
	diff <(printf '%s\n' "$output") - <<-'END'
		threads thread/115
		trace thread/115
		trace thread/115 -v
		threads --regs thread/115
		threads thread/115
		conns conn/0x12
		info 0x13
		info 
		threads --with role worker
		trace task/5 --native
		trace 5 --limit 7
		tasks --limit 7
		tasks -l3
		tasks --limit=4 --colu id,state
	END
}

@test "a running task is warned of, before its answer" {
	need_core states release kernel
	id=$(hansei-tasks -c "$core" -b "$binary" -o tsv --no-header --columns id --with state '^running$' | cut -f 2)
	hansei -c "$core" -b "$binary" -e "task $id trace" >both 2>&1
	[[ "$(head -n 1 both)" == "warning: task $id is running on lwp "*"; its state may be torn" ]]
	run -0 --separate-stderr hansei -c "$core" -b "$binary" -e "task $id; frame 0; tasks --with id $id --exec trace"
	[ "$(printf '%s\n' "$stderr" | grep -c 'may be torn')" -eq 2 ]
}

@test "a command costs little more than its program" {
	need_core many release kernel
	hansei-tasks -c "$core" -b "$binary" -l 0 >/dev/null
	for ((i = 0; i < 20; i++)); do
		echo 'task 5'
		echo 'frame 0'
	done >script
	start=$(date +%s%N)
	hansei -c "$core" -b "$binary" <script >/dev/null
	spent=$((($(date +%s%N) - start) / 1000000))
	echo "40 commands: $spent ms"
	[ "$spent" -lt 4000 ]
}

@test "installed elsewhere, and uninstalled" {
	command -v make >/dev/null || skip "make is not installed"
	case $O in /*) ;; *) O=$harness_root/$O ;; esac
	make -s -C "$harness_root" O="$O" install DESTDIR="$PWD/root" PREFIX=/usr >/dev/null
	run -0 env -i PATH=/usr/bin:/bin XDG_CACHE_HOME="$XDG_CACHE_HOME" root/usr/bin/hansei "$core" -e 'tasks -l 0'
	[ "$output" = '[10 tasks, 0 shown]' ]
	ln -s root/usr/bin/hansei linked
	run -0 ./linked tokio-info extract "$binary" -o x.tinfo
	[ -s root/usr/share/man/man1/hansei.1 ]
	[ -s root/usr/share/bash-completion/completions/hansei-tasks ]
	make -s -C "$harness_root" O="$O" uninstall DESTDIR="$PWD/root" PREFIX=/usr >/dev/null
	[ -z "$(find root ! -type d)" ]
}

@test "shellcheck finds nothing" {
	command -v shellcheck >/dev/null || skip "shellcheck is not installed"
	cd "$harness_root"
	shellcheck -x scripts/hansei scripts/hansei.d/*.sh scripts/completions/hansei.bash example/pipelines/*.sh
	[ "$(wc -l scripts/hansei scripts/hansei.d/*.sh | sort -n | tail -n 2 | head -n 1 | awk '{ print $1 }')" -lt 500 ]
}

@test "the manual pages: lint, and the examples run" {
	command -v mandoc >/dev/null || skip "mandoc is not installed"
	mandoc -T lint -W warning "$harness_root/man/hansei.1" "$harness_root/man/hansei.7"
	mkdir -p target/release
	cp "$core" core.1234
	cp "$binary" target/release/hansei-example
	awk '/^\.Sh EXAMPLES/ { on = 1 } /^\.Sh SEE/ { on = 0 } on && /^\$ / { print substr($0, 3) }' "$harness_root/man/hansei.1" >commands
	[ "$(wc -l <commands)" -ge 5 ]
	while read -r command; do
		run -0 bash -o pipefail -c "$command" </dev/null
	done <commands
}
