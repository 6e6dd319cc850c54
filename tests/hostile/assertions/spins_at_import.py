"""Never finishes its import."""

sum(range(10**15))  # here
