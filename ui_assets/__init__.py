"""Theme, styles, texts and the demo catalogue that the project ships."""
