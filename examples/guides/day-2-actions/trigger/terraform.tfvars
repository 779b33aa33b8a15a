ada_consents = false
