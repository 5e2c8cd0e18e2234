"""What a shopper's words mean: pure functions, no model."""
