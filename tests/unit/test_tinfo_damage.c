/* Damaged .tinfo files. Damage is done to bytes, to tables whose checksums are then made to fit, and to the content
 * behind right checksums: never a crash, and what is wrong is said with file, section and reason. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tinfo_model.h"
#include "base/error.h"
#include "tinfo/tinfo_build.h"
#include "tinfo/tinfo_internal.h"

/* --- damage --- */

/* Opens the damaged file and reads all of it: what it says is right, or it says what is wrong and where. */
static bool damage_noticed(const char *truth)
{
	static const char *const places[] = { "section ", "header: ", "directory: ", "is cut: ", "format version", "not a .tinfo" };
	struct tinfo *ti;
	struct error *err = tinfo_open(&ti, model_file);
	char *text = err == NULL ? model_text(ti) : NULL;
	const char *message = err != NULL ? error_message(err) : tinfo_fault(ti);
	bool noticed = message != NULL;
	if (message == NULL) {
		assert_string_equal(text, truth);
	} else {
		bool placed = false;
		for (size_t i = 0; i < sizeof places / sizeof *places; i++)
			placed |= strstr(message, places[i]) != NULL;
		if (strstr(message, model_file) != message || !placed)
			fail_msg("'%s' names no file or place", message);
	}
	free(text);
	error_free(err);
	tinfo_free(ti);
	return noticed;
}

static void test_truncated(void **unused)
{
	(void)unused;
	struct tinfo *small = model_small(false), *ti;
	model_fine(tinfo_write(small, model_file));
	struct bytes whole = model_file_read(model_file);
	char *truth = model_text(small);
	for (size_t length = 0; length < whole.length; length++) {
		model_file_put(model_file, whole.at, length);
		struct error *err = tinfo_open(&ti, model_file);
		assert_non_null(err);
		assert_ptr_equal(strstr(error_message(err), model_file), error_message(err));
		error_free(err);
	}
	model_file_put(model_file, whole.at, 20);
	model_refused(tinfo_open(&ti, model_file), ERROR_TRUNCATED, "is cut: the header needs 48 bytes, there are 20");
	model_file_put(model_file, whole.at, whole.length - 1);
	model_refused(tinfo_open(&ti, model_file), ERROR_TRUNCATED, "is cut: ");
	whole.at[whole.length] = 0;
	model_file_put(model_file, whole.at, whole.length + 1);
	model_refused(tinfo_open(&ti, model_file), ERROR_DATA, "has 1 bytes after its end");
	free(truth);
	free(whole.at);
	tinfo_free(small);
}

static void test_bit_flips(void **unused)
{
	(void)unused;
	struct tinfo *small = model_small(false);
	model_fine(tinfo_write(small, model_file));
	struct bytes whole = model_file_read(model_file);
	char *truth = model_text(small);
	uint64_t state = 2;
	size_t tried = 0, noticed = 0;
	for (size_t i = 0; i < whole.length * 8; i++) {
		whole.at[i / 8] ^= (unsigned char)(1 << i % 8);
		model_file_put(model_file, whole.at, whole.length);
		noticed += damage_noticed(truth);
		tried++;
		whole.at[i / 8] ^= (unsigned char)(1 << i % 8);
	}
	for (int i = 0; i < 2000; i++) { /* several at once, and runs of zeros */
		unsigned char *copy = malloc(whole.length);
		memcpy(copy, whole.at, whole.length);
		for (uint64_t n = 2 + model_random(&state) % 6; n != 0; n--)
			copy[model_random(&state) % whole.length] ^= (unsigned char)(1 + model_random(&state) % 255);
		size_t from = (size_t)(model_random(&state) % whole.length);
		if (i % 4 == 0)
			memset(copy + from, 0, whole.length - from < 512 ? whole.length - from : 512);
		model_file_put(model_file, copy, whole.length);
		noticed += damage_noticed(truth);
		tried++;
		free(copy);
	}
	assert_int_equal(noticed, tried); /* every byte is under a checksum */
	free(truth);
	free(whole.at);
	tinfo_free(small);
}

/* Right checksums over content that lies. */
static void test_lying_content(void **unused)
{
	(void)unused;
	uint64_t state = 3;
	size_t faults = 0;
	for (int i = 0; i < 3000; i++) {
		struct tinfo *lie = model_small(false), *ti;
		for (uint64_t n = 1 + model_random(&state) % 4; n != 0; n--) {
			struct section *section = &lie->sections[model_random(&state) % TABLE_COUNT];
			unsigned char *at = section->data + model_random(&state) % section->size;
			*at = (unsigned char)(model_random(&state) % 3 == 0 ? 0xff : model_random(&state));
		}
		ti = model_reopened(lie);
		model_probe(ti, &state);
		faults += tinfo_fault(ti) != NULL;
		tinfo_free(ti);
		tinfo_free(lie);
	}
	assert_true(faults > 1000);
}

