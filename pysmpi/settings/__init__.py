"""Settings under SimGrid's names: the options, their parsers, the chosen values, and the network models."""
