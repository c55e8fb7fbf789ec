"""The benchmark: `python -m tests.bench` makes a corpus and holds the engine's time and memory to the floor."""
