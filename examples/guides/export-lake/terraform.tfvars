# For a trial. A nightly run leaves it out.
now  = "2026-02-10T02:00:00Z"
days = 2
