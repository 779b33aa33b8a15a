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
  description = "Your number for the request. Another number sends another deletion."
  type        = string
}

resource "analytics_data_deletion" "person" {
  identity_id = var.person
  triggers    = { ticket = var.ticket }
}

data "analytics_pending_requests" "person" {
  identity_id = var.person
  depends_on  = [analytics_data_deletion.person]
}

output "evidence" {
  value = {
    ticket         = var.ticket
    request_id     = analytics_data_deletion.person.request_id
    requested_at   = analytics_data_deletion.person.requested_at
    fulfilled_at   = analytics_data_deletion.person.fulfilled_at
    fulfilled      = analytics_data_deletion.person.fulfilled
    still_pending  = data.analytics_pending_requests.person.total
    may_be_pending = data.analytics_pending_requests.person.uncertain
    list_was_whole = data.analytics_pending_requests.person.complete
  }
}
