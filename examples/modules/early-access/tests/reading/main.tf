# What the service holds, whatever the module's state says.

terraform {
  required_providers {
    analytics = {
      source  = "terraform-analytics/analytics"
      version = "~> 0.1"
    }
  }
}

variable "identity_id" {
  type = string
}

data "analytics_consent" "person" {
  identity_id = var.identity_id
}
