# For a trial. A nightly run leaves them out.
from = "2026-02-08"
to   = "2026-02-09"
