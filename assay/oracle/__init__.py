"""Executing pack code: workers, episodes, evidence."""
