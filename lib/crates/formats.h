/* formats.h - how values of other crates' types are shown: tables for value/view.h. */
#ifndef HANSEI_CRATES_FORMATS_H
#define HANSEI_CRATES_FORMATS_H

struct formatter_table;

const struct formatter_table *crate_formats(void);
const struct formatter_table *crate_web_formats(void); /* http, url */

#endif
