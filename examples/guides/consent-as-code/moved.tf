# The key of this person was "ada" before. Without this block Terraform would destroy one
# object and create another one for the same person.
moved {
  from = analytics_consent.signed["ada"]
  to   = analytics_consent.signed["ada@example.com"]
}
