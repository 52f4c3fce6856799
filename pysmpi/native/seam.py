"""Writes the C source of the one seam between the languages: a cffi extension over every ``*/control.h``.

Usage: seam.py OUTPUT.c (run by the build). Each folder of native code declares what Python may call in a ``control.h``
of plain C declarations; declarations between ``/* seam: extern "Python" */`` and ``/* seam: end */`` are functions that
Python implements and C++ calls.
"""

import pathlib
import re
import sys

from cffi import FFI

HERE = pathlib.Path(__file__).resolve().parent


def declarations(header: pathlib.Path) -> str:
    """What cffi parses: the header without preprocessor lines, and its Python-made functions marked as such."""
    text = header.read_text()
    text = re.sub(
        r'/\* seam: extern "Python" \*/(.*?)/\* seam: end \*/',
        lambda match: 'extern "Python+C" {' + match[1] + "}",
        text,
        flags=re.S,
    )
    return re.sub(r"^\s*#.*$|^extern \"C\" \{$|^\} +// extern C$", "", text, flags=re.M)


def main() -> None:
    """Write the C source named on the command line."""
    headers = sorted(HERE.glob("*/control.h"))
    builder = FFI()
    for header in headers:
        builder.cdef(declarations(header))
    includes = "\n".join(f'#include "{header.parent.name}/control.h"' for header in headers)
    builder.set_source("pysmpi.native._native", f"#include <stddef.h>\n#include <stdint.h>\n{includes}")
    builder.emit_c_code(sys.argv[1])


if __name__ == "__main__":
    main()
