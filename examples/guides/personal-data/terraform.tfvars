phone_number = "+44 1632 960001"
