import Foundation
import Testing

@testable import MartletCLI

@Suite struct CompletionTests {
    private let folder = TemporaryFolder()

    /// What bash offers for a line, whose last word is under the cursor.
    private func offers(_ words: String...) async throws -> [String] {
        try folder.write("", to: "body.json")
        let script = """
            source <("$0" completions bash)
            cd \(folder.path("."))
            COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
            _martlet_cli
            printf '%s\\n' "${COMPREPLY[@]}"
            """
        let outcome = try await BuiltTool(script: script, arguments: ["martlet-cli"] + words).outcome()
        #expect(outcome.errors == "")
        return outcome.text.split(separator: "\n").map(String.init)
    }

    @Test func bashOffersCommands() async throws {
        #expect(try await offers("p") == ["post", "put", "patch"])
        #expect(Set(try await offers("")).isSuperset(of: CommandName.allCases.map(\.rawValue)))
    }

    @Test func bashOffersOptionsOfEveryName() async throws {
        let names = OptionTable.options.flatMap { [$0.long] + ($0.short.map { [$0] } ?? []) }
        let offered = try await offers("get", "-")
        #expect(Set(offered) == Set(names + ["--help"]))
        #expect(try await offers("get", "http://a/", "--ti") == ["--timeout"])
    }

    @Test func bashOffersWhatAnOptionTakes() async throws {
        #expect(try await offers("get", "--pretty", "") == ["auto", "always", "never"])
        #expect(try await offers("put", "-o", "bo") == ["body.json"])
        #expect(try await offers("put", "--data", "@bo") == ["@body.json"])
        #expect(try await offers("put", "http://a/", "@bo") == ["@body.json"])
        #expect(try await offers("put", "--timeout", "") == [])
        #expect(try await offers("completions", "") == ["bash", "zsh", "fish"])
        #expect(try await offers("demo", "-") == ["--help"])
    }

    @Test(arguments: Shell.allCases)
    func theShellReadsItsScript(_ shell: Shell) async throws {
        let script = #"command -v "$1" >/dev/null || exit 77; "$0" completions "$1" | "$1" -n"#
        let outcome = try await BuiltTool(script: script, shell.rawValue).outcome()
        if outcome.status == 77 { return }
        #expect(outcome.status == 0)
        #expect(outcome.errors == "")
    }

    @Test func fishOffersOptionsWithTheirMeaning() async throws {
        let script = """
            command -v fish >/dev/null || exit 77
            export HOME=\(folder.path("."))
            "$0" completions fish >"$HOME/script"
            fish -c "source $HOME/script; complete -C 'martlet-cli get --time'; complete -C 'martlet-cli get --pretty al'"
            """
        let outcome = try await BuiltTool(script: script).outcome()
        if outcome.status == 77 { return }
        #expect(
            outcome.text
                == "--timeout\tEnd the whole transfer after this time\nalways\tLay out and colour JSON: auto (on a terminal), always or never\n"
        )
    }

    @Test func zshDefinesItsFunction() async throws {
        let script = """
            command -v zsh >/dev/null || exit 77
            export HOME=\(folder.path("."))
            "$0" completions zsh >"$HOME/script"
            zsh -f -c 'autoload -U compinit; compinit -D; source "$HOME/script"; print ${_comps[martlet-cli]}'
            """
        let outcome = try await BuiltTool(script: script).outcome()
        if outcome.status == 77 { return }
        #expect(outcome.text == "_martlet_cli\n")
        #expect(outcome.errors == "")
    }
}
