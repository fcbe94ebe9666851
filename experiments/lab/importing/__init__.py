"""Importing pools of the original lab."""
