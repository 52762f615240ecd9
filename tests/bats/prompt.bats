#!/usr/bin/env bats
# The prompt, in a terminal driven by tmux: editing, history, completion, interrupts, the pager, resizing.

load ../harness.sh

setup()
{
	command -v tmux >/dev/null || skip "tmux is not installed"
	need_core example release kernel
	cd "$BATS_TEST_TMPDIR"
	export XDG_STATE_HOME=$BATS_TEST_TMPDIR/state XDG_CACHE_HOME=$BATS_FILE_TMPDIR/cache
	export LC_ALL=C.UTF-8 SHELL=/bin/sh
	export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0 # libedit leaves the names of its functions
	unset HANSEI_CORE HANSEI_TINFO HANSEI_DEBUG_INFO HANSEI_BINARY HANSEI_FORMAT HANSEI_PAGER PAGER LESS NO_COLOR COLUMNS
}

teardown()
{
	[ -z "${terminal-}" ] || $terminal kill-server 2>/dev/null || :
}

# begin [OPTION...]: a session in a terminal of 120 × 40. HANSEI_SHELL may name another shell to run it.
begin()
{
	begun=$((${begun-0} + 1)) # a server that is ending is not to be met again
	terminal="tmux -L hansei-$$-$BATS_TEST_NUMBER-$begun -f /dev/null"
	$terminal new-session -d -x 120 -y 40 \
		"trap : INT; ${HANSEI_SHELL-} $(command -v hansei) --core '$core' --binary '$binary' $*; echo \"ended with \$?\"; exec cat" 3>&-
	see_prompt 'hansei>'
}

# keys KEY...: as tmux names them.
keys()
{
	$terminal send-keys "$@"
}

# enter LINE: types it.
enter()
{
	keys -l "$1"
	keys Enter
}

screen()
{
	$terminal capture-pane -p
}

# see TEXT: waits until it is on the screen.
see()
{
	local waited
	for ((waited = 0; waited < 100; waited++)); do
		! screen | grep -qF -e "$1" || return 0
		sleep 0.05
	done
	echo "no '$1' on the screen:"
	screen | sed '/^$/d'
	return 1
}

# see_prompt TEXT: waits until the last line that is not empty is that prompt.
see_prompt()
{
	local waited
	for ((waited = 0; waited < 100; waited++)); do
		[ "$(screen | sed '/^$/d' | tail -n 1)" != "$1" ] || return 0
		sleep 0.05
	done
	echo "no prompt '$1':"
	screen | sed '/^$/d'
	return 1
}

# blank: an empty screen with a new prompt.
blank()
{
	keys C-u C-l
	sleep 0.2
}

@test "the prompt tells where the cursor is, and the session ends with quit or end of input" {
	begin
	enter 'task 5'
	see_prompt 'hansei : task 5 #0>'
	enter 'frame 4'
	see_prompt 'hansei : task 5 #4>'
	enter down
	see_prompt 'hansei : task 5 #3>'
	enter 'task 7 trace'
	see_prompt 'hansei : task 5 #3>'
	enter 'task 999'
	see 'no task 999 (10 tasks)'
	see_prompt 'hansei : task 5 #3>'
	enter 'tasks -l 3 --exec frame 0'
	see '[Executed against 3 tasks, 0 failed]'
	see_prompt 'hansei : task 5 #3>'
	enter 'frame 9'
	see 'error: no frame #9 in task 5: it has 5'
	see_prompt 'hansei : task 5 #3>'
	address=$(hansei-futures -c "$core" -b "$binary" -o tsv --no-header --columns address | head -n 1 | cut -f 2)
	enter "future $address"
	see_prompt "hansei : future $address #0>"
	enter quit
	see 'ended with 0'
	[ -z "$(find "$XDG_CACHE_HOME/hansei" -name 'session.*')" ]
	$terminal kill-server
	begin
	keys C-d
	see 'ended with 0'
}

@test "errors do not end it, and on a line with several commands name theirs" {
	begin
	enter 'nonsense'
	see "error: no command 'nonsense'"
	enter 'tasks -l 0; trace 999; config'
	see 'in `trace 999`'
	run ! grep -q max-array <(screen)
	enter '# nothing'
	enter ''
	enter 'tasks -l 0 | tr a-z A-Z'
	see '[10 TASKS, 0 SHOWN]'
	enter '!echo a shell >&2'
	see 'a shell'
	enter '!read answer && echo "you said $answer"'
	sleep 0.3
	enter 'yes'
	see 'you said yes'
	see_prompt 'hansei>'
}

