"""Mutated inputs for every reader: ``make fuzz``, and a slice of it in ``make test``."""
