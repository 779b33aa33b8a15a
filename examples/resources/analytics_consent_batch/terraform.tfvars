panel_consents = <<-EOT
  {"identity_id": "panel-1", "clause_1_consent": true, "clause_2_consent": true, "clause_3_consent": false, "clause_4_consent": false, "clause_5_consent": false, "agreement_time": "2026-02-03T10:00:00Z"}
  {"identity_id": "panel-2", "clause_1_consent": true, "clause_2_consent": false, "clause_3_consent": false, "clause_4_consent": false, "clause_5_consent": false, "agreement_time": "2026-02-04T10:00:00Z"}
EOT
