"""Write the C source of the bindings: one cffi extension over the ``c_api.h`` of every folder of native code.

Usage: bindings/cffi_source.py OUTPUT.c (run by the build). Each folder of native code declares what Python may
call in a ``c_api.h`` of plain C declarations; declarations between ``/* bindings: extern "Python" */`` and
``/* bindings: end */`` are functions that Python implements and C++ calls.
"""

import pathlib
import re
import sys

from cffi import FFI

NATIVE = pathlib.Path(__file__).resolve().parents[1]


def declarations(header: pathlib.Path) -> str:
    """Return the text that cffi parses: the header without preprocessor lines.

    Functions that are implemented in Python are marked ``extern "Python+C"``.
    """
    text = header.read_text()
    text = re.sub(
        r'/\* bindings: extern "Python" \*/(.*?)/\* bindings: end \*/',
        lambda match: 'extern "Python+C" {' + match[1] + "}",
        text,
        flags=re.S,
    )
    return re.sub(r"^\s*#.*$|^extern \"C\" \{$|^\} +// extern C$", "", text, flags=re.M)


def in_order(headers: list[pathlib.Path]) -> list[pathlib.Path]:
    """Return the headers, each after the headers that it includes."""
    ordered: list[pathlib.Path] = []

    def add(header: pathlib.Path) -> None:
        if header not in ordered:
            for included in re.findall(r'#include "(.*?)"', header.read_text()):
                add(NATIVE / included)
            ordered.append(header)

    for header in headers:
        add(header)
    return ordered


def main() -> None:
    """Write the C source named on the command line."""
    headers = in_order(sorted(NATIVE.rglob("c_api.h")))
    builder = FFI()
    for header in headers:
        builder.cdef(declarations(header))
    includes = "\n".join(f'#include "{header.relative_to(NATIVE)}"' for header in headers)
    builder.set_source("pysmpi.native._native", f"#include <stddef.h>\n#include <stdint.h>\n{includes}")
    builder.emit_c_code(sys.argv[1])


if __name__ == "__main__":
    main()
