# shellcheck shell=sh disable=SC2034,SC2154 # parts share variables
# launch.sh - the command line, and attaching.

usage()
{
	cat <<-'END'
		usage: hansei [OPTION]… [CORE]
		       hansei tokio-info VERB …
		A session on the core dump of a tokio program. Commands come from --exec, from standard input, or are typed at
		the prompt; `help` lists them. tokio-info is hansei-tinfo: `hansei tokio-info extract BINARY --output FILE`.

		Input:
		  -c, --core FILE             the core dump [HANSEI_CORE]
		  -t, --tokio-info FILE       layouts extracted before (.tinfo) [HANSEI_TINFO]
		  -d, --debug-info FILE       debug information to extract layouts from [HANSEI_DEBUG_INFO]
		  -b, --binary FILE           the executable that dumped core [HANSEI_BINARY]
		  -f, --force                 go on although the files do not belong together
		      --best-effort           go on although parts of the runtime are unknown (they always do)

		Session:
		  -e, --exec COMMANDS         run these instead of reading standard input; may be repeated
		      --config KEY VALUE      change a setting before the first command; may be repeated

		Other:
		  -h, --help                  print this text
		  -V, --version               print the version
	END
}

usage_error()
{
	printf 'hansei: %s\n' "$*" >&2
	echo "try 'hansei --help'" >&2
	exit 2
}

# Options become what programs read from their environment. Files are named from where we are, and are checked when
# they are opened.
read_options()
{
	exec_count=0 force='' option_core='' option_tinfo='' option_debug=''
	settings_default
	while [ $# -gt 0 ]; do
		option_name=$1
		shift
		case $option_name in
		--*=*)
			set -- "${option_name#*=}" "$@"
			option_name=${option_name%%=*}
			case $option_name in
			--force | --best-effort | --help | --version) usage_error "$option_name: takes no value" ;;
			esac
			;;
		-[ctdbe]?*)
			set -- "${option_name#-?}" "$@"
			option_name=${option_name%"${option_name#-?}"}
			;;
		esac
		case $option_name in
		-[ctdbe] | --core | --tokio-info | --debug-info | --binary | --exec)
			[ $# -gt 0 ] || usage_error "$option_name: needs a value"
			;;
		--config) [ $# -gt 1 ] || usage_error "--config: needs two values: KEY VALUE" ;;
		-h | --help)
			usage
			exit
			;;
		-V | --version)
			find_program hansei-tasks || exit
			option_version=$("$found" --version) && echo "hansei ${option_version##* }"
			exit
			;;
		-f | --force)
			force=--force
			continue
			;;
		--best-effort) continue ;;
		--)
			[ $# -eq 0 ] || read_operand "$1"
			[ $# -le 1 ] || usage_error "'$2': one core is enough"
			return 0
			;;
		-?*) usage_error "$option_name: no such option" ;;
		*)
			read_operand "$option_name"
			continue
			;;
		esac
		case $option_name in
		-c | --core) option_core=$1 ;;
		-t | --tokio-info) option_tinfo=$1 ;;
		-d | --debug-info) option_debug=$1 ;;
		-b | --binary)
			HANSEI_BINARY=$1
			export HANSEI_BINARY
			;;
		-e | --exec)
			exec_count=$((exec_count + 1))
			eval "exec_$exec_count=\$1"
			;;
		--config)
			run_config "$1" "$2" || exit 2
			shift
			;;
		esac
		shift
	done
}

read_operand() # FILE
{
	case $1 in
	tokio-info) usage_error "tokio-info stands alone: hansei tokio-info VERB …" ;;
	esac
	[ -z "$option_core" ] || usage_error "'$1': one core is enough"
	option_core=$1
}

