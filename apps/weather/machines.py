"""The eight machines of the study of weather models: machines.py [--bandwidth B] [--latency L] [--json] [-o DIR].

They are those of table 1 of Zheng and Marguinaud (Geoscientific Model Development 11, 3409-3426, 2018). Each is printed
as a cluster in one word, which `pysmpirun --platform` takes. Hosts are node-0, node-1 and so on, switch by switch. The
fat trees have four layers of switches, because three could not join so many hosts. The paper does not say how many
cables join a router of a dragonfly to other groups; here it is one, in SST/macro's arrangement.
"""

import argparse
import json
import sys

BANDWIDTH, LATENCY = "10GBps", "100ns"
SHAPES = {
    "torus-M": "torus:25,25,25/25",
    "fattree-M": "fattree:4/25,25,25,25/1,25,25,25/1,1,1,1",
    "dragonfly-MM": "dragonfly:25,1/25,1/25,1/25/1",
    "dragonfly-SL": "dragonfly:125,1/25,1/25,1/5/1",
    "dragonfly-LS": "dragonfly:5,1/125,1/125,1/5/1",
    "torus-L": "torus:75,25,25/25",
    "fattree-L": "fattree:4/33,33,33,33/1,33,33,33/1,1,1,1",
    "dragonfly-ML": "dragonfly:75,1/25,1/25,1/25/1",
}
"""Shapes of the machines, as in a cluster in one word."""


def platform(name: str, bandwidth: str = BANDWIDTH, latency: str = LATENCY, global_cables: int = 1) -> str:
    """Return a machine as a cluster in one word; each router of a dragonfly has some cables to other groups."""
    shape = SHAPES[name]
    if name.startswith("dragonfly"):
        shape = f"{shape.removesuffix('/1')}/{global_cables}"
    return f"{shape}:bw={bandwidth}:lat={latency}"


def main() -> int:
    """Print the machines."""
    parser = argparse.ArgumentParser(description="Prints the eight machines of the study.")
    parser.add_argument("--bandwidth", default=BANDWIDTH, help=f"bandwidth of each cable ({BANDWIDTH})")
    parser.add_argument("--latency", default=LATENCY, help=f"latency of each cable ({LATENCY})")
    parser.add_argument("--json", action="store_true", help="print a JSON list")
    parser.add_argument("-o", dest="folder", metavar="DIR", help="folder for platform files; these machines need none")
    options = parser.parse_args()
    if options.folder is not None:
        print(f"machines.py: no effect: -o {options.folder}: one word describes each machine", file=sys.stderr)
    words = {name: platform(name, options.bandwidth, options.latency) for name in SHAPES}
    if options.json:
        print(json.dumps([{"name": name, "platform": word} for name, word in words.items()]))
    else:
        for name, word in words.items():
            print(f"{name:14}{word}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
