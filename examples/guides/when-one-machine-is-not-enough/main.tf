terraform {
  required_providers {
    analytics = {
      source  = "terraform-analytics/analytics"
      version = "~> 0.1"
    }
  }
}

variable "shard" {
  description = "Number of the shard that this run applies, from 0 to shards - 1."
  type        = number
  default     = 0
}

variable "shards" {
  description = "Number of shards. The same in all runs."
  type        = number
  default     = 4
}

variable "at_once" {
  description = "Number of shards that run at the same time."
  type        = number
  default     = 4
}

variable "requests_per_second" {
  description = "Requests per second that the service takes from all runs together."
  type        = number
  default     = 400
}

variable "people" {
  description = "Path of the file with the rows, relative to the folder in which Terraform runs."
  type        = string
  default     = "people.ndjson"
}

provider "analytics" {
  requests_per_second = max(1, floor(var.requests_per_second / var.at_once))
}

resource "analytics_consent_batch" "people" {
  source      = var.people
  shard       = { index = var.shard, count = var.shards }
  report_path = "${path.root}/report-${var.shard}.ndjson"
}

output "people" {
  value = {
    rows    = analytics_consent_batch.people.rows
    written = analytics_consent_batch.people.written
    missing = analytics_consent_batch.people.missing
  }
}
