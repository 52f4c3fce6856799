"""Evolve bit strings with DEAP, whose map is that of mpi4py's executor."""

import random

from deap import algorithms, base, creator, tools
from mpi4py import MPI
from mpi4py.futures import MPICommExecutor

creator.create("Fitness", base.Fitness, weights=(1.0,))
creator.create("Individual", list, fitness=creator.Fitness)


def ones(individual: list[int]) -> tuple[int]:
    """Return the number of ones."""
    return (sum(individual),)


with MPICommExecutor(MPI.COMM_WORLD, root=0) as executor:
    if executor is not None:
        random.seed(5)
        box = base.Toolbox()
        box.register("bit", random.randint, 0, 1)
        box.register("individual", tools.initRepeat, creator.Individual, box.bit, 40)
        box.register("population", tools.initRepeat, list, box.individual)
        box.register("evaluate", ones)
        box.register("mate", tools.cxTwoPoint)
        box.register("mutate", tools.mutFlipBit, indpb=0.05)
        box.register("select", tools.selTournament, tournsize=3)
        box.register("map", executor.map)
        population, _ = algorithms.eaSimple(box.population(30), box, 0.5, 0.2, 12, verbose=False)
        print("best", tools.selBest(population, 1)[0].fitness.values[0])
