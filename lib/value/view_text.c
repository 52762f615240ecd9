/* Texts: what std keeps as bytes that mean characters. Sources: library/alloc/src/{string,ffi/c_str}.rs,
 * library/core/src/ffi/c_str.rs, library/std/src/{ffi/os_str,path,sys/os_str/bytes}.rs (1.63 to 1.97). */
#include <string.h>

#include "value/target.h"
#include "value/view.h"

/* paths: bytes, length [, capacity]. */
bool view_text_slice(struct viewer *viewer, const struct subject *s, struct view *out)
{
	uint64_t at[2], capacity;
	unsigned char last;
	if (!subject_numbers(viewer, s, 2, at, out))
		return true;
	if (subject_load(viewer, s, 2, &capacity) == OUTCOME_VALUE && at[1] > capacity) {
		view_error(out, "length %llu passes the capacity of %llu", (unsigned long long)at[1],
		           (unsigned long long)capacity);
		return true;
	}
	if (at[1] > INT64_MAX) {
		view_error(out, "length %llu cannot be", (unsigned long long)at[1]);
		return true;
	}
	if (!memory_there(viewer, at[0], at[1])) {
		view_unreadable(out, at[0]);
		return true;
	}
	out->kind = VIEW_TEXT;
	out->address = at[0];
	out->length = at[1];
	if (s->row->words != NULL && at[1] != 0 && target_read(viewer->target, at[0] + at[1] - 1, &last, 1) && last == 0)
		out->length--; /* of a C string the NUL counts as part */
	return true;
}

#define VEC(path) path "buf.inner.ptr.pointer.pointer | " path "buf.ptr.pointer.pointer | " path "buf.ptr.pointer", \
	          path "len", path "buf.inner.cap~8 | " path "buf.cap~8"

static const struct formatter ROWS[] = {
	{ "alloc::string::String", FORMAT_STRING, view_text_slice, 2, { VEC(".vec.") }, NULL },
	{ "std::ffi::os_str::OsString", FORMAT_STRING, view_text_slice, 2, { VEC(".inner.inner.") }, NULL },
	{ "std::path::PathBuf", FORMAT_STRING, view_text_slice, 2, { VEC(".inner.inner.inner.") }, NULL },
	{ "alloc::ffi::c_str::CString", FORMAT_STRING, view_text_slice, 2, { ".inner.data_ptr", ".inner.length" }, "nul" },
	{ "&str", FORMAT_STRING, view_text_slice, 2, { ".data_ptr", ".length" }, NULL },
	{ "&mut str", FORMAT_STRING, view_text_slice, 2, { ".data_ptr", ".length" }, NULL },
	{ "*const str", FORMAT_STRING, view_text_slice, 2, { ".data_ptr", ".length" }, NULL },
	{ "alloc::boxed::Box<str", FORMAT_STRING | FORMAT_PREFIX, view_text_slice, 2, { ".data_ptr", ".length" }, NULL },
	{ "&std::path::Path", FORMAT_STRING, view_text_slice, 2, { ".data_ptr", ".length" }, NULL },
	{ "&mut std::path::Path", FORMAT_STRING, view_text_slice, 2, { ".data_ptr", ".length" }, NULL },
	{ "alloc::boxed::Box<std::path::Path", FORMAT_STRING | FORMAT_PREFIX, view_text_slice, 2,
	  { ".data_ptr", ".length" }, NULL },
	{ "&std::ffi::os_str::OsStr", FORMAT_STRING, view_text_slice, 2, { ".data_ptr", ".length" }, NULL },
	{ "alloc::boxed::Box<std::ffi::os_str::OsStr", FORMAT_STRING | FORMAT_PREFIX, view_text_slice, 2,
	  { ".data_ptr", ".length" }, NULL },
	{ "&core::ffi::c_str::CStr", FORMAT_STRING, view_text_slice, 2, { ".data_ptr", ".length" }, "nul" },
	{ "alloc::boxed::Box<core::ffi::c_str::CStr", FORMAT_STRING | FORMAT_PREFIX, view_text_slice, 2,
	  { ".data_ptr", ".length" }, "nul" },
	/* Arc<str>, Rc<Path> … : the wide pointer leads past two counts; view_pair finds out. */
};

const struct formatter_table STD_TEXT = FORMATTER_TABLE(ROWS);
