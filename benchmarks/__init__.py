"""What speed is measured with. Ratios within one run; nothing here is part of the service.

`python -m benchmarks` starts the real assistant on a home of its own, measures it, and prints a table.
"""
