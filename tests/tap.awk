# SPDX-License-Identifier: GPL-2.0
# Judges the output of one test file: awk -v status=EXIT_STATUS [-v groups=1] -f tests/tap.awk OUTPUT
#
# Prints "PASSED FAILED SKIPPED", the number of tests of each kind, then a line for each thing that is wrong with
# the file as a whole; each of these counts as a failed test. groups=1: one plan a group, as cmocka prints them.

/^1\.\.[0-9]+/ {
	plans++
	n = $1
	sub(/^1\.\./, "", n)
	planned += n
	if (n == 0 && toupper($0) ~ /# *SKIP/)
		skipped_file = 1
	next
}

# cmocka writes a skipped test as "not ok N # SKIP name".
/^(not )?ok [0-9]+ # *[Ss][Kk][Ii][Pp]/ { ran++; skipped++; next }
/^ok [0-9]+ .*# *[Ss][Kk][Ii][Pp]/ { ran++; skipped++; next }
/^ok([ \t]|$)/ { ran++; passed++; next }
/^not ok [0-9]/ { ran++; failed++; next }
/^Bail out!/ { wrong($0) }

function wrong(why)
{
	complaint[++complaints] = why
}

END {
	if (!plans)
		wrong("no plan (1..N) was printed")
	else if (plans > 1 && !groups)
		wrong(plans " plans were printed")
	else if (planned == 0 && !skipped_file)
		wrong("the plan is of no test at all")
	else if (ran != planned)
		wrong("planned " planned " tests, ran " ran + 0)
	if (skipped_file && !planned && !ran)
		skipped++
	if (status == 124 || status == 137)
		wrong("ran into the time limit")
	else if (status > 128)
		wrong("died of signal " status - 128)
	else if (status != 0 && !failed && !complaints)
		wrong("ended with status " status " although no test failed")
	else if (status == 0 && failed && !groups)
		wrong("ended with status 0 although tests failed")
	print passed + 0, failed + complaints + 0, skipped + 0
	for (i = 1; i <= complaints; i++)
		print complaint[i]
}
