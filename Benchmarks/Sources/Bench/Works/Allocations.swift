// How often a small GET allocates in steady state: the difference of two run lengths, counted by a library that stands before
// malloc. It is compiled when it is needed, and the run starts itself again with it.

import BenchKit
import BenchRuns
import Foundation
import Glibc
import Martlet

extension Work {
    static let allocations = Work(
        name: "allocations", summary: "allocations of a small GET in steady state",
        measures: [Measure("allocations", higherIsBetter: false)], resource: .http("/small"),
        oneOf: AllocationCounter.compilers,
        subjects: Subject.martlet { client, job in
            guard let counter = AllocationCounter.loaded else { return try AllocationCounter.runAgain(job) }
            let calls = job.calls ?? 2_000
            var counted: [Int] = []
            for each in [100, calls, 2 * calls] {
                let before = counter()
                for _ in 0..<each { _ = try await client.get(job.url).data() }
                counted.append(counter() - before)
            }
            return Figures(
                value: Double(counted[2] - counted[1]) / Double(calls),
                peakResidentKiB: ProcessFigures.peakResidentKiB)
        }, budgets: ["martlet", "martlet-loop"].map { Budget($0, .atMost(25)) })
}

/// The library that counts.
private enum AllocationCounter {
    static let compilers = ["cc", "clang"]

    /// Tells how many allocations there were; nil in a process without the library.
    static var loaded: (@Sendable () -> Int)? {
        typealias Function = @convention(c) @Sendable () -> Int
        guard let symbol = dlsym(nil, "bench_allocations") else { return nil }
        return unsafeBitCast(symbol, to: Function.self)
    }

    /// Makes the same run in a process that has it.
    static func runAgain(_ job: Job) throws -> Figures {
        guard getenv("LD_PRELOAD") == nil else { throw Failure("the library that counts allocations is not loaded") }
        guard let compiler = compilers.first(where: { Tools.path(of: $0) != nil }) else {
            throw Failure(Tools.advice("cc"))
        }
        let folder = FileManager.default.temporaryDirectory.appending(path: "martlet-bench-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let text = folder.appending(path: "count.c")
        let library = folder.appending(path: "count.so").path
        try Data(source.utf8).write(to: text)
        let made = try ChildProcess(compiler, ["-O2", "-shared", "-fPIC", "-o", library, text.path]).wait(atMost: 60)
        guard made.status == 0 else { throw Failure("\(compiler): \(made.errors)") }
        var words = CommandLine.arguments.dropFirst().map { $0 }
        if !words.contains("--url") { words += ["--url", job.url] }
        let outcome = try ChildProcess("/proc/self/exe", words, environment: ["LD_PRELOAD": library]).wait(atMost: 120)
        guard outcome.status == 0, let figures = Figures(lines: outcome.output) else { throw Failure(outcome.errors) }
        return figures
    }

    private static let source = """
        #include <errno.h>
        #include <stddef.h>
        extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t);
        extern void *__libc_realloc(void *, size_t), *__libc_memalign(size_t, size_t);
        static long count;
        #define COUNT __atomic_fetch_add(&count, 1, __ATOMIC_RELAXED)
        long bench_allocations(void) { return __atomic_load_n(&count, __ATOMIC_RELAXED); }
        void *malloc(size_t size) { COUNT; return __libc_malloc(size); }
        void *calloc(size_t many, size_t size) { COUNT; return __libc_calloc(many, size); }
        void *realloc(void *old, size_t size) { COUNT; return __libc_realloc(old, size); }
        void *memalign(size_t step, size_t size) { COUNT; return __libc_memalign(step, size); }
        void *aligned_alloc(size_t step, size_t size) { COUNT; return __libc_memalign(step, size); }
        int posix_memalign(void **result, size_t step, size_t size) {
            COUNT;
            *result = __libc_memalign(step, size);
            return *result ? 0 : ENOMEM;
        }

        """
}
