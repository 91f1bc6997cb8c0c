"""Recall: what was remembered is found, whatever words the question has, and says why it was returned.

`recall` answers a question; `Searcher` is the bare ranking of facts that the harm gate calls; `context` is what a prompt
is given. Text alone is the core and loads nothing but the standard library; vectors are an extra.
"""
