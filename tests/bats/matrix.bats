# A thin slice of `make matrix`, which is what CI has time for: an old release of tokio, a separate build, and one that
# is refused. tests/matrix.tsv has all rows.

row()
{
	run "$BATS_TEST_DIRNAME/../matrix" "$1"
	[[ "$output" != *"skipped: "* ]] || skip "${output##*skipped: }"
	[ "$status" -eq 0 ]
}

@test "tokio 1.47" { row 1.47.5-release; }
@test "a production build without debug information and its twin" { row twin; }
@test "the twin has another tokio: refused, and the message counts" { row other-tokio; }
