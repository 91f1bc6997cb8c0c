"""How a dreamer talks to a model: one call at a time, counted, within a budget, without credentials in what is sent."""
