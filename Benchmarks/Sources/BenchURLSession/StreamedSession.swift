// URLSession with a delegate, which is how it streams on Linux: chunks of at most 16 KiB on the session's serial queue, without
// backpressure. A task is cancelled on that queue only: elsewhere the cancellation races with the end, and crashes.

import BenchRuns
import Foundation
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A URLSession whose transfers are watched.
final class StreamedSession: NSObject, URLSessionDataDelegate, Sendable {
    private struct Transfer {
        var bytes = 0
        var began: (@Sendable () -> Void)?
        var end: CheckedContinuation<Int, any Error>
    }

    private let transfers = Mutex<[Int: Transfer]>([:])
    private let queue: OperationQueue
    private let configuration: URLSessionConfiguration
    // Made with the first transfer: a session wants its delegate, which is this.
    private let made = Mutex<URLSession?>(nil)

    init(connections: Int = 4) {
        queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        configuration = PlainSession.configuration(connections: connections)
        super.init()
    }

    private var session: URLSession {
        made.withLock { made in
            let session = made ?? URLSession(configuration: configuration, delegate: self, delegateQueue: queue)
            made = session
            return session
        }
    }

    /// Reads a body to its end; returns its bytes.
    func download(_ url: String) async throws -> Int {
        let task = session.dataTask(with: try PlainSession.request(url))
        return try await end(of: task)
    }

    /// Sends a file with PUT; returns its bytes.
    func upload(_ path: String, to url: String) async throws -> Int {
        var request = try PlainSession.request(url)
        request.httpMethod = "PUT"
        let task = session.uploadTask(with: request, fromFile: URL(filePath: path))
        _ = try await end(of: task)
        return Int(task.countOfBytesSent)
    }

    /// Reads a body until the caller's task is cancelled; says when it has begun.
    func read(_ url: String, _ began: @escaping @Sendable () -> Void) async throws {
        let task = session.dataTask(with: try PlainSession.request(url))
        let queue = queue
        _ = try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { end in start(task, Transfer(began: began, end: end)) }
        } onCancel: {
            queue.addOperation { task.cancel() }
        }
    }

    private func end(of task: URLSessionTask) async throws -> Int {
        try await withCheckedThrowingContinuation { end in start(task, Transfer(end: end)) }
    }

    private func start(_ task: URLSessionTask, _ transfer: Transfer) {
        transfers.withLock { $0[task.taskIdentifier] = transfer }
        task.resume()
    }

    // MARK: Delegate

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let began = transfers.withLock { transfers in
            transfers[dataTask.taskIdentifier]?.bytes += data.count
            return transfers[dataTask.taskIdentifier]?.began.take()
        }
        began?()
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        guard let transfer = transfers.withLock({ $0.removeValue(forKey: task.taskIdentifier) }) else { return }
        if let error {
            transfer.end.resume(throwing: error)
        } else {
            transfer.end.resume(returning: transfer.bytes)
        }
    }
}
