terraform {
  required_providers {
    analytics = {
      source = "terraform-analytics/analytics"
    }
  }
}

provider "analytics" {
  org_id     = "org-soak"
  project_id = "web"
}

resource "analytics_export_file" "day" {
  utc_date = "2026-03-01"
  path     = "day"
}

output "records" {
  value = analytics_export_file.day.counts.events
}
