"""Turns a folder of rows into Bazel tests, one a row.

In this repository:

    load("//tools/bazel:corpus.bzl", "rowlock_corpus")

    rowlock_corpus(
        name = "rows",
        rows = glob(["*.expect.json"]),
    )

Another repository that keeps rows of its own adds to its WORKSPACE, with ROWLOCK for the folder that holds Rowlock:

    local_repository(name = "rowlock", path = "ROWLOCK")
    local_repository(name = "rules_cc", path = "ROWLOCK/tools/bazel/shims/rules_cc")
    local_repository(name = "rules_java", path = "ROWLOCK/tools/bazel/shims/rules_java")
    local_repository(name = "remote_coverage_tools", path = "ROWLOCK/tools/bazel/shims/remote_coverage_tools")

    load("@rowlock//tools/bazel:system_libraries.bzl", "rowlock_system_libraries")

    rowlock_system_libraries()

and loads "@rowlock//tools/bazel:corpus.bzl". The three shims are needed only where nothing else declares those names.
Its .bazelrc has `build --nosandbox_debug`, or Debian's Bazel prints every action's sandbox.
"""

_EXPECT_SUFFIX = ".expect.json"
_RECIPE_SUFFIX = ".derived.json"
_ROWLOCK = "@rowlock//harness:rowlock"
_DERIVE = "@rowlock//tools/bazel:derive.py"
_KERNEL = "@rowlock//corpus/host:kernel"

# The runfiles of a test are the folder it starts in; of a program started by hand they are beside it.
_TEST_SCRIPT = """\
#!/bin/sh
cd "${{TEST_SRCDIR:-$0.runfiles}}"/{workspace} && exec ./{rowlock} run {path} "$@"
"""

# From the workspace's root, so that paths in the output and in its arguments mean the source tree.
_RUN_SCRIPT = """\
#!/bin/sh
runfiles=$(cd "$0.runfiles"/{workspace} && pwd) || exit 3
cd "${{BUILD_WORKSPACE_DIRECTORY:?is not set: start this with 'bazel run'}}" || exit 3
exec "$runfiles"/{rowlock} run {path} "$@"
"""

def _quote(text):
    return "'" + text.replace("'", "'\\''") + "'"

def _launcher(ctx, template, path, data):
    # Not named after the target alone: a row whose fixture is a folder has that folder's name.
    script = ctx.actions.declare_file(ctx.label.name + ".sh")
    ctx.actions.write(
        output = script,
        content = template.format(
            workspace = _quote(ctx.workspace_name),
            rowlock = _quote(ctx.executable.rowlock.short_path),
            path = _quote(path),
        ),
        is_executable = True,
    )
    runfiles = ctx.runfiles(files = data).merge(ctx.attr.rowlock[DefaultInfo].default_runfiles)
    return [DefaultInfo(executable = script, runfiles = runfiles)]

def _rowlock_test_impl(ctx):
    if ctx.file.expect:
        return _launcher(ctx, _TEST_SCRIPT, ctx.file.expect.short_path, ctx.files.data + [ctx.file.expect])
    if not ctx.files.data:
        fail("no files")
    repository = "../{}/".format(ctx.label.workspace_name) if ctx.label.workspace_name else ""
    return _launcher(ctx, _TEST_SCRIPT, repository + ctx.label.package, ctx.files.data)

def _rowlock_run_impl(ctx):
    return _launcher(ctx, _RUN_SCRIPT, ctx.attr.path, [])

_ROWLOCK_ATTR = attr.label(
    default = Label(_ROWLOCK),
    executable = True,
    cfg = "target",
    doc = "The program: `rowlock`, or one that takes the same arguments.",
)

rowlock_test = rule(
    implementation = _rowlock_test_impl,
    doc = "Runs `rowlock run` over one row, or over a whole package at once, rows.lock included.",
    attrs = {
        "expect": attr.label(
            allow_single_file = [_EXPECT_SUFFIX],
            doc = "The row. Left out: the folder of the package, as far as `data` brings it.",
        ),
        "data": attr.label_list(allow_files = True, doc = "Every other file that the run reads."),
        "rowlock": _ROWLOCK_ATTR,
    },
    test = True,
)

rowlock_run = rule(
    implementation = _rowlock_run_impl,
    doc = "`bazel run` of it is `rowlock run PATH ARGUMENTS` in the source tree.",
    attrs = {
        "path": attr.string(mandatory = True, doc = "What to run, relative to the root of the workspace."),
        "rowlock": _ROWLOCK_ATTR,
    },
    executable = True,
)

