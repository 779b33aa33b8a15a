# These are the defaults. Change a setting if your service behaves differently.
provider "analytics" {
  wire {
    absent = ["json_404"] # also any_404, 204 and empty

    login {
      parameters_in = "json" # or form, or query
    }

    consent {
      parameters_in = "json"    # or form, or query
      time_format   = "rfc3339" # or unix_ms
    }
  }
}
