"""A line of a megabyte that fails deep down; LONG becomes a million characters."""


def down(depth):
    return down(depth - 1) if depth else 1 / 0  # LONG
