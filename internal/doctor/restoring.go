package doctor

import (
	"context"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
)

// restore writes what was there before, unless somebody else has written in the meantime.
func (t *trial) restore(ctx context.Context) {
	if t.sent == 0 {
		return
	}

	t.options.Progress("restoring the consent")
	held, err := t.use.client.GetConsent(ctx, t.scope, t.identity)
	if err != nil && !client.IsClass(err, client.ClassNotFound) {
		t.notRestored("the service cannot be read (" + describe(err) + ")")
		return
	}

	if t.isAsBefore(held, err) {
		t.report.add(GroupWriting, "restored", OK, "the person's consent is as it was; no write has changed it")
		return
	}
	if t.read != nil && !isSame(*t.read, held) {
		t.notRestored("somebody else has changed it in the meantime, and that change stands")
		return
	}

	t.writeBack(ctx)
}

// isSame reports whether two records have the same fields with the same values.
func isSame(a, b client.Consent) bool {
	return a.Clauses == b.Clauses && a.AgreementTime == b.AgreementTime && a.UserIPv6 == b.UserIPv6 && a.Manual == b.Manual
}

// isAsBefore reports whether a record is the one that was there before.
func (t *trial) isAsBefore(held client.Consent, err error) bool {
	if err != nil || !t.existed {
		return err != nil && !t.existed
	}
	return len(t.notAsBefore(held)) == 0
}

// notAsBefore returns the names of the fields that are not as they were before.
func (t *trial) notAsBefore(held client.Consent) []string {
	names := differences(t.original(), held)

	if isSet(t.before.AgreementTime) != isSet(held.AgreementTime) {
		names = append(names, fieldTime)
	}
	if isSet(t.before.Manual) != isSet(held.Manual) {
		names = append(names, fieldManual)
	}

	return names
}

// original returns the update that restores the record. A person who had no record gets
// one that refuses all clauses, since the interface has no request that removes a record.
func (t *trial) original() client.ConsentUpdate {
	u := client.ConsentUpdate{UserIPv6: addressOf(t.before)}
	for i, c := range t.before.Clauses {
		u.Clauses[i], _ = c.Get()
	}
	u.AgreementTime, _ = t.before.AgreementTime.Get()
	u.Manual, _ = t.before.Manual.Get()

	return u
}

// writeBack writes the original and compares what is read then. Where no form is known to
// work, since the trial was interrupted, it tries each of them, that of the last update
// first.
func (t *trial) writeBack(ctx context.Context) {
	if t.working != nil {
		held, err := t.writeOriginal(ctx, t.working)
		if err != nil {
			t.notRestored(describe(err))
			return
		}
		t.reportRestored(held)
		return
	}

	why := "no form of an update is read back as it was written"
	for _, f := range t.formsFrom(t.last) {
		c, err := t.connectAs(f)
		if err != nil {
			continue
		}

		held, err := t.writeOriginal(ctx, c)
		if err == nil && len(differences(t.original(), held)) == 0 {
			t.reportRestored(held)
			return
		}
		if err != nil {
			why = describe(err)
		}
	}

	t.notRestored(why)
}

// writeOriginal writes the original and returns what is read then.
func (t *trial) writeOriginal(ctx context.Context, c *client.Client) (client.Consent, error) {
	if _, err := c.UpdateConsent(ctx, t.scope, t.identity, t.original()); err != nil {
		return client.Consent{}, err
	}
	return t.readSettled(ctx, c, t.original())
}

func (t *trial) reportRestored(held client.Consent) {
	if !t.existed {
		t.report.add(GroupWriting, "restored", Differs, "the person had no consent record, and the interface has no request that removes one; the record now refuses all clauses")
		return
	}

	if names := t.notAsBefore(held); len(names) > 0 {
		t.report.add(GroupWriting, "restored", Differs, "the person's consent is as it was before, except "+list(names)+", which an update cannot take back")
		return
	}
	t.report.add(GroupWriting, "restored", OK, "the person's consent is as it was before")
}

func (t *trial) notRestored(why string) {
	t.report.add(GroupWriting, "restored", Broken, "the person's consent is not as it was: "+why+"; write it again yourself")
}
