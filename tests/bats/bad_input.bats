# Wrong and damaged input: each has its own message and exit status.

load ../harness.sh

setup()
{
	need_core example release kernel
	cd "$BATS_TEST_TMPDIR"
}

# refused STATUS WORDS ARGUMENT...: the program ends so, prints nothing, and says the words.
refused()
{
	local status_wanted=$1 words=$2
	shift 2
	run --separate-stderr hansei-tasks "$@"
	[ "$status" -eq "$status_wanted" ] || { echo "status $status, wanted $status_wanted: $stderr"; false; }
	[ -z "$output" ]
	[[ "$stderr" == *"$words"* ]] || { echo "said: $stderr"; false; }
	[[ "$stderr" == "hansei-tasks: "* ]]
}

@test "no core given" { refused 2 "--core"; }
@test "no such core" { refused 1 "No such file" -c missing.core; }
@test "a directory" { refused 1 "directory" -c .; }
@test "an empty file" { : >empty; refused 1 "empty" -c empty; }
@test "a script" { printf '#!/bin/sh\n' >core; refused 1 "script" -c core; }
@test "a program instead of a core" { refused 1 "not a core" -c "$binary"; }
@test "an unreadable core" {
	[ "$(id -u)" -ne 0 ] || skip "root reads everything"
	cp "$core" c && chmod 0 c
	refused 1 "Permission denied" -c c
}

@test "a core of another architecture" {
	head -c 4096 "$core" >other
	printf '\363\000' | dd of=other bs=1 seek=18 conv=notrunc status=none # EM_RISCV
	refused 1 "RISC-V" -c other || refused 1 "machine" -c other
}

@test "a core of a program without tokio" {
	command -v gcore >/dev/null || skip "gdb is not installed"
	sleep 1000 3>&- &
	sleeper=$!
	gcore -o plain "$sleeper" >/dev/null 2>&1 || { kill "$sleeper"; skip "ptrace is not permitted here"; }
	kill "$sleeper"
	run --separate-stderr hansei-tasks -c "plain.$sleeper" -d "$binary" --no-cache
	[ "$status" -eq 1 ]
	[ -z "$output" ]
}

@test "a binary of another build: both build ids" {
	other=$(need_core current release kernel >/dev/null; program_path current release)
	need_core example release kernel
	theirs=$(readelf -n "$other" | awk '/Build ID/ { print $3 }')
	ours=$(readelf -n "$binary" | awk '/Build ID/ { print $3 }')
	refused 1 "$theirs" -c "$core" -b "$other" -d "$binary"
	[[ "$stderr" == *"$ours"* ]]
}

@test "a binary without debug information: which profile lines give it" {
	objcopy --strip-debug "$binary" nodebug
	refused 1 "debug = true" -c "$core" -b nodebug -d nodebug --no-cache
	objcopy --strip-all "$binary" stripped
	refused 1 "stripped" -c "$core" -b stripped -d stripped --no-cache
}

@test "both sources of types" { refused 2 "--debug-info" -c "$core" -d "$binary" -t x.tinfo; }
@test "an unknown option and an unknown format" {
	refused 2 "--colour" -c "$core" --colour
	refused 2 "yaml" -c "$core" -o yaml
}

# Every pointer to an object is made to point nowhere: $1 core, $2 its copy, $3 the address.
lose_pointers()
{
	perl -e 'my ($from, $to, $address) = @ARGV;
		open my $in, "<:raw", $from or die; local $/; my $bytes = <$in>;
		my ($old, $new) = (pack("Q<", hex $address), pack("Q<", 0x10));
		my $hits = ($bytes =~ s/\Q$old\E/$new/g) or die "no pointer to $address";
		open my $out, ">:raw", $to or die; print $out $bytes;' "$1" "$2" "$3"
}

@test "a corrupt task list: what could be read, the reason, status 3" {
	command -v perl >/dev/null || skip "perl is not installed"
	run -0 hansei-tasks -c "$core" -b "$binary" --no-cache -o tsv --columns id,address --no-header
	[ "${#lines[@]}" -eq 10 ]
	for line in "${lines[@]}"; do
		lose_pointers "$core" broken "${line##*	}"
		run --separate-stderr hansei-tasks -c broken -b "$binary" --no-cache -o tsv --columns id --no-header
		[ "$status" -eq 3 ] || { echo "status $status: $stderr"; false; }
		[ "${#lines[@]}" -gt 0 ] && [ "${#lines[@]}" -lt 10 ]
		[[ "$stderr" == *"0x10"* ]] || { echo "$stderr"; false; }
	done
}

@test "a cut core: one warning, and what is there" {
	size=$(stat -c %s "$core")
	head -c $((size * 9 / 10)) "$core" >cut
	run --separate-stderr hansei-tasks -c cut -b "$binary" --no-cache -o tsv
	[[ "$stderr" == *"missing"* ]]
	[ "$(printf '%s\n' "$stderr" | grep -c 'the core is cut')" -eq 1 ]
}

@test "a full disk and a closed pipe" {
	[ -w /dev/full ] || skip "no /dev/full"
	run sh -c "hansei-tasks -c '$core' -b '$binary' --no-cache >/dev/full"
	[ "$status" -eq 1 ]
	[[ "$output" == *"No space left"* ]]
	run bash -c "set -o pipefail; hansei-tasks -c '$core' -b '$binary' --no-cache -o tsv | head -n 1"
	[ "$status" -eq 0 ]
}
