"""A pack's backend that hangs, for check T1. It is run by a worker and never imported by us."""
