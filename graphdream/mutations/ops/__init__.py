"""The operations, one a file: data, handler, declaration. What else must know of one is derived from these."""
