"""What thinks: gateway, pipeline, stages and models."""
