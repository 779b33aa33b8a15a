import {
  to = analytics_consent.ada
  id = "ada@example.com"
}
