package client

// Optional is a field of an answer, which is absent, null or a value: the three
// mean different things to whoever compares with what was known before.
type Optional[T any] struct {
	value   T
	present bool
	null    bool
}

// Some is a field with a value, Null a field that the service holds as null.
// The zero Optional is an absent field.
func Some[T any](v T) Optional[T] { return Optional[T]{value: v, present: true} }

// Null is a field that was present and null.
func Null[T any]() Optional[T] { return Optional[T]{present: true, null: true} }

// Get returns the value, and whether there is one.
func (o Optional[T]) Get() (T, bool) { return o.value, o.present && !o.null }

// IsAbsent reports that the answer did not have the field at all.
func (o Optional[T]) IsAbsent() bool { return !o.present }

// IsNull reports that the answer had the field, as null.
func (o Optional[T]) IsNull() bool { return o.present && o.null }
