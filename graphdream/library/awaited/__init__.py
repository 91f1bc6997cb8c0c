"""The methods of `Graph`, each to be awaited."""