/* One field of one record set to a value; the message that reading it gives. */
static void expect_fault(enum tinfo_table table, size_t record, size_t field, uint32_t value, const char *message)
{
	struct tinfo *lie = model_small(false);
	store_uint(lie->sections[table].data + record * TABLE_SHAPES[table].size + field, value, 4);
	struct tinfo *ti = model_reopened(lie);
	free(model_text(ti));
	assert_non_null(tinfo_fault(ti));
	if (strstr(tinfo_fault(ti), message) == NULL)
		fail_msg("'%s' does not say '%s'", tinfo_fault(ti), message);
	tinfo_free(ti);
	tinfo_free(lie);
}

static void test_references(void **unused)
{
	(void)unused;
	expect_fault(TABLE_MEMBERS, 1, 4, 99, "section members: record 1: refers to 99 of 14 types");
	expect_fault(TABLE_TYPES, 3, 24, 14, "section types: record 3: refers to 14 of 14 types");
	expect_fault(TABLE_TYPES, T_NODE, 20, 900, "section types: record 7: run reaches 903 of 10 members");
	expect_fault(TABLE_TYPES, T_ENV, 16, 0xfffffff0, "section types: record 10: run reaches 4294967282 of 6 variants");
	expect_fault(TABLE_INSTANCES, 1, 8, 5, "section instances: record 1: refers to 5 of 5 functions");
	expect_fault(TABLE_INSTANCES, 0, 16, 5, "section instances: record 0: run reaches 5 of 4 constants");
	expect_fault(TABLE_VARIANTS, 0, 4, 14, "section variants: record 0: refers to 14 of 14 types");
	expect_fault(TABLE_CRATES, 1, 0, 100000, "section strings: there is no text at 100000");
	expect_fault(TABLE_ADDRESSES, 1, 0, 77, "section addresses: record 1: refers to 77 of 5 functions");
	struct tinfo *lie = model_small(false);
	lie->sections[TABLE_STRINGS].data[lie->sections[TABLE_STRINGS].size - 1] = 'x';
	struct tinfo *ti = model_reopened(lie);
	free(model_text(ti));
	assert_non_null(strstr(tinfo_fault(ti), "section strings: the text at "));
	assert_non_null(strstr(tinfo_fault(ti), " does not end"));
	tinfo_free(ti);
	tinfo_free(lie);
}

static void test_lying_directory(void **unused)
{
	(void)unused;
	struct tinfo *small = model_small(false);
	model_fine(tinfo_write(small, model_file));
	struct bytes whole = model_file_read(model_file), lie = { malloc(whole.length), whole.length };
	uint64_t state = 4;
	size_t refused = 0;
	size_t front = HEADER_SIZE + TABLE_COUNT * ENTRY_SIZE;
	for (int i = 0; i < 6000; i++) {
		memcpy(lie.at, whole.at, whole.length);
		size_t at = 12 + (size_t)(model_random(&state) % (front - 12));
		if (i % 3 == 0)
			store_uint(lie.at + (at & ~(size_t)7), model_random(&state) >> model_random(&state) % 64, 8);
		else
			lie.at[at] = (unsigned char)model_random(&state);
		model_checksums_fix(lie);
		model_file_put(model_file, lie.at, lie.length);
		struct tinfo *ti;
		struct error *err = tinfo_open(&ti, model_file);
		refused += err != NULL;
		if (err == NULL)
			model_probe(ti, &state);
		else
			assert_ptr_equal(strstr(error_message(err), model_file), error_message(err));
		error_free(err);
		tinfo_free(ti);
	}
	assert_true(refused > 3000);
	free(whole.at);
	free(lie.at);
	tinfo_free(small);
}

/* Damage in one frame is noticed by who needs it, and by nobody else. */
static void test_large(void **unused)
{
	(void)unused;
	struct tinfo *ti, *again;
	model_fine(tinfo_build_finish(model_large(20000, 5), &ti));
	again = model_reopened(ti);
	char *truth = model_text(ti), *text = model_text(again);
	assert_string_equal(truth, text);
	uint32_t frames = again->sections[TABLE_STRINGS].frame_count, first;
	assert_true(frames > 10);
	struct bytes file = model_file_read(model_file);
	const char *names[64];
	for (uint32_t i = 0; i < 64; i++)
		names[i] = tinfo_type(ti, i * 300).name;
	uint64_t state = 7, right = 0;
	for (uint32_t frame = 0; frame < frames; frame++) {
		struct tinfo *hurt;
		unsigned char *at = file.at + again->sections[TABLE_STRINGS].starts[frame] + model_random(&state) % 100;
		*at ^= 0x10;
		model_file_put(model_copy, file.at, file.length);
		model_fine(tinfo_open(&hurt, model_copy));
		for (uint32_t i = 0; i < 64; i++) {
			uint32_t count = tinfo_types_named(hurt, names[i], &first);
			bool found = count != 0 && strcmp(tinfo_type(hurt, tinfo_nth_named(hurt, first)).name, names[i]) == 0;
			assert_true(found || tinfo_fault(hurt) != NULL);
			right += found;
		}
		char expected[64];
		snprintf(expected, sizeof expected, "section strings: frame %u: the checksum does not fit", frame);
		free(model_text(hurt));
		assert_non_null(strstr(tinfo_fault(hurt), expected));
		model_refused(tinfo_write(hurt, model_file), ERROR_DATA, expected);
		tinfo_free(hurt);
		*at ^= 0x10;
	}
	assert_true(right > frames * 16);
	free(truth);
	free(text);
	free(file.at);
	tinfo_free(again);
	tinfo_free(ti);
}

