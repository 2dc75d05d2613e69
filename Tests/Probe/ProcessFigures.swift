// What the system says of this process, read from /proc: nothing of it is known to Martlet itself.

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Figures of this process at one moment.
struct ProcessFigures: Sendable {
    var descriptors = 0
    var threads = 0
    /// Threads that Martlet started.
    var ownThreads = 0
    var residentKiB = 0

    static func now() -> ProcessFigures {
        var figures = ProcessFigures()
        // Without the runtime's timers, of which it makes another when it likes; Martlet has none of that kind. What cannot
        // be read is the descriptor that listed them, closed since.
        figures.descriptors = openDescriptors.count { $0 != "anon_inode:[timerfd]" }
        let tasks = entries("/proc/self/task")
        figures.threads = tasks.count
        figures.ownThreads = tasks.count { text("/proc/self/task/\($0)/comm").hasPrefix("martlet") }
        figures.residentKiB = residentKiB
        return figures
    }

    /// Waits, 10 s at most, until no thread of Martlet is left and no more descriptors than before: both go by themselves,
    /// the last tasks that hold a loop a moment after its thread.
    static func whenThreadsHaveLeft(descriptors: Int = .max) async throws -> ProcessFigures {
        // The first sleep of a process opens descriptors of the runtime's, which are to be in each reading.
        try await Task.sleep(for: .milliseconds(1))
        for _ in 0..<500 {
            let figures = now()
            if figures.ownThreads == 0, figures.descriptors <= descriptors { return figures }
            try await Task.sleep(for: .milliseconds(20))
        }
        return now()
    }

    /// What the open descriptors are, for a test that finds too many.
    static var openDescriptors: [String] {
        entries("/proc/self/fd").compactMap { name in
            var target = [UInt8](repeating: 0, count: 256)
            let count = target.withUnsafeMutableBytes { bytes in
                bytes.baseAddress.map { readlink("/proc/self/fd/" + name, $0, bytes.count) } ?? -1
            }
            return count > 0 ? String(decoding: target.prefix(count), as: UTF8.self) : nil
        }
    }

    static var residentKiB: Int { status("VmRSS:") }

    /// The most memory that was ever resident.
    static var peakResidentKiB: Int { status("VmHWM:") }

    private static func status(_ field: String) -> Int {
        for line in text("/proc/self/status").split(separator: "\n") where line.hasPrefix(field) {
            return line.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first.flatMap { Int($0) } ?? 0
        }
        return 0
    }

    private static func entries(_ path: String) -> [String] {
        guard let directory = opendir(path) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names
    }

    private static func text(_ path: String) -> String {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return "" }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 8_192)
        let count = read(descriptor, &bytes, bytes.count)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }
}

/// The most memory resident while it watches, sampled; unlike the system's own peak it leaves out what came before.
final class MemoryWatch: Sendable {
    private let task: Task<Int, Never>

    init() {
        task = Task {
            var most = ProcessFigures.residentKiB
            while !Task.isCancelled {
                try? await Task.sleep(for: .milliseconds(20))
                most = max(most, ProcessFigures.residentKiB)
            }
            return most
        }
    }

    /// Ends the watch; the peak in KiB.
    func stop() async -> Int {
        task.cancel()
        return await task.value
    }
}
