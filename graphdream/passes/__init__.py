"""The passes of a cycle: one file a kind below `kinds`, its directive beside it.

protocol    what a kind declares, what it is given and what it returns
registry    every kind, in the order in which a cycle runs them
answers     a model's words -> the answer that a kind accepts
lens        what a pass saves through a view -> typed mutations
"""
