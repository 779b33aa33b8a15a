# Prints the rows. Replace this with the query that exports the people.
echo identity_id,clause_1_consent,clause_2_consent,clause_3_consent,clause_4_consent,clause_5_consent,agreement_time
echo user-1001,true,true,false,false,false,2026-01-15T09:30:00Z
echo user-1002,true,false,false,false,false,2026-01-20T14:05:00+01:00
