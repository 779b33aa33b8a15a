# Prints the table of exports. Its input has a line for each export: the round, the way, the shape of
# the answer, seconds, CPU seconds, memory in kB and bytes. All figures are medians of the rounds.
BEGIN { FS = "\t" }

{
	key = $2 " | " $3
	if (!(key in seen)) {
		seen[key] = 1
		order[++rows] = key
	}
	wall[key, $1] = $4
	cpu[key, $1] = $5
	if ($6 > memory[key]) memory[key] = $6
	if ($2 == "curl -o") payload = $7 / 1e6
	if ($1 > rounds) rounds = $1
}

function median(values,    i, j, v) {
	for (i = 2; i <= rounds; i++) {
		v = values[i]
		for (j = i - 1; j > 0 && values[j] > v; j--) values[j + 1] = values[j]
		values[j + 1] = v
	}
	return values[int((rounds + 1) / 2)]
}

# row prints a way. Net is without what Terraform takes for a day without records, with the same
# provider and in the same round.
function row(key,    parts, empty, curl, r, w, n, c, tw, tc) {
	split(key, parts, " [|] ")
	empty = "a day without records" (key ~ /, before/ ? ", before" : "") " | " parts[2]
	curl = "curl -o | " parts[2]
	for (r = 1; r <= rounds; r++) {
		w[r] = wall[key, r]
		n[r] = w[r] - (key ~ /^analytics/ ? wall[empty, r] : 0)
		c[r] = cpu[key, r] - (key ~ /^analytics/ ? cpu[empty, r] : 0)
		tw[r] = n[r] / wall[curl, r]
		tc[r] = c[r] / (cpu[curl, r] > 0 ? cpu[curl, r] : 0.01)
	}

	printf "| %s | %.1f s |", key, median(w)
	if (key == empty) printf " | | | | |"
	else {
		n[0] = median(n)
		printf " %.1f s | %.1f s | %.0f | %.2f | %.2f |", n[0], median(c), payload / n[0], median(tw), median(tc)
	}
	if (memory[key] > 0) printf " %.0f MB", memory[key] / 976.6
	print " |"
}

END {
	printf "\nA day of %.0f MB\n\n", payload
	print "| | answer | wall time | net | CPU time, net | MB/s | time to curl | CPU to curl | peak memory of the provider |"
	print "|:-- | --:| --:| --:| --:| --:| --:| --:| --:|"
	for (i = 1; i <= rows; i++) row(order[i])
}
