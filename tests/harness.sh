# shellcheck shell=bash disable=SC2034
# tests/harness.sh - cores of real programs, for the bats files. To be sourced.
#
#     load ../harness.sh
#     need_core states release kernel         # skips the test where that cannot be had
#     hansei-tasks -c "$core" -b "$binary"    # and $truth says what it has to print
#
# A program is `example` or a package of tests/programs. It is built by cargo, run until it says READY,
# dumped and ended. Two kinds of core: `gcore` by gdb, of the living process; `kernel` by the kernel, of
# the same process killed with SIGABRT. What comes out is kept in build/cores/PROGRAM-PROFILE-KIND/ for
# as long as the binary stays the same:
#
#     core        the core
#     truth.tsv   what the program said of itself (tests/programs/README.md has the fields)
#     hash        of the binary
#
# HANSEI_CORES names another place than build/cores.

! declare -F bats_require_minimum_version >/dev/null || bats_require_minimum_version 1.5.0

harness_root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
harness_cores=${HANSEI_CORES:-$harness_root/build/cores}
harness_patience=60 # seconds for a program to get ready

# need_core PROGRAM PROFILE KIND: sets binary, core and truth; skips the test if there is a reason to, and
# fails it if something is wrong.
need_core()
{
	local reason
	reason=$(core_refusal "$3")
	[ -z "$reason" ] || skip "$reason"
	need_program "$1" "$2"
	core_make "$1" "$2" "$3" || case $? in
	77) skip "ptrace is not permitted here" ;;
	*) return 1 ;;
	esac
	core=$harness_cores/$1-$2-$3/core
	truth=$harness_cores/$1-$2-$3/truth.tsv
}

# need_program PROGRAM PROFILE: builds it and sets binary. Skips without cargo or crates.
need_program()
{
	local reason
	reason=$(cargo_refusal "$1")
	[ -z "$reason" ] || skip "$reason"
	program_build "$1" "$2" || return 1
	binary=$(program_path "$1" "$2")
}

# cargo_refusal PROGRAM: prints why it cannot be built here; nothing if it can.
cargo_refusal()
{
	local source
	source=$(program_source "$1")
	if ! command -v cargo >/dev/null; then
		echo "cargo is not installed"
	elif ! harness_once "fetched-${source##*/}" cargo_in "$source" fetch --locked --target "$(host_target)"; then
		echo "cargo cannot fetch the crates"
	fi
}