# One directory for what the session needs on disk, removed when it ends. Beside the cache, which is there to be
# written and has room.
make_private()
{
	private=
	for launch_place in "${XDG_CACHE_HOME:-${HOME-}/.cache}/hansei" "${TMPDIR:-/tmp}"; do
		[ "$launch_place" != /.cache/hansei ] || continue
		case $launch_place in
		*/hansei) mkdir -p "$launch_place" 2>/dev/null || continue ;;
		esac
		private=$(mktemp -d "$launch_place/session.XXXXXX" 2>/dev/null) && break
	done
	if [ -z "$private" ]; then
		echo "hansei: no place for temporary files: ${TMPDIR:-/tmp} cannot be written" >&2
		exit 1
	fi
	unpacked=
	trap clean_up EXIT
	trap 'exit 129' HUP
	trap 'exit 130' INT
	trap 'exit "$incomplete"' PIPE # the reader had enough
	trap 'exit 143' TERM
	case $launch_place in
	*/hansei) ;;
	*)
		XDG_CACHE_HOME=$private/cache # of this session only
		export XDG_CACHE_HOME
		;;
	esac
}

clean_up()
{
	rm -rf "$private"
	[ -z "$unpacked" ] || rm -f "$unpacked"
}

# Opens everything once, so that what does not fit is told before the first command. An extraction is kept in the
# cache; the programs find it there.
attach()
{
	find_program hansei-tasks || exit
	unpacked_list
	unpacked_before=$unpacked_cores told=''
	if [ -t 2 ]; then
		# An extraction that takes a while says so on the terminal, which hears everything else as well.
		attach_once
		[ "$launch_status" -eq 0 ] || exit "$launch_status"
	fi
	attach_once 2>"$private/errors"
	[ -t 2 ] || cat "$private/errors" >&2
	[ "$launch_status" -eq 0 ] || exit "$launch_status"
	while IFS= read -r launch_message; do
		told=$told$nl$launch_message
	done <"$private/errors"
}

# Sets launch_status; an answer in part is one.

attach_once()
{
	launch_status=0
	# shellcheck disable=SC2086 # --force or nothing
	"$found" $force --limit 0 --columns id >/dev/null </dev/null || launch_status=$?
	[ "$launch_status" -ne 3 ] || launch_status=0
	unpacked_claim
}

# A compressed core is unpacked into the cache, for all programs. The session that had it unpacked removes it.

# Sets unpacked_cores: those that are there.
unpacked_list()
{
	unpacked_cores=$nl
	set +f
	for unpacked_core in "${XDG_CACHE_HOME:-${HOME-}/.cache}"/hansei/core-*; do
		unpacked_cores=$unpacked_cores$unpacked_core$nl
	done
	set -f
}

unpacked_claim()
{
	unpacked_list
	IFS=$nl
	for unpacked_core in $unpacked_cores; do
		case $unpacked_before in
		*"$nl$unpacked_core$nl"*) ;;
		*) unpacked=$unpacked_core ;;
		esac
	done
	unset IFS
}

launch() # OPTION...
{
	carriage_return=$(printf '\r')
	quitting='' incomplete=0 interrupted='' prompting='' page_helper='' private='' run_quiet='' piping=''
	pager_default=${HANSEI_PAGER:-${PAGER:-less}}
	cursor_set '' '' ''
	read_options "$@"
	[ -n "$option_core" ] || option_core=${HANSEI_CORE-}
	if [ -z "$option_core" ]; then
		usage_error "no core: name it, as in 'hansei --core FILE'"
	elif [ -n "$option_tinfo" ] && [ -n "$option_debug" ]; then
		usage_error "--tokio-info and --debug-info exclude each other: layouts come from one of them"
	fi
	HANSEI_CORE=$option_core HANSEI_FORMAT=table
	[ -z "$option_tinfo" ] || HANSEI_TINFO=$option_tinfo HANSEI_DEBUG_INFO=''
	[ -z "$option_debug" ] || HANSEI_DEBUG_INFO=$option_debug HANSEI_TINFO=''
	export HANSEI_CORE HANSEI_TINFO HANSEI_DEBUG_INFO HANSEI_FORMAT
	pager_export
	width_export
	make_private
	attach
}
