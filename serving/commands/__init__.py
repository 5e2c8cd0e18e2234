"""Commands of the `daogou` command line that are more than a call."""
