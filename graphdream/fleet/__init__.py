"""A fleet: many agents' memories, each dreamed once, by as many processes as there are to do it.

The unit of work is one memory. Whatever runs it is an executor of `concurrent.futures`; which memories are done is kept
in a ledger outside of them, and in each memory's own journal.
"""
