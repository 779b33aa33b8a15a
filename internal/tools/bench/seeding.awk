# Prints the table of seedings. Its input has a line for each: the way, people, the latency, three
# costs (of the plan, the apply and the plan after it: seconds, CPU seconds, memory in kB), the seconds
# of curl, the requests of the apply and of the plan after it, and the bytes of the state. Of several
# rounds, the shortest times and the highest memory count.
BEGIN { FS = "\t" }

{
	key = $1 "\t" $2 "\t" $3
	if (!(key in state)) {
		order[++rows] = key
		plan[key] = $4; apply[key] = $7; cpu[key] = $8; again[key] = $10; curl[key] = $13
	}
	plan[key] = least(plan[key], $4)
	apply[key] = least(apply[key], $7)
	cpu[key] = least(cpu[key], $8)
	again[key] = least(again[key], $10)
	curl[key] = least(curl[key], $13)
	if ($9 > memory[key]) memory[key] = $9
	sent[key] = $14 / $2
	sentAgain[key] = $15 / $2
	state[key] = $16
}

function least(a, b) { return a < b ? a : b }

END {
	print "\nSeeding consent\n"
	print "| people as | people | latency | plan | apply | its CPU | plan again | curl | apply to curl | memory | growth per row | requests per person | of plan again | state |"
	print "|:-- | --:| --:| --:| --:| --:| --:| --:| --:| --:| --:| --:| --:| --:|"
	for (i = 1; i <= rows; i++) {
		key = order[i]
		split(key, of, "\t")
		printf "| %s | %d | %s | %.1f s | %.1f s | %.1f s | %.1f s |", of[1], of[2], of[3], plan[key], apply[key], cpu[key], again[key]
		if (curl[key] > 0) printf " %.1f s | x %.2f |", curl[key], apply[key] / curl[key]
		else printf " | |"

		fewest = of[1] of[3]
		if (!(fewest in people)) {
			people[fewest] = of[2]
			base[fewest] = memory[key]
		}
		if (memory[key] > 0) printf " %.0f MB |", memory[key] / 976.6
		else printf " |"
		if (of[2] > people[fewest] && memory[key] > 0) printf " %.0f B |", (memory[key] - base[fewest]) * 1024 / (of[2] - people[fewest])
		else printf " |"
		printf " %.2f | %.2f | %.1f kB |\n", sent[key], sentAgain[key], state[key] / 1e3
	}
}
