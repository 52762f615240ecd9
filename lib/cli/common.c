#include "cli/common.h"

#include <string.h>

#include "base/error.h"
#include "cli/options.h"

static const struct option COMMON[] = {
	{ "core", 'c', "FILE", "HANSEI_CORE", "the core dump" },
	{ "tokio-info", 't', "FILE", "HANSEI_TINFO", "layouts extracted before (.tinfo)" },
	{ "debug-info", 'd', "FILE", "HANSEI_DEBUG_INFO", "debug information to extract layouts from" },
	{ "binary", 'b', "FILE", "HANSEI_BINARY", "the executable that dumped core" },
	{ "format", 'o', "FORMAT", "HANSEI_FORMAT", "table, tsv or json" },
	{ "force", 'f', NULL, NULL, "go on although the files do not belong together" },
	{ "no-cache", 0, NULL, NULL, "neither read nor write cached layouts" },
};
const struct option_set OPTIONS_COMMON = OPTION_SET("Input and output", COMMON);

static const struct {
	const char *name;
	enum format format;
} FORMATS[] = {
	{ "table", FORMAT_TABLE },
	{ "tsv", FORMAT_TSV },
	{ "json", FORMAT_JSON },
};

struct error *format_parse(const char *text, enum format *format)
{
	for (size_t i = 0; i < sizeof FORMATS / sizeof FORMATS[0]; i++) {
		if (strcmp(text, FORMATS[i].name) == 0) {
			*format = FORMATS[i].format;
			return NULL;
		}
	}
	return error_new(ERROR_USAGE, "'%s' is not table, tsv or json", text);
}

enum format format_choose(enum format asked, const struct out *out, bool listing)
{
	if (asked != FORMAT_DEFAULT)
		return asked;
	return listing && !out->terminal ? FORMAT_TSV : FORMAT_TABLE;
}

struct error *common_read(const struct options *options, struct common *common)
{
	*common = (struct common){
		.core = options_value(options, "core"),
		.tokio_info = options_value(options, "tokio-info"),
		.debug_info = options_value(options, "debug-info"),
		.binary = options_value(options, "binary"),
		.force = options_given(options, "force"),
		.no_cache = options_given(options, "no-cache"),
	};
	bool tokio_given = options_given(options, "tokio-info"), debug_given = options_given(options, "debug-info");
	if (tokio_given && debug_given)
		return error_new(ERROR_USAGE, "--tokio-info and --debug-info exclude each other: layouts come from one of them");
	if (debug_given)
		common->tokio_info = NULL;
	else if (common->tokio_info != NULL)
		common->debug_info = NULL;
	const char *format = options_value(options, "format");
	if (format != NULL) {
		struct error *err = format_parse(format, &common->format);
		if (err != NULL)
			return options_blame(options, "format", err);
	}
	if (common->core == NULL)
		return error_new(ERROR_USAGE, "no core: give --core FILE or set HANSEI_CORE");
	return NULL;
}
