# What this process does is in its arguments, after the length of this program.
def main(arguments):
    # The end of the input ends it, after what is unfinished was removed.
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    task, rest = arguments[0], arguments[1:]
    try:
        TASKS[task](*rest)
    except Failed as failure:
        sys.stderr.write("workbay: %s\n" % failure.what)
        sys.exit(1)
    except BrokenPipeError:
        pass
    except OSError as error:
        sys.stderr.write("workbay: %s\n" % error)
        sys.exit(1)
    # Threads may still wait for connections.
    os._exit(0)


TASKS = {
    "files": serve_files,
    "listen": serve_listener,
    "unsaved": count_unsaved,
    "rescue": rescue,
    "entries": list_entries,
}
main(sys.argv[2:])
