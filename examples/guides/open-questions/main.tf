# These are the defaults. Change a setting if your service behaves differently.
provider "analytics" {
  wire = {
    login_parameters_in   = "json"    # or form, or query
    consent_parameters_in = "json"    # or form, or query
    agreement_time_format = "rfc3339" # or unix_ms
    # export_kind_parameter = "kind"  # unset: no parameter is sent
  }
}
