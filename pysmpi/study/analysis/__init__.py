"""Analysis of a study's table: effects, interactions, spread of replicates, Pareto fronts, and search."""

from pysmpi.platform.platform_parts import Parts, parts_of
from pysmpi.study.analysis.column_directions import Direction, direction_of, find_direction, with_better
from pysmpi.study.analysis.factor_effects import Effect, Interaction, interactions, main_effects
from pysmpi.study.analysis.no_effect import factors_without_effect
from pysmpi.study.analysis.pareto import Offer, pareto_front
from pysmpi.study.analysis.plots import plot_effects, plot_metric, plot_pareto, plot_tornado
from pysmpi.study.analysis.prices import PriceList, Prices, prices_of
from pysmpi.study.analysis.replicates import Replicated, spreads
from pysmpi.study.analysis.search import Search, slowest_within

__all__ = [
    "Direction",
    "Effect",
    "Interaction",
    "Offer",
    "Parts",
    "PriceList",
    "Prices",
    "Replicated",
    "Search",
    "direction_of",
    "factors_without_effect",
    "find_direction",
    "interactions",
    "main_effects",
    "pareto_front",
    "parts_of",
    "plot_effects",
    "plot_metric",
    "plot_pareto",
    "plot_tornado",
    "prices_of",
    "slowest_within",
    "spreads",
    "with_better",
]
