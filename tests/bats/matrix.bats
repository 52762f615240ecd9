# A thin slice of `make matrix`, which is what CI has time for: an old release of tokio, a separate build, and two that
# are refused. tests/matrix.tsv has all rows.

row()
{
	HANSEI_MATRIX=$BATS_FILE_TMPDIR run "$BATS_TEST_DIRNAME/../matrix" "$1"
	echo "$output"
	[[ "$output" != *"skipped: "* ]] || skip "$(sed -n 's/.*skipped: //p' <<<"$output")"
	[ "$status" -eq 0 ]
}

@test "tokio 1.47" { row 1.47.5-release; }
@test "a production build without debug information and its twin" { row twin; }
@test "the twin has another tokio: refused, and the message has both" { row other-tokio; }
@test "the twin has another source: refused, and the message counts" { row other-source; }
