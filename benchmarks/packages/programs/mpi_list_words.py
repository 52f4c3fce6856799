"""Map, filter and collect a list that is spread over the ranks, as in mpi-list's documentation."""

from mpi_list import Context

context = Context()
words = context.iterates(1000).map(lambda i: f"String {i}").filter(lambda s: "2" in s)
first = words.head(10)
short = words.filter(lambda s: len(s) <= len("String nn")).collect()
if context.rank == 0:
    print(first)
    print(short)
