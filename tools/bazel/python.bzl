"""Python tests on the distribution's interpreter, which has the distribution's jsonschema and pytest.

Bazel 4.2's py_test starts whatever `python` the PATH finds, and Debian 12 has no program of that name.

    load("//tools/bazel:python.bzl", "python_test")

    python_test(
        name = "count_tests_test",
        size = "small",
        main = "count_tests_test.py",
        pytest = True,
        srcs = ["count_tests.py"],
    )
"""

# Imports find the workspace's root and the folder of the main file, and nothing that is not among the runfiles: without
# PYTHONSAFEPATH Python would follow the link to the main file and look beside the source.
_SCRIPT = """\
#!/bin/sh
cd "${{TEST_SRCDIR:-$0.runfiles}}"/{workspace} || exit 3
export PYTHONPATH="$PWD:$PWD/{folder}" PYTHONSAFEPATH=1 PYTHONDONTWRITEBYTECODE=1
exec /usr/bin/python3 {runner}{main} "$@"
"""

# A test's folders are its own: those below the shared /tmp are cleaned up by every later run, at its cost.
_PYTEST = '-m pytest -p no:cacheprovider ${TEST_TMPDIR:+--basetemp="$TEST_TMPDIR/pytest"} ${XML_OUTPUT_FILE:+--junitxml="$XML_OUTPUT_FILE"} '

def _python_test_impl(ctx):
    main = ctx.file.main
    script = ctx.actions.declare_file(ctx.label.name + ".sh")
    ctx.actions.write(
        output = script,
        content = _SCRIPT.format(
            workspace = ctx.workspace_name,
            folder = main.short_path.rpartition("/")[0],
            runner = _PYTEST if ctx.attr.pytest else "",
            main = main.short_path,
        ),
        is_executable = True,
    )
    runfiles = ctx.runfiles(files = [main] + ctx.files.srcs + ctx.files.data)
    for target in ctx.attr.data:
        runfiles = runfiles.merge(target[DefaultInfo].default_runfiles)
    return [DefaultInfo(executable = script, runfiles = runfiles)]

python_test = rule(
    implementation = _python_test_impl,
    doc = "Runs a Python file; its exit status decides, or with `pytest` the tests in it, of which there must be one.",
    attrs = {
        "main": attr.label(mandatory = True, allow_single_file = [".py"], doc = "The file to run."),
        "pytest": attr.bool(doc = "Whether pytest runs it."),
        "srcs": attr.label_list(allow_files = [".py"], doc = "The modules that it imports."),
        "data": attr.label_list(allow_files = True, doc = "What it reads; `args` may say $(location ...) of these."),
    },
    test = True,
)
