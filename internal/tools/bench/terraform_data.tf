resource "terraform_data" "people" {
  for_each = { for p in csvdecode(file("people.csv")) : p.identity_id => p }

  # The nine values of an analytics_consent.
  input = merge(each.value, { manual = true })
}
