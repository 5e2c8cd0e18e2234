"""Where products and their vectors live: one protocol (`base`), two engines."""