# core_refusal KIND: prints why such a core cannot be taken here; nothing if it can.
core_refusal()
{
	case $1 in
	gcore)
		if ! command -v gcore >/dev/null || ! command -v gdb >/dev/null; then
			echo "gdb is not installed"
		elif [ "$(ptrace_scope)" -ge 3 ]; then
			echo "kernel.yama.ptrace_scope forbids gcore"
		elif [ "$(ptrace_scope)" -eq 2 ] && [ "$(id -u)" -ne 0 ]; then
			echo "kernel.yama.ptrace_scope allows only root to use gcore"
		fi
		;;
	kernel)
		if [ ! -r /proc/sys/kernel/core_pattern ]; then
			echo "no kernel.core_pattern"
		elif [ "$(ulimit -H -c)" = 0 ]; then
			echo "core dumps are limited to size 0"
		else
			case $(cat /proc/sys/kernel/core_pattern) in
			\|*) echo "kernel.core_pattern is a pipe" ;;
			/*) echo "kernel.core_pattern is another directory" ;;
			esac
		fi
		;;
	*)
		echo "harness: no such kind of core: $1" >&2
		return 1
		;;
	esac
}

ptrace_scope()
{
	cat /proc/sys/kernel/yama/ptrace_scope 2>/dev/null || echo 0
}

host_target()
{
	rustc -vV | sed -n 's/^host: //p'
}

# program_source PROGRAM: the folder where cargo runs, whose .cargo/config.toml it then reads.
program_source()
{
	case $1 in
	example) echo "$harness_root/example" ;;
	*) echo "$harness_root/tests/programs" ;;
	esac
}

# program_path PROGRAM PROFILE: where cargo puts the binary. The profile is `dev` or `release`.
program_path()
{
	local folder=$2 name=$1
	[ "$2" != dev ] || folder=debug
	[ "$1" != example ] || name=hansei-example
	echo "$(program_source "$1")/target/$folder/$name"
}

program_build()
{
	local package=$1
	[ "$1" != example ] || package=hansei-example
	harness_once "built-$1-$2" \
		cargo_in "$(program_source "$1")" build --quiet --locked --profile "$2" --package "$package"
}

# cargo_in FOLDER ARG...: cargo as the folder's own configuration has it, not as the caller's environment.
cargo_in()
{
	(
		cd "$1" || exit
		shift
		unset RUSTFLAGS CARGO_ENCODED_RUSTFLAGS CARGO_TARGET_DIR CARGO_BUILD_TARGET
		cargo "$@" >&2
	)
}

# harness_once NAME COMMAND...: runs it once per run of bats, if it succeeds.
harness_once()
{
	local mark=${BATS_RUN_TMPDIR:-}/harness-$1
	shift
	if [ -n "${BATS_RUN_TMPDIR:-}" ] && [ -e "$mark" ]; then
		return 0
	fi
	"$@" || return
	if [ -n "${BATS_RUN_TMPDIR:-}" ]; then
		: >"$mark"
	fi
}

# core_make PROGRAM PROFILE KIND: takes the core, unless there is one of this very binary. Status 77 if
# the system does not let gdb attach.
core_make()
{
	local path place hash status=0
	path=$(program_path "$1" "$2")
	place=$harness_cores/$1-$2-$3
	hash=$(cksum <"$path") || return
	if [ -e "$place/core" ] && [ "$(cat "$place/hash" 2>/dev/null)" = "$hash" ]; then
		return 0
	fi
	mkdir -p "$harness_cores" || return
	local work
	work=$(mktemp -d "$harness_cores/.$1-$2-$3.XXXXXX") || return
	core_take "$path" "$3" "$work" || status=$?
	if [ "$status" -eq 0 ] && [ "$1" = example ]; then
		example_truth >"$work/truth.tsv" || status=$?
	fi
	if [ "$status" -ne 0 ]; then
		rm -rf "$work"
		return "$status"
	fi
	echo "$hash" >"$work/hash"
	rm -rf "$place" && mv "$work" "$place"
}

# core_take PATH KIND FOLDER: runs the program there, and leaves core and truth.tsv.
core_take()
{
	local status=0
	(
		cd "$3" || exit
		[ "$2" != kernel ] || ulimit -S -c "$(ulimit -H -c)" || exit
		export -n OLDPWD
		"$1" >truth.tsv 2>stderr 3>&- </dev/null &
		pid=$!
		trap '[ -z "$pid" ] || kill -KILL "$pid" || :' EXIT
		if ! program_settle "$pid"; then
			echo "harness: $1 does not get ready:" >&2
			cat truth.tsv stderr >&2
			exit 1
		fi
		case $2 in
		gcore)
			if ! DEBUGINFOD_URLS='' gcore -o core "$pid" >gcore.log 2>&1 3>&-; then
				cat gcore.log >&2
				! grep -q 'Operation not permitted' gcore.log || exit 77
				exit 1
			fi
			;;
		kernel)
			kill -ABRT "$pid"
			{ wait "$pid"; } 2>/dev/null || : # no word of the shell about the crash
			pid=
			;;
		esac
		for file in *; do # whatever else than `core` the system adds to the name
			case $file in
			truth.tsv | stderr | gcore.log | core) ;;
			*) mv "$file" core || exit ;;
			esac
		done
		[ -s core ] || { echo "harness: $1 left no core" >&2 && exit 1; }
		# gdb writes out 64 MB of zeros for every arena of malloc's.
		if cp --sparse=always core sparse 2>/dev/null; then
			mv -f sparse core || exit
		fi
		chmod 644 core && chmod 755 . && rm -f stderr gcore.log
	) || status=$?
	return "$status"
}

# program_settle PID: waits in its folder until it has said so and all its threads stand still.
program_settle()
{
	local waited=0 before='' now
	until grep -q -e '^READY$' -e '^core it with: ' truth.tsv; do
		kill -0 "$1" 2>/dev/null || return
		waited=$((waited + 1))
		[ "$waited" -le $((harness_patience * 20)) ] || return
		sleep 0.05
	done
	# The last word was printed by a thread that had yet to park. Asleep and not woken in between is parked.
	for ((waited = 0; waited < 100; waited++)); do
		now=$(cat /proc/"$1"/task/*/status 2>/dev/null | grep -e '^State' -e '^voluntary')
		[ -z "$now" ] || [ "$now" != "$before" ] || return 0
		before=$now
		sleep 0.05
	done
	[ -z "$now" ] # a system without /proc/PID/task has slept long enough; else something still moves
}

