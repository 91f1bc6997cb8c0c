"""How sure a judgement is: trees over signals, what their scores are worth, budgets. Knows no entity and no fact."""
