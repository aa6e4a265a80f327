# Reads the JUnit file of ctest and prints how many tests passed, failed and were skipped. Also prints the reasons of the
# skipped tests, and the output of the failed ones.
# usage: awk -v preset=cpu -v seconds=480 -f tools/test_summary.awk tests.xml
function plain(text) {
  gsub(/&lt;/, "<", text); gsub(/&gt;/, ">", text); gsub(/&quot;/, "\"", text); gsub(/&apos;/, "'", text)
  gsub(/&#[0-9x]*;/, "", text); gsub(/&amp;/, "\\&", text)
  return text
}
function attribute(name,   found) {
  if (!match($0, name "=\"[^\"]*\"")) return ""
  found = substr($0, RSTART, RLENGTH)
  return plain(substr(found, length(name) + 3, length(found) - length(name) - 3))
}
function begin_test() {
  test = attribute("name"); status = attribute("status"); output = ""; reason = ""; expect_reason = 0
  layer = test; sub(/[. ].*/, "", layer)
  if (!(layer in tests_of)) layers[++layer_count] = layer
  ++tests_of[layer]
}
function end_test() {
  if (status == "run") ++passed
  else if (status == "fail") { ++failed; failures[failed] = test "\n" output }
  else {
    ++skipped
    if (reason == "") reason = "no reason given"
    if (!(reason in skipped_for)) reasons[++reason_count] = reason
    ++skipped_for[reason]
  }
}
/<testcase / { begin_test() }
test != "" {
  line = $0; sub(/.*<system-out>/, "", line); sub(/<\/system-out>.*/, "", line); line = plain(line)
  if (expect_reason && line !~ /^[ \t]*$/) { reason = line; sub(/^[ \t]+/, "", reason); expect_reason = 0 }
  if (line ~ /explicitly with message/) expect_reason = 1  # printed by Catch2's SKIP
  if (line ~ /^skipped: /) { reason = line; sub(/^skipped: /, "", reason) }
  if ($0 !~ /<\/?(testcase|properties|failure)/) output = output line "\n"
}
/<\/testcase>/ { end_test(); test = "" }
END {
  printf "%s: %d tests passed, %d skipped, %d FAILED in %d min %d s\n", preset, passed, skipped, failed, seconds / 60, seconds % 60
  line = "  ran:"
  for (i = 1; i <= layer_count; ++i) line = line " " layers[i] " " tests_of[layers[i]] (i < layer_count ? "," : "")
  print line
  for (i = 1; i <= reason_count; ++i) printf "  skipped %d: %s\n", skipped_for[reasons[i]], reasons[i]
  for (i = 1; i <= failed; ++i) printf "\n---- FAILED: %s", failures[i]
  exit failed > 0 || passed == 0
}
