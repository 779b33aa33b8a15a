terraform {
  required_providers {
    analytics = {
      source = "terraform-analytics/analytics"
    }
  }
}

provider "analytics" {
  org_id     = "org-bench"
  project_id = "web"
}

variable "day" {}
variable "compression" {}

resource "analytics_export_file" "day" {
  utc_date    = var.day
  compression = var.compression
  path        = "day"
}
