package client

// Optional is a field of an answer: absent, null or a value. The zero Optional is absent.
type Optional[T any] struct {
	value   T
	present bool
	null    bool
}

// Some returns a field with a value.
func Some[T any](v T) Optional[T] { return Optional[T]{value: v, present: true} }

// Null returns a field that is present and null.
func Null[T any]() Optional[T] { return Optional[T]{present: true, null: true} }

// Get returns the value, and whether the field has one.
func (o Optional[T]) Get() (T, bool) { return o.value, o.present && !o.null }

// IsAbsent reports whether the answer does not have the field.
func (o Optional[T]) IsAbsent() bool { return !o.present }

// IsNull reports whether the answer has the field as null.
func (o Optional[T]) IsNull() bool { return o.present && o.null }
