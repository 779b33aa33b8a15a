variable "people" {
  description = "The clauses (1 to 5) that each person agreed to, with time and IP address. The keys are the person's identifiers at the service."
  type = map(object({
    agreed_to = set(number)
    agreed_at = optional(string)
    address   = optional(string)
  }))
  default = {}

  validation {
    condition     = alltrue([for person in var.people : length(setsubtract(person.agreed_to, [1, 2, 3, 4, 5])) == 0])
    error_message = "Clauses are numbers from 1 to 5."
  }
}

variable "people_file" {
  description = "A CSV file with the columns identity_id, clause_1 to clause_5 (true or false), agreed_at and address."
  type        = string
  default     = null
}

variable "on_leaving" {
  description = "What happens to the consent of a person who is removed: retain leaves it unchanged, withdraw sets all clauses to false."
  type        = string
  default     = "retain"

  validation {
    condition     = contains(["retain", "withdraw"], var.on_leaving)
    error_message = "on_leaving must be retain or withdraw."
  }
}
