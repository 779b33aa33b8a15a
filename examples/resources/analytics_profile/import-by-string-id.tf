import {
  to = analytics_profile.ada
  id = "ada@example.com"
}
