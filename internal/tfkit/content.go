package tfkit

type (
	// Content is text that holds data of people: no log and no message shows it.
	Content = Spelled[contentSpelling, string]
	// ContentType is the type of Content.
	ContentType = SpelledType[contentSpelling, string]
)

type contentSpelling struct{}

func (contentSpelling) Read(text string) (string, error) { return text, nil }

func (contentSpelling) Same(a, b string) bool { return a == b }
