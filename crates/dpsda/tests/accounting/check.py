"""Makes both fixtures again with the packages installed here and fails where a number differs.

Numbers may differ by 1e-9 of themselves; those that went through numpy's FFT (rows with a `step`) by 1e-6, because its
rounding depends on the vector instructions of the processor: 1.5e-8 was seen between AVX-512 and none.

    python check.py
"""

import json
import pathlib
import sys

import make

WITHIN = 1e-9
WITHIN_FFT = 1e-6


def differences(kept, made):
    """What is not the same in two lists of rows, in words."""
    if len(kept) != len(made):
        yield f"{len(kept)} rows are kept, {len(made)} were made"
    for number, (old, new) in enumerate(zip(kept, made), 1):
        if list(old) != list(new):
            yield f"row {number}: {old} has other fields than {new}"
            continue
        within = WITHIN_FFT if "step" in old else WITHIN
        for key in old:
            a, b = old[key], new[key]
            if isinstance(a, str) or isinstance(b, str):
                same = a == b
            else:
                same = abs(a - b) <= within * max(abs(a), abs(b))
            if not same:
                yield f"row {number}, {key}: kept {a}, made {b} ({old})"


def main():
    here = pathlib.Path(__file__).parent
    wrong = 0
    for name, maker in make.MAKERS.items():
        kept = json.loads((here / f"{name}.json").read_text())
        made = json.loads(make.text(maker()))
        for line in differences(kept, made):
            print(f"{name}.json: {line}")
            wrong += 1
        print(f"{name}.json: {len(made)} rows made again")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
