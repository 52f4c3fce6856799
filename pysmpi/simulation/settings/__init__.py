"""Settings of a simulation under SimGrid's names: definitions, parsers, chosen values, and the network models."""
