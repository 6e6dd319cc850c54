"""assay proves that an oracle pack is Gold."""
