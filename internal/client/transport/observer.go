package transport

import (
	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// Observer is told what answers look like, for programs that describe a service. It never
// sees a request, a credential or a value about a person. Its functions are called
// concurrently; nil ones are not called.
type Observer struct {
	// Head is called for the head of each answer, including those to logins and to
	// repeated requests.
	Head func(Head)
	// Body is called for each JSON body that is read as a whole.
	Body func(Body)
}

// Head is what an answer says before its body.
type Head struct {
	Operation string // its name in section 4, such as "Update consent"
	Status    int
}

// Body is the structure of a JSON body.
type Body struct {
	Operation string
	Status    int
	Places    []jsonvalue.Place
}
