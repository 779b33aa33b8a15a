package client

import (
	"crypto/tls"
	"time"

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
	Protocol  string               // such as HTTP/1.1
	TLS       *tls.ConnectionState // nil for plain HTTP
	// Date is the clock of the service, to the second; zero if the answer has none.
	// Received is this machine's at the same moment.
	Date, Received time.Time
	// MediaType and Encoding are the declared type and content coding of the body.
	MediaType, Encoding string
	// Limits are the header fields that state a rate limit, by name. A value is empty if
	// it is not a small number.
	Limits map[string]string
}

// Body is the structure of a JSON body.
type Body struct {
	Operation string
	Status    int
	Places    []jsonvalue.Place
}
