# Ada asked for her data. It goes into a file that only you can read, and
# nowhere else: the state has its digest and its size.
resource "analytics_data_access_request" "ada" {
  identity_id = "ada@example.com"
  output_path = "${path.module}/ada.json"

  triggers = {
    asked_on = "2026-03-02" # a new date asks anew
  }

  # After the correction, so that she sees what is right now.
  depends_on = [analytics_profile.ada]
}
