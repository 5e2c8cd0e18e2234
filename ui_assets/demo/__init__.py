"""The demo catalogue and its generator."""
