#!/bin/sh
# Runs govulncheck and explains its exit status: a vulnerability is called, or the
# database could not be reached.
#
# usage: internal/tools/vuln.sh [FLAG ...] PACKAGES
set -u
.bin/govulncheck "$@"
status=$?
case $status in
0) ;;
3) echo "vulnerable code is called: see above for what to update" >&2 ;;
*)
	cat >&2 <<-'END'
		Nothing was checked: govulncheck ended before it had a result. Where it says
		"fetching vulnerabilities", the database at https://vuln.go.dev is out of reach
		from here; run this where it is not, or name a copy of it:
		make vuln VULNARGS='-db file:///path/to/a/copy'
	END
	;;
esac
exit "$status"
