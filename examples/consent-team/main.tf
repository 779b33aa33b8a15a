# One team's consent, kept by the module beside this folder. A team would take the
# module from a registry or from Git, by a version.

terraform {
  required_version = ">= 1.5"

  required_providers {
    analytics = {
      source = "terraform-analytics/analytics"
    }
  }
}

# Address, credentials and scope come from the environment.
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
