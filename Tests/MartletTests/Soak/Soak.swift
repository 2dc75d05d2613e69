// How long the long tests run: a small form by default, the heavy one when MARTLET_SOAK is set, a tenth of it under the
// thread sanitizer, which is that much slower.

import Foundation

enum Soak {
    /// Whether the heavy forms were asked for (`Tests/run --soak`).
    static let isOn = ProcessInfo.processInfo.environment["MARTLET_SOAK"] != nil

    /// Whether the thread sanitizer is on: figures of memory then mean nothing.
    static let isThreadSanitized = dlsym(nil, "__tsan_init") != nil

    /// Whether this is an optimised build, which does in a minute what takes another an hour.
    static let isOptimized: Bool = {
        #if DEBUG
        false
        #else
        true
        #endif
    }()

    /// A number of rounds for this run.
    static func count(_ usual: Int, soak: Int) -> Int {
        let count = isOn ? soak : usual
        return isThreadSanitized ? max(1, count / 10) : count
    }
}

extension Soak {
    /// Prints the figures of a heavy run, which are worth keeping.
    static func tell(_ name: String, _ figures: [String: Int]) {
        guard isOn else { return }
        print(name + ":", figures.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: " "))
    }
}
