"""Compare Linpack on Taurus, measured, with predictions: python validation/taurus/compare.py [RANKS…].

Real runs, and SMPI's predictions ("optimized"): T. Cornebize, "Capacity Planning of Supercomputers" (2017), figure 5.1
and its data (hpl_analysis/taurus/real.csv and hpl2.csv): HPL's own times in seconds, and kJ of the nodes that were
used. The real and SMPI's joules include the generation of the matrix and the check of the result (3.3 and 1.4 seconds
of the real runs, 2.9 to 0.4 of SMPI's).
"""

import sys

from predict import predict

MEASURED = {12: (73.32, 15.896), 48: (28.02, 23.051)}
SMPI_2017 = {
    12: (65.23, 14.138),
    24: (37.83, 15.9),
    48: (25.05, 20.166),
    72: (20.26, 23.9),
    120: (16.04, 32.0),
    168: (13.99, 39.7),
}


def main(choice: list[int]) -> None:
    """Predict, and print."""
    print(f"{'ranks':>5} {'measured':>19} {'SMPI 2017':>34} {'here':>34}")
    for ranks in choice:
        measured = MEASURED.get(ranks)
        cells = [f"{measured[0]:.2f} s {measured[1]:6.2f} kJ" if measured else ""]
        for found in (SMPI_2017[ranks], predict(ranks)):
            errors = ["", ""]
            if measured:
                errors = [f"{got / real - 1:+.1%}" for got, real in zip(found, measured, strict=True)]
            cells.append(f"{found[0]:.2f} s {errors[0]:>6} {found[1]:6.2f} kJ {errors[1]:>6}")
        print(f"{ranks:5} {cells[0]:>19} {cells[1]:>34} {cells[2]:>34}", flush=True)


if __name__ == "__main__":
    main([int(word) for word in sys.argv[1:]] or list(SMPI_2017))
