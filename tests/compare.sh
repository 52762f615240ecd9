# shellcheck shell=bash
# tests/compare.sh - hansei-tasks against what a program says of itself. To be sourced, by tasks.bats and by
# tests/matrix.
#
#     scratch=/tmp/x core=… truth=… sources=(-b the-binary)
#     compare_program states
#
# A compare_* has status 0 if all agrees; else it prints how it does not. `sources` are the options that say where
# executable and layouts are; `scratch` is a folder for what is compared, the listing in `ours` and our messages in
# `messages`. There have to be none, or, if `warned` is set, one line with this text.

# ours OPTION...: our listing, without a header, into $scratch/ours.
ours()
{
	local status=0
	hansei-tasks -c "$core" "${sources[@]}" --no-cache --no-header -o tsv "$@" \
		>"$scratch/ours" 2>"$scratch/messages" || status=$?
	if [ "$status" -ne 0 ] || ! messages_expected; then
		echo "hansei-tasks ${sources[*]} $*: status $status:"
		head -n 5 "$scratch/messages"
		return 1
	fi
}

messages_expected()
{
	if [ -z "${warned:-}" ]; then
		[ ! -s "$scratch/messages" ]
	else
		[ "$(wc -l <"$scratch/messages")" -eq 1 ] && grep -qF -- "$warned" "$scratch/messages"
	fi
}

# What the program says, as we list it: id, state, site, future. The site is that of the deepest await in the
# program's own code; where a chain forks (branch=…) it ends at the fork. What no runtime's list has is listed if a
# handle leads to it, as long as it is not complete. To rustc the type of a blocking function is its signature.
expected_tasks()
{
	awk -F '\t' -v OFS='\t' '
		$1 == "task" && !($3 == "complete" && /owned=0/) {
			state[$2] = $3 (/cancelled=1/ ? " (cancelled)" : "")
			site[$2] = $5 == "-" ? "" : $5
			future[$2] = $3 ~ /^blocking/ ? "future tokio::runtime::blocking::task::BlockingTask<fn()>" : $4
		}
		$1 == "frame" && !/branch=/ && $4 != "-" { deeper[$2] = $4 }
		END {
			for (id in state)
				print id, state[id], (id in deeper && state[id] !~ /running/ ? deeper[id] : site[id]), future[id]
		}' "$truth" | sort -n
}

# differs: the difference between standard input and $scratch/expected, which must not be empty.
differs()
{
	[ -s "$scratch/expected" ] || { echo "no ground truth to compare with" && return 1; }
	diff "$scratch/expected" -
}

compare_tasks()
{
	ours --columns id,state,awaiting,future || return
	expected_tasks >"$scratch/expected"
	cut -f 2- "$scratch/ours" | sort -n | differs
}

# Each runtime's tasks stand together under one number of ours.
compare_runtimes()
{
	ours --columns id,runtime || return
	awk -F '\t' '$1 == "task" && match($0, /runtime=[a-z]+/) { print $2 "\t" substr($0, RSTART + 8, RLENGTH - 8) }' "$truth" |
		sort >"$scratch/labels"
	cut -f 2 "$scratch/labels" | sort -u >"$scratch/expected"
	cut -f 2- "$scratch/ours" | sort | join -t $'\t' - "$scratch/labels" | cut -f 2,3 | sort -u >"$scratch/pairs"
	cut -f 2 "$scratch/pairs" | sort | differs || return # a label under two numbers stands here twice
	[ -z "$(cut -f 1 "$scratch/pairs" | sort | uniq -d)" ] || { echo "two runtimes are one:" && cat "$scratch/pairs" && return 1; }
}

compare_lwps()
{
	ours --columns id,lwp --with state running || return
	awk -F '\t' '$1 == "task" && match($0, /lwp=[0-9]+/) { print $2 "\t" substr($0, RSTART + 4, RLENGTH - 4) }' "$truth" |
		sort -n >"$scratch/expected"
	cut -f 2- "$scratch/ours" | differs
}

compare_sizes()
{
	ours --columns id,size || return
	awk -F '\t' '$1 == "size" { print $2 "\t" $3 }' "$truth" | sort -n >"$scratch/expected"
	cut -f 2- "$scratch/ours" | sort -n | differs
}

compare_joins()
{
	ours -o json || return
	awk -F '\t' '$1 == "task" && !/owned=0/ && match($0, /joins=task\/[0-9]+/) { print "task/" $2 "\t" substr($0, RSTART + 6, RLENGTH - 6) }' \
		"$truth" | sort >"$scratch/expected"
	jq -r 'select(.waiting_on.kind == "task") | [.ref, .waiting_on.task] | @tsv' "$scratch/ours" | sort | differs
}

# Futures that are held: of which task, how, in which local, where they stand, and inside which other.
compare_futures()
{
	local status=0
	hansei-futures -c "$core" "${sources[@]}" --no-cache -o json >"$scratch/ours" 2>"$scratch/messages" || status=$?
	if [ "$status" -ne 0 ] || [ -s "$scratch/messages" ]; then
		echo "hansei-futures ${sources[*]}: status $status:"
		head -n 5 "$scratch/messages"
		return 1
	fi
	awk -F '\t' -v OFS='\t' '
		function value(key) { return match($0, "\t" key "=[^\t]*") ? substr($0, RSTART + length(key) + 2, RLENGTH - length(key) - 2) : "" }
		$1 == "held" { print "task/" $2, $3, $4, $5 == "-" ? "" : $5, value("local"), value("via"), value("armed") }' "$truth" |
		sort >"$scratch/expected"
	jq -rs 'map({ (.ref): .local }) as $locals | ($locals | add) as $local |
		.[] | [.task, .kind, .future, .awaiting, .local, (if .via then $local[.via] else null end), .armed] | @tsv' \
		"$scratch/ours" | sort | differs
}

# program_comparisons PROGRAM: which of them its ground truth serves.
program_comparisons()
{
	case $1 in
	held) echo tasks futures ;;
	hidden) echo tasks runtimes joins lwps ;;
	runtimes) echo tasks runtimes joins ;;
	shapes) echo tasks sizes ;;
	states) echo tasks lwps ;;
	*) echo tasks ;;
	esac
}

# compare_program PROGRAM: all of them; says which failed, too.
compare_program()
{
	local one status=0
	for one in $(program_comparisons "$1"); do
		"compare_$one" >"$scratch/difference" 2>&1 && continue
		echo "$one:"
		cat "$scratch/difference"
		status=1
	done
	return "$status"
}
