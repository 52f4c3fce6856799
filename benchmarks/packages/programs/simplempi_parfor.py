"""Loop over a list in parallel with simpleMPI, as in its README."""

import simplempi
from simplempi.parfor import parfor, pprint

for i in parfor(list(range(10))):
    pprint(f"{i}**2 = {i**2}")
smpi = simplempi.simpleMPI()
smpi.pprint(list(smpi.scatterList(range(20))))