/* Frames with right checksums whose zstd stream is not what it should be: also what a decoder is fed then. */
static void test_lying_frames(void **unused)
{
	(void)unused;
	struct tinfo *small = model_small(false);
	unlink(model_file);
	model_fine(tinfo_write(small, model_file));
	struct bytes whole = model_file_read(model_file), lie = { malloc(whole.length), whole.length };
	uint64_t state = 8;
	size_t faults = 0;
	for (int i = 0; i < 4000; i++) {
		memcpy(lie.at, whole.at, whole.length);
		unsigned char *entry = lie.at + HEADER_SIZE + model_random(&state) % TABLE_COUNT * ENTRY_SIZE;
		unsigned char *table = lie.at + get_u64(entry + 32), *frame = lie.at + get_u64(entry + 48);
		size_t length = get_u32(table); /* every section of the small model has one frame */
		for (uint64_t n = 1 + model_random(&state) % 3; n != 0; n--)
			frame[model_random(&state) % length] = (unsigned char)model_random(&state);
		store_uint(table + 4, tinfo_hash(frame, length), 8);
		store_uint(entry + 40, tinfo_hash(table, FRAME_ENTRY_SIZE), 8);
		model_checksums_fix(lie);
		model_file_put(model_file, lie.at, lie.length);
		struct tinfo *ti;
		model_fine(tinfo_open(&ti, model_file));
		model_probe(ti, &state);
		faults += tinfo_fault(ti) != NULL;
		tinfo_free(ti);
	}
	assert_true(faults > 1000);
	free(whole.at);
	free(lie.at);
	tinfo_free(small);
}

/* Content like what sections have: mostly small numbers, texts that share beginnings, with and without a last NUL. */
static void random_content(uint64_t *state, unsigned char *content, size_t length)
{
	for (size_t i = 0; i < length; i++)
		content[i] = model_random(state) % 3 == 0 ? 0 : (unsigned char)('a' + model_random(state) % (model_random(state) % 2 ? 2 : 150));
}

static void test_codec(void **unused)
{
	(void)unused;
	enum { CONTENT = 2000 };
	unsigned char *content = malloc(CONTENT), *back = malloc(CONTENT);
	uint64_t state = 9;
	size_t refused = 0;
	for (int i = 0; i < 20000; i++) {
		struct coding coding = { (enum encoding)(i % ENCODING_COUNT), 4 * (1 + (uint32_t)(model_random(&state) % 40)),
					 (uint32_t)model_random(&state) };
		size_t length = (size_t)(model_random(&state) % CONTENT) / coding.stride * coding.stride;
		if (coding.encoding == ENCODING_TEXTS)
			length = (size_t)(model_random(&state) % CONTENT);
		random_content(&state, content, length);
		unsigned char *coded = malloc(codec_bound(length));
		size_t coded_length = codec_encode(&coding, content, length, coded);
		assert_true(coded_length <= codec_bound(length));
		memset(back, 'x', CONTENT);
		assert_true(codec_decode(&coding, coded, coded_length, back, length));
		assert_memory_equal(content, back, length);
		if (coded_length != 0) { /* then damaged, or cut; in memory of just that size, for ASan to watch */
			size_t kept = (size_t)(model_random(&state) % 2 == 0 ? coded_length : model_random(&state) % coded_length);
			unsigned char *hurt = malloc(kept + (kept == 0));
			memcpy(hurt, coded, kept);
			for (uint64_t n = 1 + model_random(&state) % 3; n != 0 && kept != 0; n--)
				hurt[model_random(&state) % (model_random(&state) % 2 == 0 && kept > 4 ? 4 : kept)] = (unsigned char)model_random(&state);
			unsigned char *exact = malloc(length + (length == 0));
			refused += !codec_decode(&coding, hurt, kept, exact, length);
			free(exact);
			free(hurt);
		}
		free(coded);
	}
	assert_true(refused > 5000);
	free(content);
	free(back);
}

int main(void)
{
	if (!model_begin())
		return 1;
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_truncated), cmocka_unit_test(test_bit_flips), cmocka_unit_test(test_lying_content),
		cmocka_unit_test(test_references), cmocka_unit_test(test_lying_directory), cmocka_unit_test(test_large),
		cmocka_unit_test(test_lying_frames), cmocka_unit_test(test_codec),
	};
	int status = cmocka_run_group_tests(tests, NULL, NULL);
	model_end();
	return status;
}
