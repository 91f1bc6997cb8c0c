"""What a model is shown: identity, task, history, the changed graph, sessions and questions, each within its budget."""
