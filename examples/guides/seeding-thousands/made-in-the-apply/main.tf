# Creates the file during the apply. Its path is unknown until then, so the provider
# does not read it too early.
resource "terraform_data" "people" {
  input            = "${path.root}/consents.csv"
  triggers_replace = filesha256("${path.root}/make-consents.sh") # recreate the file if the script changes

  provisioner "local-exec" {
    command = "sh ${path.root}/make-consents.sh > ${self.input}"
  }
}

resource "analytics_consent_batch" "people" {
  source = terraform_data.people.output
}
