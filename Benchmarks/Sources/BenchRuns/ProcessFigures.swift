// What the system says of a process and of the machine: CPU time and memory.

package import BenchKit
package import Glibc

/// Figures of this process and of others.
package enum ProcessFigures {
    /// User and system time of this process so far, in seconds.
    package static var cpuSeconds: Double {
        var usage = rusage()
        getrusage(RUSAGE_SELF.rawValue, &usage)
        return usage.seconds
    }

    /// User and system time of this process and of its children that have ended, in ticks of the system.
    package static var ownTicks: Double {
        var usage = rusage()
        getrusage(RUSAGE_CHILDREN.rawValue, &usage)
        return (cpuSeconds + usage.seconds) * Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    /// The most memory that was resident in this process, in KiB.
    package static var peakResidentKiB: Int { status("thread-self", "VmHWM:") }

    /// The memory that is resident in this process, in KiB.
    package static var residentKiB: Int { status("thread-self", "VmRSS:") }

    /// The most memory that was resident in another process, in KiB; 0 once it has ended.
    package static func peakResidentKiB(of pid: pid_t) -> Int { status(String(pid), "VmHWM:") }

    private static let descriptors = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)

    // `thread-self` for this process: once the main thread has left, as it does for the main queue, `self` knows no memory.
    private static func status(_ process: String, _ field: String) -> Int {
        for line in text("/proc/\(process)/status").split(separator: "\n") where line.hasPrefix(field) {
            return line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) } ?? 0
        }
        return 0
    }

    /// The first 8 KiB of a file that the system makes; empty when it cannot be read.
    fileprivate static func text(_ path: String) -> String {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return "" }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 8_192)
        let count = read(descriptor, &bytes, bytes.count)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }

    /// Raises this process's limit of open descriptors as far as it goes; returns it.
    @discardableResult
    package static func raiseDescriptorLimit() -> Int {
        var limit = rlimit()
        guard getrlimit(Self.descriptors, &limit) == 0 else { return 0 }
        limit.rlim_cur = limit.rlim_max
        setrlimit(Self.descriptors, &limit)
        return Int(clamping: limit.rlim_cur)
    }
}

extension MachineTime {
    /// The machine's time until now.
    package static func now() -> MachineTime? { MachineTime(stat: ProcessFigures.text("/proc/stat")) }
}

extension rusage {
    /// User and system time, in seconds.
    package var seconds: Double {
        Double(ru_utime.tv_sec + ru_stime.tv_sec) + Double(ru_utime.tv_usec + ru_stime.tv_usec) / 1e6
    }
}

/// The monotonic clock.
package enum Clock {
    /// Seconds since some moment in the past.
    package static func seconds() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
