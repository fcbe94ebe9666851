"""Triage: which question needs what next."""
