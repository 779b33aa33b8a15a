terraform {
  required_providers {
    analytics = {
      source = "terraform-analytics/analytics"
    }
  }
}

# Whatever is left out comes from the environment, such as
# ANALYTICS_API_SECRET_KEY for the credentials of this example.
provider "analytics" {
  base_url   = "https://analytics.example.com"
  org_id     = "example-org"
  project_id = "example-project"
}
