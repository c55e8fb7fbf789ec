"""Python rules of agents whose YAML can't say them: one module an agent, functions only (see `engine.run.hooks`)."""
