"""The archive of a nightly job: the program, its libraries, the corpus, and the objects built for it."""

def _rowlock_nightly_impl(ctx):
    listing = ctx.actions.declare_file(ctx.label.name + ".list")
    lines = []
    for file in ctx.files.corpus:
        # What is built goes where --built looks for it; what is not is the corpus itself.
        place = file.short_path if file.is_source else "built/" + file.short_path
        lines.append(file.path + "\t" + place)
    ctx.actions.write(listing, "\n".join(lines) + "\n")
    archive = ctx.actions.declare_file(ctx.label.name + ".tar.gz")
    ctx.actions.run(
        executable = "/usr/bin/python3",
        arguments = ["-B", ctx.file._pack.path, ctx.executable.rowlock.path, ctx.file.script.path, listing.path, archive.path],
        inputs = ctx.files.corpus + [listing, ctx.executable.rowlock, ctx.file.script, ctx.file._pack],
        outputs = [archive],
        mnemonic = "RowlockNightly",
    )
    return [DefaultInfo(files = depset([archive]))]

rowlock_nightly = rule(
    implementation = _rowlock_nightly_impl,
    attrs = {
        "corpus": attr.label_list(allow_files = True, doc = "The corpus's files, and the objects built for it."),
        "rowlock": attr.label(executable = True, cfg = "target", doc = "The program, which finds its libraries in ../lib."),
        "script": attr.label(allow_single_file = True),
        "_pack": attr.label(default = Label("//tools/nightly:pack.py"), allow_single_file = True),
    },
)
