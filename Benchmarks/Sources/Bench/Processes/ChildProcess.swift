// A process of its own for each run, so that CPU time and memory are that run's alone. Foundation's Process does not say what
// a child used; `wait4` does.

import BenchRuns
import Foundation
import Glibc

/// A child process whose output is read here.
final class ChildProcess {
    /// What is left of a process that has ended.
    struct Outcome {
        /// The exit status; above 128, 128 and the signal that ended it.
        var status: Int32
        var output: String
        var errors: String
        /// User and system time, in seconds.
        var cpuSeconds: Double
        /// The most memory that was resident, in KiB, sampled: `ru_maxrss` starts from what the parent had.
        var peakResidentKiB: Int
    }

    let pid: pid_t
    private let name: String
    private var pipes: [Int32]
    private var texts: [[UInt8]] = [[], []]
    private var peak = 0
    private var isReaped = false

    /// Starts a program, found in PATH when it is not a path.
    ///
    /// - Parameter environment: variables in addition to this process's.
    init(_ program: String, _ arguments: [String], environment: [String: String] = [:]) throws {
        guard let path = Tools.path(of: program) else { throw Failure("\(program) is not installed") }
        name = program
        var ends: [(read: Int32, write: Int32)] = []
        for _ in 0..<2 {
            var pair: [Int32] = [-1, -1]
            guard pipe(&pair) == 0 else { throw Failure.system("pipe") }
            for end in pair { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
            ends.append((pair[0], pair[1]))
        }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, ends[0].write, 1)
        posix_spawn_file_actions_adddup2(&actions, ends[1].write, 2)
        let variables = ProcessInfo.processInfo.environment.merging(environment) { _, new in new }
        var child: pid_t = 0
        let error = withCStrings([path] + arguments) { words in
            withCStrings(variables.map { "\($0.key)=\($0.value)" }) {
                posix_spawn(&child, path, &actions, nil, words, $0)
            }
        }
        for end in ends { close(end.write) }
        pipes = ends.map(\.read)
        pid = child
        guard error == 0 else {
            isReaped = true
            throw Failure("\(path) cannot be started: \(String(cString: strerror(error)))")
        }
    }

    deinit {
        if !isReaped {
            kill(pid, SIGKILL)
            var status: Int32 = 0
            waitpid(pid, &status, 0)
        }
        for pipe in pipes where pipe >= 0 { close(pipe) }
    }

    /// Waits for the end, reading what is written and looking at the memory meanwhile.
    ///
    /// - Throws: `Failure` when it takes longer than `limit` seconds, or this process was interrupted.
    func wait(atMost limit: Double) throws -> Outcome {
        let end = Clock.seconds() + limit
        while pipes.contains(where: { $0 >= 0 }) {
            try read(forMilliseconds: 20)
            peak = max(peak, ProcessFigures.peakResidentKiB(of: pid))
            try Interruption.check()
            guard Clock.seconds() < end else {
                kill(pid, SIGKILL)
                throw Failure("\(name) did not end within \(Int(limit)) s")
            }
        }
        var status: Int32 = 0
        var usage = rusage()
        guard wait4(pid, &status, 0, &usage) == pid else { throw Failure.system("wait4") }
        isReaped = true
        let signal = status & 0x7f
        return Outcome(
            status: signal == 0 ? (status >> 8) & 0xff : 128 + signal,
            output: String(decoding: texts[0], as: UTF8.self), errors: String(decoding: texts[1], as: UTF8.self),
            cpuSeconds: usage.seconds, peakResidentKiB: peak)
    }

    /// The first line of what it prints, while it goes on.
    func firstLine(atMost limit: Double) throws -> String {
        let end = Clock.seconds() + limit
        while !texts[0].contains(UInt8(ascii: "\n")) {
            guard pipes[0] >= 0, Clock.seconds() < end else { throw Failure("\(name) did not start: \(errors)") }
            try read(forMilliseconds: 20)
        }
        return String(decoding: texts[0].prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }

    /// Whether it still runs, by a look that does not wait.
    var hasEnded: Bool {
        guard !isReaped else { return true }
        var status: Int32 = 0
        if waitpid(pid, &status, WNOHANG) == pid { isReaped = true }
        return isReaped
    }

    /// What it has written to standard error so far.
    var errors: String {
        _ = try? read(forMilliseconds: 0)
        return String(decoding: texts[1], as: UTF8.self)
    }

    /// Ends it and waits for the end.
    func stop() {
        guard !isReaped else { return }
        kill(pid, SIGTERM)
        let end = Clock.seconds() + 5
        while !hasEnded, Clock.seconds() < end { usleep(5_000) }
    }

    private func read(forMilliseconds wait: Int32) throws {
        var interests = pipes.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        guard poll(&interests, nfds_t(interests.count), wait) > 0 else { return }
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        for index in interests.indices where interests[index].revents != 0 {
            let count = Glibc.read(pipes[index], &buffer, buffer.count)
            if count > 0 {
                texts[index] += buffer.prefix(count)
            } else if count == 0 || (errno != EINTR && errno != EAGAIN) {
                close(pipes[index])
                pipes[index] = -1
            }
        }
    }
}

/// Gives `body` an array of C strings that ends with null.
private func withCStrings<Result>(
    _ strings: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Result
) -> Result {
    var pointers = strings.map { strdup($0) } + [nil]
    defer { for pointer in pointers { free(pointer) } }
    return pointers.withUnsafeMutableBufferPointer { buffer in
        // Never nil: the array holds one element at least.
        body(buffer.baseAddress.unsafelyUnwrapped)
    }
}
