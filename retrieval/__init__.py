"""What is known: products, how they are stored and how they are found."""
