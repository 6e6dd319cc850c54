"""A store in a place that many machines share, behind a folder of this machine that stands in for it."""
