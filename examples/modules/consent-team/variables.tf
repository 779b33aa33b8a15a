variable "people" {
  description = "Who agreed to which clauses (1 to 5), when, and from which address. The keys are the identifiers under which the service knows these people."
  type = map(object({
    agreed_to = set(number)
    agreed_at = optional(string)
    address   = optional(string)
  }))
  default = {}

  validation {
    condition     = alltrue([for person in var.people : length(setsubtract(person.agreed_to, [1, 2, 3, 4, 5])) == 0])
    error_message = "There are the clauses 1 to 5."
  }
}

variable "people_file" {
  description = "A CSV file with the columns identity_id, clause_1 to clause_5 (true or false), agreed_at and address."
  type        = string
  default     = null
}

variable "on_leaving" {
  description = "What happens at the service to the consent of somebody who is taken out: retain leaves it, withdraw sets all clauses to false."
  type        = string
  default     = "retain"

  validation {
    condition     = contains(["retain", "withdraw"], var.on_leaving)
    error_message = "on_leaving is retain or withdraw."
  }
}
