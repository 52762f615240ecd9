# Run inside gdb: prints size and member offsets of the types named in the file $HANSEI_NAMES, one a line:
# NAME, size, then MEMBER@OFFSET sorted.
import os

import gdb

for line in open(os.environ["HANSEI_NAMES"], encoding="utf-8"):
    name = line.rstrip("\n")
    try:
        found = gdb.lookup_type(name)
        members = sorted("%s@%d" % (field.name, field.bitpos // 8) for field in found.fields())
        print("layout", name, found.sizeof, *members, sep="\t")
    except (gdb.error, TypeError, AttributeError):
        pass  # a name that gdb cannot parse, or that it thinks is something else
