// SPDX-License-Identifier: MPL-2.0

package deferred

// Event is something that was seen: in the pending list, in an answer, or in the effect
// of the request.
type Event string

// nothing means that nothing was seen, because the step could not be performed.
const nothing Event = ""

// What the pending list shows. The lag is the time that the list may lag behind
// submissions.
const (
	ShowsOpen     Event = "listed as pending" // possibly with an unknown status
	ShowsDone     Event = "listed as done"    // it has not left the list yet
	ShowsEnded    Event = "listed as over"    // the configuration says what its status means
	ShowsFailed   Event = "listed as failed"
	MayBeShown    Event = "perhaps listed"                  // in a record that is not known to be its own
	ShowsNothing  Event = "not listed"                      // in a list that was understood completely
	StaysAway     Event = "not listed after the lag"        // the same, after the lag
	CannotBeRead  Event = "list not understood"             // absence from it proves nothing
	StaysUnread   Event = "list not understood after a lag" // the same, after the lag
	NotAsked      Event = "list not asked for"              // because the configuration says so
	ShowsEqual    Event = "an equal one is pending"         // before sending: one to adopt
	ShowsConflict Event = "a conflicting one is pending"    // before sending
	SentBefore    Event = "an equal one was sent"           // by this process; the list may not show it yet
)

// What became of sending.
const (
	WasAccepted  Event = "accepted"
	WasDelivered Event = "answered with data"
	WasRefused   Event = "refused" // certainly not carried out
	AnswerLost   Event = "answer lost"
)

// What the service shows of the effect.
const (
	EffectVisible Event = "effect visible" // and it was not before, or the list has decided already
	EffectAbsent  Event = "effect absent"
	EffectUnknown Event = "effect unknown" // it cannot be measured
)

// Step is what to do next.
type Step string

// The steps. SendAgain is Stop if repeating the request could do harm.
const (
	Look      Step = "look at the pending list"
	Measure   Step = "look at the effect"
	Send      Step = "send"
	SendAgain Step = "send again, or stop"
	Stop      Step = "stop"
)

// transition is one row of the table.
type transition struct {
	to State
	do Step
}

