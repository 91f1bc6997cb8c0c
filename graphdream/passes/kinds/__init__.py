"""One file a pass, its directive beside it."""
