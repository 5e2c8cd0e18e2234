"""One interface to the models of a turn (`base`), several transports."""
