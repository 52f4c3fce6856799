"""Record SMPI's times of halo.c: `python record_halo.py | xz -9e > halo.jsonl.xz`, with smpicc and smpirun of 3.32."""

import json
import pathlib
import re
import subprocess
import tempfile

HERE = pathlib.Path(__file__).parent
PLATFORMS = HERE.parent / "platforms"
CASES = [
    (platform, ranks, dimensions, size)
    for platform, numbers in {
        "torus": (9, 12, 16),
        "fattree": (9, 12, 16),
        "multicore": (9, 25, 45, 72),
        "flat": (9, 12, 25, 50, 60, 72, 98, 360),
    }.items()
    for ranks in numbers
    for dimensions, size in ((2, 1000), (2, 100_000), (3, 20_000))
]


def main() -> None:
    """Record all cases."""
    with tempfile.TemporaryDirectory() as directory:
        folder = pathlib.Path(directory)
        subprocess.run(["smpicc", "-O2", HERE / "halo.c", "-o", folder / "halo"], check=True)
        for platform, ranks, dimensions, size in CASES:
            command = ["smpirun", "-np", str(ranks), "-platform", PLATFORMS / f"{platform}.xml"]
            command += ["-hostfile", PLATFORMS / f"{platform}.hosts", "--cfg=smpi/simulate-computation:no"]
            command += [folder / "halo", str(dimensions), str(size), "3"]
            printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
            times = {int(rank): float(time) for rank, time in re.findall(r"^R (\d+) (\S+)$", printed, re.MULTILINE)}
            case = {"platform": platform, "np": ranks, "dimensions": dimensions, "size": size}
            print(json.dumps(case | {"times": [times[rank] for rank in range(ranks)]}), flush=True)


if __name__ == "__main__":
    main()
