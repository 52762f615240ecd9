# shellcheck shell=sh disable=SC2034,SC2154 # parts share variables
# objects.sh - the cursor and the commands on single objects.
#
# The cursor is cursor_kind (task, future, thread, or empty), cursor_key (an id or address) and cursor_frame (0 is the
# most recently polled; empty for a thread).

cursor_set() # KIND KEY FRAME
{
	cursor_kind=$1 cursor_key=$2 cursor_frame=$3
}

# Sets reference: of the task or future at the cursor.
cursor_root()
{
	case $cursor_kind in
	task | future) reference=$cursor_kind/$cursor_key ;;
	*)
		complain "no task selected"
		return 1
		;;
	esac
}

# Sets reference: of the frame at the cursor.
cursor_frame_reference()
{
	cursor_root || return
	reference=frame/$cursor_key.$cursor_frame
}

# Sets address: of the future of the frame at the cursor; of the task itself when it has no frames.
cursor_address()
{
	cursor_frame_reference || return
	object_json=$(run_program hansei-trace -o json "$reference" 2>/dev/null)
	case $object_json in
	*'{"ref":"'"$reference"'",'*'"address":"0x'*)
		# The outermost frame with this reference, behind the heading that has it too.
		object_json=${object_json##*'{"ref":"'"$reference"'",'}
		;;
	*)
		cursor_root
		object_json=$(run_program hansei-tasks -o json "$reference") || return
		;;
	esac
	address=${object_json#*'"address":"'}
	address=${address%%\"*}
}

# Sets key: what KIND calls the object named by WORD, which may be a reference.
object_key() # KIND WORD
{
	key=${2#"$1"/}
	case $1 in
	task) object_spelling="a task is named by its id or address, as in 'task 5' or 'task 0x55d0c8'" ;;
	thread) object_spelling="a thread is named by its number, as in 'thread 4011'" ;;
	*) object_spelling="a $1 is named by its address, as in '$1 0x55d0c8'" ;;
	esac
	case $1,$key in
	task,0x* | future,0x* | connection,0x*)
		object_digits=${key#0x}
		case $object_digits in
		'' | *[!0-9a-fA-F]*) ;;
		*) return 0 ;;
		esac
		;;
	task,* | thread,*)
		case $key in
		'' | *[!0-9]*) ;;
		*) return 0 ;;
		esac
		;;
	esac
	complain "'$2': $object_spelling"
	return 2
}

# task, future, thread: alone they show the object at the cursor; with a name they select; with a command as well they
# run it there and leave the cursor alone.
run_singular() # [NAME [COMMAND...]]
{
	case ${1-} in
	'' | -*)
		if [ "$cursor_kind" != "$command_name" ]; then
			complain "no $command_name selected"
			return 1
		fi
		run_program "$command_program" "$cursor_kind/$cursor_key" "$@"
		return
		;;
	esac
	object_key "$command_name" "$1" || return
	shift
	case ${1-} in
	'' | -*) ;;
	*)
		run_scoped "$command_name" "$key" "$@"
		return
		;;
	esac
	set -- "$command_name" "$key" "$@"
	run_object "$@"
	object_status=$?
	case $object_status,$1 in
	0,thread | 3,thread) cursor_set "$1" "$2" '' ;;
	0,* | 3,*) cursor_set "$1" "$2" 0 ;;
	esac
	return "$object_status"
}

run_object() # KIND KEY OPTION...
{
	object_reference=$1/$2
	shift 2
	run_program "$command_program" "$object_reference" "$@"
}

run_scoped() # KIND KEY COMMAND...
{
	set -- "$cursor_kind" "$cursor_key" "$cursor_frame" "$@"
	case $4 in
	thread) cursor_set "$4" "$5" '' ;;
	*) cursor_set "$4" "$5" 0 ;;
	esac
	object_restore "$@"
}

# Runs the words from the sixth on, then restores the cursor from the first three.
object_restore()
{
	object_keep "$@"
	set -- "$?" "$1" "$2" "$3"
	cursor_set "$2" "$3" "$4"
	return "$1"
}

object_keep()
{
	shift 5
	run_words "$@"
}

run_connection() # ADDRESS
{
	object_key connection "${1-}" || return
	shift
	run_program "$command_program" "conn/$key" "$@"
}

