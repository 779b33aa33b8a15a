person = "user-1001"
