# Makes the file in the apply. Its path is not known before that, so nothing reads it
# too early.
resource "terraform_data" "people" {
  input            = "${path.root}/consents.csv"
  triggers_replace = filesha256("${path.root}/make-consents.sh") # when to make it again

  provisioner "local-exec" {
    command = "sh ${path.root}/make-consents.sh > ${self.input}"
  }
}

resource "analytics_consent_batch" "people" {
  source = terraform_data.people.output
}
