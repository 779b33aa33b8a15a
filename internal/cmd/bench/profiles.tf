terraform {
  required_providers {
    analytics = {
      source = "terraform-analytics/analytics"
    }
  }
}

provider "analytics" {
  max_concurrency = 100
}

variable "people" {
  type = map(object({ plan = string, seats = number }))
}

resource "analytics_profile" "person" {
  for_each = var.people

  identity_id = each.key
  profile     = jsonencode(each.value)
}
