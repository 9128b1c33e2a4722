[ -e "$1" ] || fail "$shown: No such file or directory"
real=$(readlink -f -- "$1" && echo .)
real=${real%??}
[ -n "${real##*/}" ] || fail "$shown: the root directory can't be copied"
case $(tar --version 2>/dev/null) in *GNU*) several=--hard-dereference ;; *) several= ;; esac
parent=${real%/*}
exec 3>&1
code=$({ { tar -C "${parent:-/}" $several -cf - -- "${real##*/}" >&3; echo $? >&4; } 2>&1 |
  sed '/Exiting with failure/d; /error exit delayed/d; /file changed as we read/d; s/^tar: /skipped /' >&2; } 4>&1)
[ "$code" -le 2 ] || fail "tar ended with exit code $code"
