"""agentrows: an interpreter for YAML descriptions of what AI agents store on disk."""

__version__ = "0.1.0"
