# Ada asked for her data. The provider writes it only to this file, which only
# you can read. State contains the digest and the size of the file.
resource "analytics_data_access_request" "ada" {
  identity_id = "ada@example.com"
  output_path = "${path.module}/ada.json"

  triggers = {
    asked_on = "2026-03-02" # a new date requests the data again
  }

  # Request the data after the correction of her profile.
  depends_on = [analytics_profile.ada]
}
