"""What speed is measured with. Ratios within one run; nothing here is part of the service."""
