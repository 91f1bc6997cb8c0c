"""What hosts of agents start at each event of a session: a process that is gone at once, and what works behind it."""
