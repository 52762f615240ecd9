#!/usr/bin/env bats
# What the completion files offer in bash, zsh and fish.

load ../harness.sh

setup()
{
	completions=$harness_root/scripts/completions
	cd "$BATS_TEST_TMPDIR"
	unset HANSEI_CORE HANSEI_FORMAT
}

# offer WORD...: prints what bash would offer for the last one.
offer()
{
	# shellcheck disable=SC2016
	bash -c '. "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _hansei; printf "%s\n" "${COMPREPLY[@]}"' bash "$completions/hansei.bash" "$@"
}

@test "bash: options, fields, formats, verbs, commands and settings of the session" {
	[ "$(offer hansei-tasks --wi)" = $'--with\n--without' ]
	[ "$(offer hansei-tasks --with sta)" = state ]
	[ "$(offer hansei-tasks --group wait)" = waiting-on ]
	[ "$(offer hansei-tasks --columns id,aw)" = id,awaiting ]
	[ "$(offer hansei-trace -o t)" = $'table\ntsv' ]
	[ "$(offer hansei-tinfo ext)" = extract ]
	[ "$(offer hansei tokio-info st)" = stats ]
	[ "$(offer hansei tokio-info extract x --ou)" = --output ]
	[ "$(offer hansei --ex)" = --exec ]
	[ "$(offer hansei -e tas)" = $'task\ntasks' ]
	[ "$(offer hansei --config ug)" = ugly ]
	[ -z "$(offer hansei --core x)" ] # files, which bash adds by itself
}

@test "fish: the same" {
	command -v fish >/dev/null || skip "fish is not installed"
	[ "$(fish --no-config -c "source $completions/hansei.fish; complete -C 'hansei-tasks --wi'" | cut -f 1)" = $'--with\n--without' ]
	[ "$(fish --no-config -c "source $completions/hansei.fish; complete -C 'hansei-tasks --with sta'" | cut -f 1)" = state ]
	[ "$(fish --no-config -c "source $completions/hansei.fish; complete -C 'hansei -e tas'" | cut -f 1)" = $'task\ntasks' ]
	[ "$(fish --no-config -c "source $completions/hansei.fish; complete -C 'hansei tokio-info ext'" | cut -f 1)" = extract ]
}

@test "zsh: parses" {
	command -v zsh >/dev/null || skip "zsh is not installed"
	zsh -n "$completions/_hansei"
}

@test "all programs and all verbs are completed" {
	for file in "$harness_root"/tools/hansei-*.c; do
		name=${file##*/}
		name=${name%.c}
		case $name in hansei-edit | hansei-page) continue ;; esac
		for completion in hansei.bash _hansei hansei.fish; do
			grep -qE "(^|[ \\t])$name( |\$)" "$completions/$completion" || { echo "$completion: no $name"; false; }
		done
	done
	run -2 hansei-tinfo nonsense
	for verb in $(printf '%s\n' "$output" | sed -n 's/.*there are //p' | tr -d ',' | sed 's/ and / /'); do
		for completion in hansei.bash _hansei hansei.fish; do
			grep -qE "[ ']$verb" "$completions/$completion" || { echo "$completion: no $verb"; false; }
		done
	done
}
