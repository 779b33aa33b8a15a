# Compares an address from a spreadsheet with the one that the service holds.
variable "address" {
  type    = string
  default = "192.0.2.17"
}

data "analytics_consent" "ada" {
  identity_id = "ada@example.com"
}

check "address" {
  assert {
    condition     = provider::analytics::ipv6_mapped(var.address) == provider::analytics::ipv6_mapped(data.analytics_consent.ada.user_ipv6)
    error_message = "The service holds another address."
  }
}