@test "editing: emacs keys, words that end at dots, blanks for ^W" {
	begin
	keys -l 'tsks -l 0'
	keys C-a C-f
	keys -l a
	keys C-e Enter
	see '[10 tasks, 0 shown]'
	keys -l 'task 5 frame 4 print config.data.nonsense'
	keys M-b
	keys C-k
	keys -l 'c.max_in_flight'
	keys Enter
	see 'usize = 8'
	keys -l 'tasks -l 1 --with type listener|worker'
	keys C-w
	keys -l 'heartbeat'
	keys Enter
	see '[1 task]'
	keys -l 'config ×depth'
	keys Left Left Left Left Left BSpace Enter
	see 'config depth'
	blank
	keys -l 'nothing'
	keys C-c
	see_prompt 'hansei>'
}

@test "history: arrows, search, shared by sessions, listed" {
	begin
	enter 'config depth 3'
	enter 'tasks -l 0'
	see '[10 tasks, 0 shown]'
	enter '  '
	enter 'tasks -l 0'
	keys Up Up
	see_prompt 'hansei> config depth 3'
	keys C-u
	keys C-r
	keys -l 'depth'
	keys Enter
	blank
	enter 'config depth'
	see_prompt 'hansei>'
	enter 'history 2'
	see 'history 2'
	[ "$(head -n 2 "$XDG_STATE_HOME/hansei/history")" = $'config depth 3\ntasks -l 0' ]
	# no line twice in a row, no blank one
	[ "$(sort "$XDG_STATE_HOME/hansei/history" | uniq -c | awk '$2 == "tasks" { print $1 }')" -eq 1 ]
	[ -z "$(grep -x ' *' "$XDG_STATE_HOME/hansei/history")" ]
	echo 'tasks --limit 7' >>"$XDG_STATE_HOME/hansei/history" # another session's
	enter ''
	sleep 0.2
	keys Up
	see_prompt 'hansei> tasks --limit 7'
}

# offered LINE CANDIDATE...: Tab, and when several begin alike another one, shows them.
offered()
{
	local candidate
	blank
	keys -l "$1"
	keys Tab
	sleep 0.2
	keys Tab
	shift
	for candidate; do
		see "$candidate"
	done
}

# completed LINE RESULT: one Tab.
completed()
{
	blank
	keys -l "$1"
	keys Tab
	see_prompt "hansei> $2"
}

@test "completion: commands, options, fields, values, ids, settings, files" {
	begin
	completed 'loc' 'locals'
	completed 'tasks --wi' 'tasks --with'
	offered 'tasks --with' --with --without
	completed 'tasks --with sta' 'tasks --with state'
	completed 'tasks --with state ' 'tasks --with state idle'
	completed 'tasks --group waiting' 'tasks --group waiting-on'
	completed 'tasks --with future hansei' 'tasks --with future hansei' # begins no value
	offered 'tasks --with future ' 'async fn hansei_example::listener'
	completed 'tasks --with waiting-on "future tokio::sync::o' 'tasks --with waiting-on "future tokio::sync::oneshot::Receiver<\(\)>"'
	offered 'task ' 'async fn hansei_example::dispatcher' 'async fn hansei_example::worker'
	completed 'trace 8' 'trace 8'
	completed 'task 5 tr' 'task 5 trace'
	completed 'config max-str' 'config max-string-len'
	offered 'config ugly ' on off
	completed 'help sav' 'help save-tokio-info'
	completed 'tasks; cens' 'tasks; census'
	completed 'tasks --exec chil' 'tasks --exec children'
	touch "$BATS_TEST_TMPDIR/a file.tinfo"
	completed 'save-tokio-info a' 'save-tokio-info "a file.tinfo"'
	completed 'tasks | tas' 'tasks | tas'
}

