"""The report: a run's rows as one HTML file that opens offline."""
