"""Requirements of programs, such as bytes sent, operations and memory: counted in runs, and compared with machines."""
