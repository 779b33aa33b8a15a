{
  echo "identity_id,clause_1_consent,clause_2_consent,clause_3_consent,clause_4_consent,clause_5_consent,agreement_time,user_ipv6"
  for n in $(seq -w 1 300); do
    echo "test-$n,true,true,false,false,false,2026-01-15T09:30:00Z,2001:db8::$n"
  done
} >users.csv
