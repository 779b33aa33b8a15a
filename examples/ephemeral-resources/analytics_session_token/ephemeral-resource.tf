# A script beside Terraform calls the service with a token of its own. The provider must be
# configured with email and password.
ephemeral "analytics_session_token" "script" {}

resource "terraform_data" "script" {
  provisioner "local-exec" {
    command = "test -n \"$ANALYTICS_TOKEN\"" # your script

    environment = {
      ANALYTICS_TOKEN = ephemeral.analytics_session_token.script.token
    }
  }
}
