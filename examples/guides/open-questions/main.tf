# The defaults, written out. Change the one that your service answers otherwise.
provider "analytics" {
  wire = {
    login_parameters_in   = "json"    # or form, or query
    consent_parameters_in = "json"    # or form, or query
    agreement_time_format = "rfc3339" # or unix_ms
    # export_kind_parameter = "kind"  # unset: none is sent
  }
}
