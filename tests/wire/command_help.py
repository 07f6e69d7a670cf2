"""What `indigo` says of itself: version, exit statuses, completion scripts, manual page."""
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
TIMEOUT_S = 20
COMMANDS = ["serve", "run", "log", "check", "salvage", "backup", "completion", "manual"]


def run(*command, **more):
    return subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_S, **more)


def the_version_is_the_same_everywhere(binary):
    version = re.search(r'kVersion = "([\d.]+)"', (ROOT / "base/version.h").read_text())[1]
    for flag in ("--version", "-V"):
        done = run(binary, flag)
        assert (done.returncode, done.stdout, done.stderr) == (0, f"indigo {version}\n", ""), done
    done = run(binary, "run", "--", "psql", "-X", "-At", "-c", "select version()")
    assert done.stdout.endswith(f"(Indigo {version})\n"), done
    assert f"\n## {version}" in (ROOT / "CHANGELOG.md").read_text()


def exit_statuses_are_the_documented_ones(binary):
    def status(expected, *arguments):
        done = run(binary, *arguments)
        assert done.returncode == expected, (expected, done)

    with tempfile.TemporaryDirectory(prefix="indigo-help-") as directory, socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        plain = pathlib.Path(directory, "plain")
        plain.write_text("no program")
        status(0, "--help")
        status(0, "run", "--help")
        status(0, "run", "--", "true")
        status(2)
        status(2, "no-such-command")
        status(2, "serve", "--nonsense")
        status(2, "serve", "-c", "work_mem")
        status(2, "check", f"{directory}/none")
        status(2, "run")
        status(2, "completion", "tcsh")
        status(1, "check", directory)
        status(1, "serve", "-h", "127.0.0.1", "-p", port, "-k", directory)
        status(1, "serve", "-p", "0", "-k", directory, "-c", "no_such_setting=1")
        status(1, "backup", "-h", f"{directory}/none", f"{directory}/copy")
        status(3, "run", "-k", directory, "--", "sh", "-c", "exit 3")
        status(125, "run", "-h", "127.0.0.1", "-p", port, "-k", directory, "--", "true")
        status(126, "run", "-k", directory, "--", str(plain))
        status(126, "run", "-k", directory, "--", directory)
        status(127, "run", "-k", directory, "--", "no-such-command-at-all")
        status(127, "run", "-k", directory, "--", f"{plain}/x")
        status(128 + signal.SIGKILL, "run", "-k", directory, "--", "sh", "-c", "kill -9 $$")
    for text in ((ROOT / "docs/settings.md").read_text(), run(binary, "manual").stdout):
        assert all(f"{status}" in text for status in (125, 126, 127, "128+N")), text


BASH = """
source {script}
COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
_indigo
printf '%s\\n' "${{COMPREPLY[@]}}"
"""


def bash_completes_commands_options_and_folders(binary):
    with tempfile.TemporaryDirectory(prefix="indigo-help-") as directory:
        script = pathlib.Path(directory, "indigo.bash")
        script.write_text(run(binary, "completion", "bash").stdout)
        pathlib.Path(directory, "data").mkdir()
        pathlib.Path(directory, "data.txt").write_text("")

        def completed(words):
            done = run("bash", "-c", BASH.format(script=script, words=words), cwd=directory)
            assert done.stderr == "", done
            return done.stdout.split()

        assert completed("indigo ''")[: len(COMMANDS)] == COMMANDS
        assert completed("indigo se") == ["serve"]
        assert {"--help", "--locale", "--locale-provider"} <= set(completed("indigo serve --"))
        assert "-D" in completed("indigo serve -") and "-c" in completed("indigo run -p 0 -")
        assert completed("indigo serve -D da") == ["data"]
        assert completed("indigo serve -p 5") == []
        assert completed("indigo check da") == ["data"]
        assert completed("indigo log d") == ["dump"]
        assert sorted(completed("indigo completion ''")) == ["--help", "bash", "fish", "zsh"]
        assert "--username" in completed("indigo backup --")
        assert "psql" in completed("indigo run -p 0 -- psq")


def zsh_and_fish_read_their_scripts(binary):
    for shell, check in (("zsh", ["-n"]), ("fish", ["--no-execute"])):
        script = run(binary, "completion", shell).stdout
        for word in [*COMMANDS, "dump", "username", "PORT" if shell == "zsh" else "-s p"]:
            assert word in script, (shell, word, script)
        if shutil.which(shell):
            with tempfile.NamedTemporaryFile("w", suffix=shell) as file:
                file.write(script)
                file.flush()
                done = run(shell, *check, file.name)
                assert (done.returncode, done.stderr) == (0, ""), (shell, done)
    if shutil.which("fish"):
        with tempfile.NamedTemporaryFile("w", suffix=".fish") as file:
            file.write(run(binary, "completion", "fish").stdout)
            file.flush()
            done = run("fish", "--no-config", "-c", f"source {file.name}; complete -C 'indigo se'; complete -C 'indigo log '",
                       env=os.environ | {"HOME": tempfile.gettempdir()})
            assert "serve\t" in done.stdout and "dump\t" in done.stdout, done


def the_manual_page_is_one(binary):
    page = run(binary, "manual").stdout
    assert page.startswith(".TH INDIGO 1 ") and all(f"indigo {name}" in page for name in COMMANDS), page
    for line in page.splitlines():
        assert not line.startswith("'"), line
    if shutil.which("groff"):
        done = run("groff", "-man", "-ww", "-Tascii", input=page)
        assert done.stderr == "" and "EXIT STATUS" in re.sub(r"\x1b\[\d*m|.\x08", "", done.stdout), done


CHECKS = [
    the_version_is_the_same_everywhere,
    exit_statuses_are_the_documented_ones,
    bash_completes_commands_options_and_folders,
    zsh_and_fish_read_their_scripts,
    the_manual_page_is_one,
]
