output "identities" {
  description = "The people whose consent this module manages."
  value       = keys(local.people)
}

output "agreed" {
  description = "Number of people who agree to each clause, as the service holds it now."
  value = {
    application_diagnostics    = length([for person in analytics_consent.person : person if person.clause_1_consent])
    feature_usage              = length([for person in analytics_consent.person : person if person.clause_2_consent])
    browser_information        = length([for person in analytics_consent.person : person if person.clause_3_consent])
    user_information           = length([for person in analytics_consent.person : person if person.clause_4_consent])
    user_behaviour_interaction = length([for person in analytics_consent.person : person if person.clause_5_consent])
  }
}
