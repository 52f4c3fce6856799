"""Requirements of programs: what they ask of a machine, counted, and what a machine must have for them."""