# example_truth: what is true of the example, from its source. Its tasks print nothing, since it is there
# to be read.
example_truth()
{
	local id name wait text line
	while IFS='|' read -r id name wait text; do
		line=$(await_line "$harness_root/example/src/main.rs" "$name" "$text") || return
		printf 'task\t%s\tidle\tasync fn hansei_example::%s\tsrc/main.rs:%s\twait=%s\n' \
			"$id" "$name" "$line" "$wait"
	done <<-'END'
		3|listener|io|listener.accept().await
		4|producer|mpsc|submit.send(job).await
		5|dispatcher|mutex|config.lock().await
		6|reloader|oneshot|all_drained.await
		7|fanout|futures_unordered|probes.next().await
		8|heartbeat|timer|sleep(50 * HOUR).await
		9|supervisor|join_set|workers.join_next().await
		10|worker|watch|progress.changed().await
		11|worker|watch|progress.changed().await
		12|worker|watch|progress.changed().await
	END
	printf 'runtime\tmain\tmulti_thread\tworkers=2\ttasks=10\n'
}

# await_line FILE FUNCTION TEXT: the number of the line of this async fn that has the text.
await_line()
{
	awk -v start="async fn $2(" -v text="$3" '
		index($0, start) == 1 { inside = 1 }
		inside && index($0, text) { print NR; found = 1; exit }
		inside && /^}/ { inside = 0 }
		END { exit !found }
	' "$1"
}

# truth_tasks FILE: the tasks a runtime owns, one `id what future awaiting` a line, in order of id.
truth_tasks()
{
	grep '^task' "$1" | grep -v 'owned=0' | cut -f 2-5 | sort -n
}

# truth_deepest FILE: the same, but with the site of the innermost future of the chain, as long as that is
# one: the branches of a select or join count as none.
truth_deepest()
{
	awk -F '\t' -v OFS='\t' '
		$1 == "frame" && !/\tbranch=/ { deepest[$2] = $4 }
		$1 == "task" { line[$2] = $0 }
		END {
			for (id in line) {
				$0 = line[id]
				if (id in deepest)
					$5 = deepest[id]
				print
			}
		}' "$1" >"$BATS_TEST_TMPDIR/deepest.tsv"
	truth_tasks "$BATS_TEST_TMPDIR/deepest.tsv"
}

# truth_field LINE KEY: the value of key=value in a line of ground truth.
truth_field()
{
	printf '%s\n' "$1" | tr '\t' '\n' | sed -n "s/^$2=//p"
}

# gdb_thread_count CORE: how many threads gdb finds in it. (Without symbols: that is not their business.)
gdb_thread_count()
{
	DEBUGINFOD_URLS='' gdb -q -nx -batch -iex 'set auto-solib-add off' -ex "core-file $1" -ex 'info threads' 2>/dev/null 3>&- |
		grep -c '^[* ] *[0-9][0-9]* .*\(Thread\|LWP\)'
}
