# The last outcome of each test in logs of `cargo test`, in their order: ok, FAILED or cut (it began and has no outcome).
# Called by scripts/test-matrix. Outcomes of earlier runs (NAME<TAB>OUTCOME) may come first.

# Those that are run only by name.
/^test [a-z_0-9:]+ \.\.\. ignored/ { next }
# test life::force_ends_a_session_at_once ... ok
/^test [a-z_0-9]+::[a-z_0-9:]+ \.\.\./ {
    last = $2
    note(last, $NF)
    next
}
# The outcome may be alone, or behind what a test printed past the capture.
/^(ok|FAILED)$/ && last { note(last, $1); next }
/^[a-z_0-9:]+\t(ok|FAILED|cut)$/ { note($1, $2) }

function note(name, how) {
    if (!seen[name]++) order[++count] = name
    outcome[name] = how
}

END {
    for (n = 1; n <= count; n++) print order[n] "\t" (outcome[order[n]] ~ /^(ok|FAILED)$/ ? outcome[order[n]] : "cut")
}
