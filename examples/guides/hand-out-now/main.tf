terraform {
  required_providers {
    analytics = {
      source  = "terraform-analytics/analytics"
      version = "~> 0.1"
    }
  }
}

provider "analytics" {}

variable "person" {
  description = "Identifier of the person at the service."
  type        = string
  sensitive   = true
}

variable "ticket" {
  description = "Your number for the request. Another number requests the data again."
  type        = string
}

resource "analytics_data_access_request" "person" {
  identity_id = var.person
  output_path = "${path.root}/${var.ticket}.json"
  triggers    = { ticket = var.ticket }
}

output "evidence" {
  value = {
    ticket       = var.ticket
    request_id   = analytics_data_access_request.person.request_id
    requested_at = analytics_data_access_request.person.requested_at
    fulfilled_at = analytics_data_access_request.person.fulfilled_at
    sha256       = analytics_data_access_request.person.sha256
    bytes        = analytics_data_access_request.person.bytes
  }
}
