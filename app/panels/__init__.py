"""The parts of the page, each with the same life: declare, draw, subscribe."""
