// What a command has to do with the world outside: its output, its messages and the files it must not leave behind.

/// The surroundings of a command.
struct Console: Sendable {
    let output = StandardOutput()
    let diagnostics = Diagnostics()
    let temporaryFiles = TemporaryFiles()

    /// What standard output can show.
    var terminal: Terminal { Terminal(descriptor: output.descriptor) }
}
