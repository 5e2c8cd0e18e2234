"""How well search does on questions whose answers people have judged."""
