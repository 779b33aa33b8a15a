person = "user-1001"
ticket = "T-1042"
