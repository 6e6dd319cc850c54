"""Keeping a store in order: what lies where, whether it is whole, how large it is, and what can go."""
