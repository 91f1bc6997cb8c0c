-- Every prompt is given every constraint; without this, each would look at every fact for them.
CREATE INDEX attribute_constraint ON attribute (importance DESC, id) WHERE kind = 'constraint' AND status = 'active';
