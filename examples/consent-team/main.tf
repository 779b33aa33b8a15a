# The consent of one team, managed by the module consent-team. In production, a team
# would reference a version of the module in a registry or in Git.

terraform {
  required_version = ">= 1.5"

  required_providers {
    analytics = {
      source  = "terraform-analytics/analytics"
      version = "~> 0.1"
    }
  }
}

# The environment provides address, credentials and scope.
provider "analytics" {}

module "crossword_team" {
  source = "../modules/consent-team"

  people = {
    "ada@example.com" = {
      agreed_to = [1, 2, 5]
      agreed_at = "2026-02-01T08:00:00Z"
      address   = "2001:db8::ada"
    }
  }
  people_file = "${path.module}/people.csv"
  on_leaving  = "withdraw"
}

output "agreed" {
  value = module.crossword_team.agreed
}
