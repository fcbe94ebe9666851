"""The Agentic Coding Lab: from a research question to tables whose numbers are right."""

__version__ = "0.1.0"