// table is the state machine of a request. An event without a row for a state does not
// occur in that state, which the tests check.
//
//nolint:gochecknoglobals // a constant, as far as the language allows
var table = map[State]map[Event]transition{
	Idle: {
		ShowsEqual:    {Listed, Stop},
		ShowsConflict: {Idle, Stop},
		SentBefore:    {Accepted, Stop},
		CannotBeRead:  {Idle, Stop},
		ShowsNothing:  {Idle, Measure},
		EffectVisible: {Idle, Send},
		EffectAbsent:  {Idle, Send},
		EffectUnknown: {Idle, Send},
		WasAccepted:   {Accepted, Look},
		WasDelivered:  {Delivered, Look},
		WasRefused:    {Idle, Stop},
		AnswerLost:    {Unanswered, Look},
	},
	Unanswered: {
		ShowsOpen:     {Listed, Look},
		ShowsDone:     {Fulfilled, Stop},
		ShowsEnded:    {Left, Measure},
		ShowsFailed:   {Failed, Stop},
		ShowsNothing:  {Unanswered, Measure},
		StaysAway:     {Lost, Measure},
		CannotBeRead:  {Unanswered, Look},
		StaysUnread:   {Unanswered, Stop},
		NotAsked:      {Unanswered, Measure},
		EffectVisible: {Fulfilled, Stop},
		EffectAbsent:  {Unanswered, Look},
		EffectUnknown: {Unanswered, Look},
	},
	Lost: {
		ShowsOpen:     {Listed, Look},
		ShowsDone:     {Fulfilled, Stop},
		ShowsEnded:    {Left, Measure},
		ShowsFailed:   {Failed, Stop},
		ShowsNothing:  {Lost, Measure},
		StaysAway:     {Lost, Measure},
		CannotBeRead:  {Lost, Stop},
		StaysUnread:   {Lost, Stop},
		EffectVisible: {Fulfilled, Stop},
		EffectAbsent:  {Lost, SendAgain},
		EffectUnknown: {Lost, SendAgain},
		WasAccepted:   {Accepted, Look},
		WasDelivered:  {Delivered, Look},
		WasRefused:    {Lost, Stop}, // the outcome of the first attempt is still unknown
		AnswerLost:    {Unanswered, Look},
	},
	Accepted: {
		ShowsOpen:     {Listed, Look},
		ShowsDone:     {Fulfilled, Stop},
		ShowsEnded:    {Left, Measure},
		ShowsFailed:   {Failed, Stop},
		ShowsNothing:  {Accepted, Measure},
		StaysAway:     {Left, Measure}, // it was seen by another submission
		MayBeShown:    {Accepted, Look},
		CannotBeRead:  {Accepted, Look},
		StaysUnread:   {Accepted, Look},
		NotAsked:      {Accepted, Measure},
		EffectVisible: {Fulfilled, Stop},
		EffectAbsent:  {Accepted, Look},
		EffectUnknown: {Accepted, Look},
	},
	Delivered: {
		// While a request is pending for the person, no answer is the data.
		ShowsOpen:    {Listed, Look},
		ShowsDone:    {Fulfilled, Stop},
		ShowsEnded:   {Fulfilled, Stop},
		ShowsFailed:  {Failed, Stop},
		ShowsNothing: {Fulfilled, Stop},
		StaysAway:    {Fulfilled, Stop},
		MayBeShown:   {Accepted, Look},
		CannotBeRead: {Delivered, Look},
		StaysUnread:  {Accepted, Look},
		NotAsked:     {Fulfilled, Stop}, // what the data is recognised by is configured
	},
	Listed: {
		ShowsOpen:     {Listed, Look},
		ShowsDone:     {Fulfilled, Stop},
		ShowsEnded:    {Left, Measure},
		ShowsFailed:   {Failed, Stop},
		ShowsNothing:  {Listed, Measure}, // another copy of the list may lag
		StaysAway:     {Left, Measure},
		MayBeShown:    {Listed, Look},
		CannotBeRead:  {Listed, Look},
		StaysUnread:   {Listed, Look},
		NotAsked:      {Listed, Measure},
		EffectVisible: {Fulfilled, Stop},
		EffectAbsent:  {Listed, Look},
		EffectUnknown: {Listed, Look},
	},
	Left: {
		ShowsOpen:     {Listed, Look},
		ShowsDone:     {Fulfilled, Stop},
		ShowsEnded:    {Left, Measure},
		ShowsFailed:   {Failed, Stop},
		ShowsNothing:  {Left, Measure},
		StaysAway:     {Left, Measure},
		MayBeShown:    {Left, Look},
		CannotBeRead:  {Left, Measure},
		StaysUnread:   {Left, Measure},
		NotAsked:      {Left, Measure},
		EffectVisible: {Fulfilled, Stop},
		EffectAbsent:  {Dropped, Stop},
		EffectUnknown: {Left, Look},
	},
	// A refresh looks at finished requests again: the list may have lost one for a while,
	// or the service may have resumed a failed one.
	Failed: {
		ShowsOpen:     {Listed, Look},
		ShowsDone:     {Fulfilled, Stop},
		ShowsEnded:    {Left, Measure},
		ShowsFailed:   {Failed, Stop},
		ShowsNothing:  {Failed, Stop},
		StaysAway:     {Failed, Stop},
		MayBeShown:    {Failed, Stop},
		CannotBeRead:  {Failed, Stop},
		StaysUnread:   {Failed, Stop},
		NotAsked:      {Failed, Stop},
		EffectVisible: {Fulfilled, Stop},
	},
	Dropped: {
		ShowsOpen:     {Listed, Look},
		ShowsDone:     {Fulfilled, Stop},
		ShowsEnded:    {Left, Measure},
		ShowsFailed:   {Failed, Stop},
		ShowsNothing:  {Dropped, Measure},
		StaysAway:     {Dropped, Measure},
		MayBeShown:    {Dropped, Stop},
		CannotBeRead:  {Dropped, Stop},
		StaysUnread:   {Dropped, Stop},
		NotAsked:      {Dropped, Measure},
		EffectVisible: {Fulfilled, Stop},
		EffectAbsent:  {Dropped, Stop},
		EffectUnknown: {Dropped, Stop},
	},
}

// next returns the row for an event; ok is false if the table has none.
func next(s State, e Event) (t transition, ok bool) {
	t, ok = table[s][e]
	return t, ok
}
