pseudonym_key = "an invented key, at least 16 bytes"
