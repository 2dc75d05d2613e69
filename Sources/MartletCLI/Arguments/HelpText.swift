// What `--help` prints.

/// The help.
enum HelpText {
    /// All of it, at most 100 columns wide.
    static var text: String {
        """
        martlet-cli: HTTP from the command line, and a tour of the Martlet SDK.

        Usage:
          martlet-cli demo                   Tour the SDK on a server of its own; nothing leaves the machine
          martlet-cli get [options] URL      Fetch a URL; the body goes to standard output as it arrives
          martlet-cli --help | --version

        Options of get:
          -H, --header 'Name: value'         Send a header field; may be repeated
              --timeout SECONDS              End the transfer after this time (2.5 is two seconds and a half)
          -i, --include                      Print the response head too, on standard output
          -o, --output FILE                  Write the body to FILE, which appears once it is complete
              --cacert FILE                  Trust the root certificates in FILE (PEM) besides the system's
          -k, --insecure                     Accept any certificate: nothing protects against an impostor

        A failure is one line on standard error. With a status of 400 or more the body is printed all the
        same, but --output leaves FILE as it was. Redirects are not followed.

        Exit status:
        \(statuses)

        NO_COLOR in the environment turns colour off.

        """
    }

    private static var statuses: String {
        ExitStatus.table.map { status, meaning in
            "  " + String(status.code).padded(to: 5) + meaning
        }.joined(separator: "\n")
    }
}