@test "completion: locals and members; Tab walks, Shift-Tab walks back" {
	begin
	enter 'task 5'
	see_prompt 'hansei : task 5 #0>'
	enter 'frame 4'
	see_prompt 'hansei : task 5 #4>'
	blank
	keys -l 'print conf'
	keys Tab
	see_prompt 'hansei : task 5 #4> print config'
	keys -l '.'
	keys Tab
	see_prompt 'hansei : task 5 #4> print config.'
	see 'config.max_in_flight'
	keys Tab
	see_prompt 'hansei : task 5 #4> print config.upstream'
	keys Tab
	see_prompt 'hansei : task 5 #4> print config.max_in_flight'
	keys BTab
	see_prompt 'hansei : task 5 #4> print config.upstream'
	keys Enter
	see 'ip: 10.0.0.7'
	blank
	keys -l 'tasks --with type dispatcher --exec frame 4 print jo'
	keys Tab
	sleep 0.3
	keys Tab
	see 'jobs'
}

@test "^C ends what runs, and not the session" {
	need_core many release kernel
	begin --config pager off
	keys C-c
	see_prompt 'hansei>'
	enter '!sleep 100'
	sleep 0.3
	keys C-c
	enter 'tasks -l 0'
	see '[1001 tasks, 0 shown]'
	enter 'tasks --exec frame 0'
	see 'task 10'
	keys C-c
	see '[Executed against '
	run ! grep -q '\[Executed against 1001 tasks' <(screen)
	see_prompt 'hansei>'
	blank
	enter 'tasks --exec locals | sleep 100'
	sleep 0.3
	keys C-c
	see_prompt 'hansei>'
	enter 'tasks -l 0'
	see '[1001 tasks, 0 shown]'
}

@test "the pager: for what is longer than the screen, quit early, switched off" {
	command -v less >/dev/null || skip "less is not installed"
	need_core many release kernel
	begin
	enter 'tasks -l 3'
	see_prompt 'hansei>'
	blank
	enter 'tasks'
	see 'ID  '
	see_prompt ':'
	keys -l q
	see_prompt 'hansei>'
	enter 'tasks'
	see_prompt ':'
	keys -l G
	see '[1001 tasks]'
	keys -l q
	see_prompt 'hansei>'
	enter 'tasks --exec trace'
	see_prompt ':'
	keys -l q
	see_prompt 'hansei>'
	enter 'config pager "head -n 2"'
	blank
	enter 'tasks'
	see_prompt 'hansei>'
	[ "$(screen | grep -c '^[0-9]')" -eq 1 ]
	enter 'config pager off'
	enter 'tasks'
	see '[1001 tasks]'
	see_prompt 'hansei>'
}

@test "answers fit the terminal, also after it was resized; in colour, unless NO_COLOR" {
	begin
	enter 'tasks'
	see '[10 tasks]'
	screen | grep -q '…'
	[ "$($terminal capture-pane -p -e | grep -c $'\033\\[3[26]m')" -gt 0 ]
	enter 'config truncate-names off'
	blank
	enter 'tasks --with id 9'
	see 'IdleNotifiedSet<tokio::runtime::task::join::JoinHandl'
	enter 'config truncate-names on'
	$terminal resize-window -x 70 -y 30
	sleep 0.2
	blank
	enter 'tasks'
	see '[10 tasks]'
	[ "$(screen | grep -c '^[0-9]')" -eq 10 ] # no line was wrapped
	$terminal kill-server
	export NO_COLOR=1
	begin
	enter 'tasks'
	see '[10 tasks]'
	[ "$($terminal capture-pane -p -e | grep -c $'\033\\[3[26]m')" -eq 0 ]
}

@test "in other shells" {
	for HANSEI_SHELL in 'bash --posix' 'busybox sh'; do
		command -v "${HANSEI_SHELL%% *}" >/dev/null || continue
		echo "# $HANSEI_SHELL"
		begin
		enter 'task 5'
		see_prompt 'hansei : task 5 #0>'
		enter '!sleep 100'
		sleep 0.3
		keys C-c
		keys -l 'fra'
		keys Tab
		see_prompt 'hansei : task 5 #0> frame'
		keys C-c
		see_prompt 'hansei : task 5 #0>'
		enter quit
		see 'ended with 0'
		$terminal kill-server
	done
}

@test "a terminal that can do nothing gets a prompt all the same" {
	export TERM=dumb
	terminal="tmux -L hansei-$$-$BATS_TEST_NUMBER -f /dev/null"
	$terminal new-session -d -x 120 -y 40 "TERM=dumb ${HANSEI_SHELL-} $(command -v hansei) -c '$core'; echo \"ended with \$?\"; exec cat" 3>&-
	see_prompt 'hansei>'
	enter 'task 5'
	see 'hansei : task 5 #0>'
	keys C-d
	see 'ended with 0'
}