def rowlock_corpus(name, rows, data = [], rowlock = _ROWLOCK, tags = [], **kwargs):
    """One test per row, named after the row's stem, and a test_suite of them all.

    A row's test sees the row, its fixture (<stem>.sidecar.json, <stem>.manifest.json, or the files below <stem>/) and
    `data`; no other row. What the files look like inside is `rowlock run`'s to judge, not this macro's.

    Args:
      name: the test_suite's name.
      rows: the *.expect.json files, each a path below the package. Usually a glob, so that adding files adds a test; an
        empty list is an error, since a pattern that matches nothing would pass for ever.
      data: labels of companions that every row may read: deployments that rows share, artifacts built by other targets.
      rowlock: label of the program that runs a row.
      tags: tags of each test, beside `row`.
      **kwargs: handed to each test; `visibility` and `testonly` also to the test_suite. `size` is small by default.
    """
    if not rows:
        fail("rowlock_corpus '{}' of //{} has no rows".format(name, native.package_name()))
    kwargs.setdefault("size", "small")
    tests = []
    for row in rows:
        if ":" in row or not row.endswith(_EXPECT_SUFFIX):
            fail("row '{}' of '{}' is not the path of a *{} file in this package".format(row, name, _EXPECT_SUFFIX))
        stem = row[:-len(_EXPECT_SUFFIX)]
        test = stem.split("/")[-1]
        rowlock_test(
            name = test,
            data = native.glob([stem + ".sidecar.json", stem + ".manifest.json", stem + "/**"], allow_empty = True) + data,
            expect = row,
            rowlock = rowlock,
            tags = ["row"] + tags,
            **kwargs
        )
        tests.append(":" + test)
    native.test_suite(
        name = name,
        tests = tests,
        **{key: kwargs[key] for key in ["visibility", "testonly"] if key in kwargs}
    )

# A --linkopt=-fsanitize=... comes behind these and would win over -fno-sanitize=all; the compiler brings a sanitizer's library
# with the default ones alone, so that those are named here.
_HOST_OBJECT_LINKOPTS = ["-nodefaultlibs", "-lm", "-lc", "-lgcc"]

def rowlock_host_objects(name, srcs, hdrs = [], openmp = [], visibility = None):
    """Builds each C source of a corpus into a shared object, FOLDER/NAME.c into FOLDER/NAME.so, as a deployment's host object.

    Without sanitizers in any configuration: what a fixture does wrong is for `rowlock run` to find out.

    `#include "corpus/host/kernel.h"`, the kernel's side of the ABI, works in any workspace.

    Args:
      name: of a filegroup of all objects.
      srcs: the sources. Usually a glob, so that adding a fixture builds it.
      hdrs: labels of headers that they include.
      openmp: those of `srcs` that thread themselves and are built with OpenMP.
      visibility: of the filegroup.
    """
    for src in openmp:
        if src not in srcs:
            fail("'{}' of '{}' is none of its sources".format(src, name))
    objects = []
    for src in srcs:
        object = src[:-len(".c")] + ".so"
        threads = ["-fopenmp"] if src in openmp else []
        native.cc_binary(
            name = object,
            srcs = [src] + hdrs,
            deps = [_KERNEL],
            copts = ["-fno-sanitize=all", "-fvisibility=hidden", "-ffp-contract=off"] + threads,
            # As a linker leaves it: what an object lacks is looked for when somebody asks for it.
            linkopts = ["-Wl,-z,lazy"] + threads + (["-lgomp"] if threads else []) + _HOST_OBJECT_LINKOPTS,
            linkshared = True,
        )
        objects.append(":" + object)
    native.filegroup(name = name, srcs = objects, visibility = visibility)

def rowlock_derived(name, recipes, bases, visibility = None):
    """Makes fixtures that are damaged or foreign, and so not checked in, of sound ones: FILE by the recipe FILE.derived.json.

    What a recipe says is written down in derive.py.

    Args:
      name: of a filegroup of all that is made.
      recipes: the *.derived.json files, each a path below the package. Usually a glob.
      bases: labels of the files that the recipes start from; each recipe says which, by its path.
      visibility: of the filegroup.
    """
    files = []
    for recipe in recipes:
        if not recipe.endswith(_RECIPE_SUFFIX):
            fail("recipe '{}' of '{}' is not the path of a *{} file".format(recipe, name, _RECIPE_SUFFIX))
        file = recipe[:-len(_RECIPE_SUFFIX)]
        native.genrule(
            name = file + "_derived",
            srcs = [recipe] + bases,
            outs = [file],
            cmd = "/usr/bin/python3 -B $(location {}) $(location {}) $@ {}".format(
                _DERIVE,
                recipe,
                " ".join(["$(locations {})".format(base) for base in bases]),
            ),
            tools = [_DERIVE],
        )
        files.append(":" + file)
    if not files:
        fail("rowlock_derived '{}' of //{} has no recipes".format(name, native.package_name()))
    native.filegroup(name = name, srcs = files, visibility = visibility)
