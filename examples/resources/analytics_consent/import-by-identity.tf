# A person in the scope of the provider block. For another scope, add org_id and
# project_id, or account_id of the older path family. The values are not encoded.
import {
  to = analytics_consent.ada
  identity = {
    identity_id = "ada@example.com"
  }
}