run_runtime() # [INDEX | 0xHANDLE]
{
	case ${1-} in
	runtime/*) set -- "${1#runtime/}" "$@" ;;
	'' | -*) set -- 0 x "$@" ;;
	*) set -- "${1#@}" "$@" ;;
	esac
	key=$1
	shift 2
	run_program "$command_program" "runtime/$key" "$@"
}

# frame, up, down: to a frame, whose lines are shown, and then a command there.

run_frame() # [N] [COMMAND...]
{
	cursor_root || return
	case ${1-} in
	'' | *[!0-9]*) frame_go "$cursor_frame" '' "$@" ;;
	*)
		key=$1
		shift
		frame_go "$key" '' "$@"
		;;
	esac
}

run_up() # [COMMAND...]
{
	cursor_root || return
	frame_go $((cursor_frame + 1)) "frame #$cursor_frame is the root of $cursor_kind $cursor_key" "$@"
}

run_down() # [COMMAND...]
{
	cursor_root || return
	if [ "$cursor_frame" -eq 0 ]; then
		complain "frame #0 is the most recently polled of $cursor_kind $cursor_key"
		return 1
	fi
	frame_go $((cursor_frame - 1)) '' "$@"
}

# Of the trace from the frame on, the frame itself comes last. END: what to say when there is no such frame.
frame_go() # N END [COMMAND...]
{
	object_frame=$1 object_end=$2
	shift 2
	object_told=$told told=
	object_trace=$(run_program hansei-trace "frame/$cursor_key.$object_frame" 2>"$private/errors")
	object_status=$? told=$object_told
	case $object_status in
	0 | 3)
		tell_errors
		object_trace=$nl$object_trace
		cursor_frame=$object_frame
		[ -z "$piping" ] || state_keep 0 # the reader may have gone, and printing end this process
		answer '#%s\n' "${object_trace##*"$nl"#}"
		[ $# -gt 0 ] || return "$object_status"
		run_words "$@"
		return
		;;
	esac
	IFS= read -r object_message <"$private/errors"
	case $object_message in
	*"no frame $object_frame "*)
		object_count=${object_message##* it has }
		complain "${object_end:-no frame #$object_frame in $cursor_kind $cursor_key: it has $object_count}"
		;;
	*) tell_errors ;;
	esac
	return "$object_status"
}

# What is below reads the cursor.

run_trace() # [TASK | ADDRESS] [OPTION...]
{
	case ${1-} in
	'' | -*)
		case $cursor_kind in
		thread) reference=thread/$cursor_key ;;
		*) cursor_root || return ;;
		esac
		set -- "$reference" "$@"
		;;
	esac
	limit_add "$@"
	eval "run_program hansei-trace $limited"
}

run_locals() # [OPTION...]
{
	cursor_frame_reference || return
	print_limits
	eval "run_program hansei-print \"\$reference\" $limits \"\$@\""
}

# The path goes below the frame at the cursor; an address with a type stands for itself.
run_print() # [OPTION...] [PATH... | ADDRESS TYPE [PATH...]]
{
	object_operand=''
	for object_word; do
		case $object_word in
		-*) ;;
		*)
			object_operand=$object_word
			break
			;;
		esac
	done
	print_limits
	case $object_operand in
	0x*)
		# shellcheck disable=SC2086 # words on purpose
		run_program hansei-print $limits "$@"
		;;
	*)
		cursor_frame_reference || return
		# shellcheck disable=SC2086
		run_program hansei-print $limits "$reference" "$@"
		;;
	esac
}

run_dump()
{
	run_print --dump "$@"
}

run_children()
{
	cursor_root || return
	case $cursor_kind in
	task) run_program hansei-tasks --children "$reference" "$@" ;;
	*) run_program hansei-futures "$reference" "$@" ;;
	esac
}

run_regs()
{
	case $cursor_kind in
	'')
		complain "no thread selected"
		return 1
		;;
	esac
	run_program "$command_program" --regs "$cursor_kind/$cursor_key" "$@"
}

run_whatis() # [ADDRESS]
{
	if [ $# -eq 0 ]; then
		cursor_address || return
		set -- "$address"
	fi
	run_program "$command_program" "$@"
}

run_report()
{
	run_program "$command_program" "$@"
}
