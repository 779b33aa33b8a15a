// SPDX-License-Identifier: MPL-2.0

package tfkit

import "github.com/hashicorp/terraform-plugin-framework/list/schema"

// AddListScope adds org_id, project_id and account_id to the attributes of a list resource.
func AddListScope(attributes map[string]schema.Attribute) map[string]schema.Attribute {
	for _, a := range scopeAttributes() {
		attributes[a.name] = schema.StringAttribute{Optional: true, Validators: a.validators(), MarkdownDescription: a.description}
	}

	return attributes
}
