# The .tinfo file: what is extracted, that it says the same as the debug information, and what is refused.

load ../harness.sh

setup()
{
	cd "$BATS_TEST_TMPDIR"
}

@test "tasks say the same with -t, with -d, and without the executable" {
	for program in example current many runtimes shapes states; do
		for profile in dev release; do
			for kind in gcore kernel; do
				need_core "$program" "$profile" "$kind"
				hansei-tinfo extract "$binary" -o p.tinfo >said
				hansei-tasks -c "$core" -d "$binary" -b "$binary" --no-cache -o json >by-debug-info
				hansei-tasks -c "$core" -t p.tinfo -b "$binary" -o json >by-tinfo
				[ -s by-tinfo ]
				cmp by-debug-info by-tinfo
				# The path the core records is moved out of sight by naming no binary and a copy of the core elsewhere.
				mv "$binary" "$binary.away"
				hansei-tasks -c "$core" -t p.tinfo -o json >without 2>errors || :
				mv "$binary.away" "$binary"
				[ ! -s errors ] || { cat errors; false; }
				cmp by-tinfo without
			done
		done
	done
}

@test "the same bytes for any number of threads, and when written again" {
	for profile in dev release; do
		need_program shapes "$profile"
		hansei-tinfo extract "$binary" --output one.tinfo -j 1
		for threads in 2 3 7; do
			hansei-tinfo extract "$binary" --output other.tinfo -j "$threads"
			cmp one.tinfo other.tinfo
		done
	done
}

@test "small: at most a 400th of the binary" {
	need_program example release
	hansei-tinfo extract "$binary" -o e.tinfo
	[ "$(stat -c %s e.tinfo)" -lt $(($(stat -c %s "$binary") / 400)) ]
}

@test "provenance: build id, compiler, tokio" {
	need_program example release
	hansei-tinfo extract "$binary" -o e.tinfo
	run -0 hansei-tinfo stats e.tinfo
	[[ "$output" == *"$(readelf -n "$binary" | awk '/Build ID/ { print $3 }')"* ]]
	[[ "$output" == *"$(rustc --version | cut -d ' ' -f 2)"* ]]
	[[ "$output" == *"$(awk '/^name = "tokio"$/ { getline; gsub(/version = |"/, ""); print }' "$harness_root/example/Cargo.lock")"* ]]
}

# gdb is the second opinion on layouts: every struct with one definition whose name it can parse. Not coroutines'
# states: of those only the members that are live are recorded.
compare_with_gdb()
{
	hansei-tinfo extract "$binary" -o s.tinfo
	hansei-tinfo dump s.tinfo --format json >dump.json
	jq -rs '(map(select(.table == "members")) | group_by(.of) | map({key: (.[0].of | tostring), value: map("\(.name)@\(.offset)")}) | from_entries) as $members |
		[.[] | select(.table == "types" and .kind == "struct" and (.name | test("env#") | not))] | group_by(.name) |
		map(select(length == 1)) | .[][] | ["layout", .name, .size] + (($members[.id | tostring] // []) | sort) | @tsv' dump.json |
		LC_ALL=C sort >ours
	cut -f 2 ours >names
	[ "$(wc -l <names)" -gt 300 ]
	HANSEI_NAMES=names gdb -q -batch -x "$harness_root/tests/gdb_layouts.py" "$binary" 2>/dev/null | grep '^layout' |
		LC_ALL=C sort >theirs
	# What gdb found must be more than a few, and all of it must be what we have.
	[ "$(wc -l <theirs)" -gt 250 ] || { echo "gdb found $(wc -l <theirs) of $(wc -l <names)"; false; }
	LC_ALL=C comm -13 ours theirs >differences
	[ ! -s differences ] || { head differences; false; }
}

@test "sizes and offsets are gdb's" {
	command -v gdb >/dev/null || skip "gdb is not installed"
	gdb -q -batch -ex 'python print(1)' >/dev/null 2>&1 || skip "this gdb has no python"
	for profile in dev release; do
		need_program shapes "$profile"
		compare_with_gdb
	done
}

@test "check: fits, does not fit, undecided" {
	need_core current release kernel
	other=$core other_binary=$binary
	need_core example release kernel
	hansei-tinfo extract "$binary" -o e.tinfo
	run -0 hansei-tinfo check e.tinfo --core "$core"
	[[ "$output" == "fits: build id "* ]]
	run -1 hansei-tinfo check e.tinfo --core "$other" --binary "$other_binary"
	[[ "$output" == "does not fit: "* ]]
	mv "$other_binary" "$other_binary.away"
	run hansei-tinfo check e.tinfo --core "$other"
	mv "$other_binary.away" "$other_binary"
	[ "$status" -eq 3 ]
	[[ "$output" == "undecided: "* ]]
}

refused()
{
	local words=$1
	shift
	run --separate-stderr "$@"
	[ "$status" -eq 1 ] || { echo "status $status: $stderr"; false; }
	[ -z "$output" ]
	[[ "$stderr" == *"$words"* ]] || { echo "said: $stderr"; false; }
}

@test "what is no .tinfo is refused, each with its reason" {
	need_core example release kernel
	hansei-tinfo extract "$binary" -o e.tinfo
	: >empty
	refused "empty" hansei-tinfo stats empty
	refused "directory" hansei-tinfo stats .
	refused "No such file" hansei-tinfo stats nowhere.tinfo
	refused "$binary" hansei-tinfo stats "$binary"
	head -c 5000 e.tinfo >cut.tinfo
	refused "cut.tinfo" hansei-tinfo stats cut.tinfo
	refused "cut.tinfo" hansei-tasks -c "$core" -t cut.tinfo
}

@test "an extraction that fails leaves nothing behind" {
	need_program example release
	refused "No such file" hansei-tinfo extract "$binary" -o missing/e.tinfo
	mkdir there
	refused "there" hansei-tinfo extract "$binary" -o there
	objcopy --strip-debug "$binary" nodebug
	refused "debug = true" hansei-tinfo extract nodebug -o e.tinfo
	[ ! -e e.tinfo ]
	if [ "$(id -u)" -ne 0 ]; then
		mkdir -m 555 closed
		refused "Permission denied" hansei-tinfo extract "$binary" -o closed/e.tinfo
	fi
	[ -z "$(ls -A there)" ]
	[ -z "$(find . -name '*.tmp.*')" ]
	refused_usage=$(hansei-tinfo extract "$binary" 2>&1) && false
	[[ "$refused_usage" == *"--output"* ]]
}

@test "the cache: made once, used again, harmless" {
	need_core example release kernel
	export XDG_CACHE_HOME=$PWD/cache
	hansei-tasks -c "$core" -d "$binary" -o json >first
	[ "$(find cache -name '*.tinfo' | wc -l)" -eq 1 ]
	file=$(find cache -name '*.tinfo')
	hansei-tasks -c "$core" -d "$binary" -o json >second
	cmp first second
	for n in 1 2 3 4; do hansei-tasks -c "$core" -d "$binary" -o json >"at-once-$n" & done
	wait
	cmp first at-once-4
	head -c 1000 "$file" >cut && cp cut "$file" # damaged: extracted anew
	hansei-tasks -c "$core" -d "$binary" -o json >third
	cmp first third
	: >notdir
	XDG_CACHE_HOME=$PWD/notdir run -0 --separate-stderr hansei-tasks -c "$core" -d "$binary" -o json
	[[ "$stderr" == "warning: "*"could not be kept"* ]]
}
