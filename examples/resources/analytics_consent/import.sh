# A person in the scope of the provider block
terraform import analytics_consent.ada ada@example.com

# A person in another project: organization/project/identity
terraform import analytics_consent.ada example-org/example-project/ada@example.com

# A person in an account of the older path family: account/identity
terraform import analytics_consent.ada example-account/ada@example.com

# An identity with a slash: percent-encode each segment
terraform import analytics_consent.ada team%2Fada
