"""Recall: what was remembered is found, whatever words the question has, and says why it was returned.

`search.recall` answers a question; `facts.Searcher` is the bare ranking of facts that the harm gate calls;
`injection.context` is what a prompt is given. Text alone is the core and loads nothing but the standard library.
"""
