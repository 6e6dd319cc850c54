"""Artifacts: the tables that stages leave behind, the store that keeps them, the ledger of runs.

The artifacts are the cache, and nothing else is. One key names one set of bytes (`keys`); a table's columns are
declared in one module (`tables`); records become rows in one module (`codec`); files are written whole or not at all
(`store`).
"""
