read_into() {
  exec 3>&1
  code=$({ { tar -C "$1" -o -xf - 2>&1; echo $? >&4; } |
    sed '/Exiting with failure/d; /error exit delayed/d; s/^tar: /workbay: /' >&2; } 4>&1)
  [ "$code" = 0 ] || fail "tar ended with exit code $code"
}
if [ -d "$1" ]; then
  read_into "$1"
  exit 0
fi
case $1 in */) fail "the directory $shown doesn't exist" ;; esac
parent=${1%/*}
parent=${parent:-/}
[ -d "$parent" ] || fail "${shown%/*}: No such file or directory"
temporary=$(mktemp -d "$parent/.workbay.XXXXXX" 2>/dev/null) || fail "$parent: files can't be created here"
trap 'rm -rf "$temporary"' EXIT
trap 'exit 1' HUP INT TERM
read_into "$temporary"
for one in "$temporary"/* "$temporary"/.[!.]* "$temporary"/..?*; do
  if [ -e "$one" ] || [ -L "$one" ]; then
    problem=$(mv -f "$one" "$1" 2>&1) || fail "${problem#mv: }"
  fi
done
