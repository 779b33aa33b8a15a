terraform {
  required_providers {
    analytics = {
      source  = "terraform-analytics/analytics"
      version = "~> 0.1"
    }
  }
}

# Settings that are not set here come from the environment. Set the credentials of
# this example in ANALYTICS_API_SECRET_KEY.
provider "analytics" {
  base_url   = "https://analytics.example.com"
  org_id     = "example-org"
  project_id = "example-project"
}
