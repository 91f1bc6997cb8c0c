"""How a model is asked: calls planned within a budget, conversations with looks at the graph, answers kept."""
