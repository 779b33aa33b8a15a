phone_number = "+44 1632 960001"
ip_address   = "2001:db8::1001"
