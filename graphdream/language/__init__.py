"""What a text is made of, in any script: no entity, no fact, no judgement."""
