# The key of this person was "ada". Without this block, Terraform would destroy the old
# resource and create a new one for the same person.
moved {
  from = analytics_consent.signed["ada"]
  to   = analytics_consent.signed["ada@example.com"]
}
