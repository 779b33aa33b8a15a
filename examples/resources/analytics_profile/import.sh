# A person of the provider's own scope
terraform import analytics_profile.ada ada@example.com

# A person of another project: organization/project/identity
terraform import analytics_profile.ada example-org/example-project/ada@example.com

# A person of an account of the older path family: account/identity
terraform import analytics_profile.ada example-account/ada@example.com

# Each segment is percent-encoded, so an identity with a slash stays one segment
terraform import analytics_profile.ada team%2Fada
