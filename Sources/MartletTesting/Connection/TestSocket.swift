// One accepted socket: blocking reads and writes for the connection's thread, and closing from any thread.
//
// Whoever uses the descriptor holds its token (`begin`, `end`). To close a socket that is in use, another thread
// records how it should end and wakes the user with shutdown(2); the user then ends it on its way out. So no
// descriptor is ever closed under a thread that sleeps in the kernel with it.

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A connected socket.
///
/// `@unchecked Sendable`: `tls`, `isMidWrite` and `descriptor` are touched only by the holder of the token, which
/// `state` hands out.
final class TestSocket: @unchecked Sendable {
    enum Use { case none, reading, writing }

    enum Ending { case close, closeWithoutTLSNotify, reset }

    private struct State {
        var use = Use.none
        var ending: Ending?
        var isFinishing = false
    }

    let descriptor: Int32
    private let state = Monitor(State())
    private let onClosed: @Sendable () -> Void
    /// Whether a write broke off, so that close_notify would come in the middle of a record.
    private var isMidWrite = false
    #if SocketTransport && os(Linux)
    var tls: TLSStream?
    #endif

    init(descriptor: Int32, onClosed: @escaping @Sendable () -> Void) {
        self.descriptor = descriptor
        self.onClosed = onClosed
    }

    var isEnding: Bool { state.withLock { $0.ending != nil } }

    /// Runs `body` with the token.
    func using<Result>(
        _ use: Use, _ body: () throws(TestServerError) -> Result
    ) throws(TestServerError) -> Result {
        try state.withLock { state throws(TestServerError) in
            guard state.ending == nil else { throw .connectionClosed }
            state.use = use
        }
        defer { giveBack() }
        return try body()
    }

    private func giveBack() {
        let ending: Ending? = state.withLock { state in
            state.use = .none
            guard let ending = state.ending, !state.isFinishing else { return nil }
            state.isFinishing = true
            return ending
        }
        if let ending { finish(ending) }
    }

    /// Ends the connection: at once when nobody uses it, otherwise as soon as its user, woken by this, has let go.
    func end(_ ending: Ending) {
        var finishNow = false
        state.broadcast { state in
            guard state.ending == nil else { return }
            state.ending = ending
            switch state.use {
            case .none:
                state.isFinishing = true
                finishNow = true
            case .reading, .writing:
                // Wakes the user and puts nothing on the wire: a FIN before a reset would hide it.
                shutdown(descriptor, Int32(SHUT_RD))
            }
        }
        if finishNow { finish(ending) }
    }

    private func finish(_ ending: Ending) {
        switch ending {
        case .reset:
            lingerZero()
        case .close, .closeWithoutTLSNotify:
            #if SocketTransport && os(Linux)
            if ending == .close, !isMidWrite, let tls { sendWithoutWaiting(tls.closeNotify()) }
            #endif
            shutdown(descriptor, Int32(SHUT_WR))
            // Closing a socket with unread bytes would send a reset instead of leaving the FIN as the last word.
            drain()
        }
        #if SocketTransport && os(Linux)
        tls = nil
        #endif
        close(descriptor)
        onClosed()
    }

    private func lingerZero() {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    }

    private func drain() {
        withUnsafeTemporaryAllocation(byteCount: 16_384, alignment: 1) { buffer in
            var left = 1024
            while left > 0, recv(descriptor, buffer.baseAddress, buffer.count, 0) > 0 { left -= 1 }
        }
    }

    private func sendWithoutWaiting(_ bytes: [UInt8]) {
        _ = bytes.withUnsafeBytes { sendOnce(descriptor, $0) }
    }

    /// Blocks for `duration`, less when the connection is ended meanwhile, which throws.
    func pause(_ duration: Duration) throws(TestServerError) {
        let ended: Bool? = state.wait(atMost: duration) { $0.ending == nil ? nil : true }
        if ended != nil { throw .connectionClosed }
    }
}

extension TestSocket {
    /// Reads what is there, at least one byte; 0 when the peer has finished. For the holder of the token.
    func receive(into buffer: UnsafeMutableRawBufferPointer) throws(TestServerError) -> Int {
        while true {
            let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
            if count > 0 { return count }
            if count == 0 {
                if isEnding { throw .connectionClosed }
                return 0
            }
            try recover("recv", code: errno, waitingFor: Int16(POLLIN))
        }
    }

    /// Reads and throws away everything until the peer has finished. For the holder of the token.
    func discardToEnd() throws(TestServerError) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 1)
        defer { buffer.deallocate() }
        while try receive(into: buffer) > 0 {}
    }

    /// Writes everything, waiting for room as needed. For the holder of the token.
    func send(all bytes: UnsafeRawBufferPointer) throws(TestServerError) {
        var rest = bytes
        isMidWrite = true
        while !rest.isEmpty {
            let count = sendOnce(descriptor, rest)
            if count >= 0 {
                rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
            } else {
                try recover("send", code: errno, waitingFor: Int16(POLLOUT))
            }
        }
        isMidWrite = false
    }

    private func recover(_ call: String, code: Int32, waitingFor events: Int16) throws(TestServerError) {
        if isEnding { throw .connectionClosed }
        switch code {
        case EINTR: return
        case EAGAIN, EWOULDBLOCK:
            wait(for: events)
            if isEnding { throw .connectionClosed }
        case ECONNRESET: throw .peerReset
        case EPIPE: throw .peerClosed
        default: throw .system(call: call, code: code)
        }
    }

    /// Blocks until one of the events comes or the connection is being ended.
    private func wait(for events: Int16) {
        let seen = pollOne(descriptor, events | peerFinishedEvent, milliseconds: peerFinishedEvent == 0 ? 50 : -1)
        // A peer that has finished its side says so for ever, and `end` can no longer wake this thread by it.
        if seen & ~peerFinishedEvent == 0, !isEnding { _ = pollOne(descriptor, events, milliseconds: 50) }
    }

    /// Blocks until the peer has finished or reset, without reading. For the holder of the token.
    func waitForPeerToFinish() throws(TestServerError) {
        while true {
            let events = pollOne(descriptor, peerFinishedEvent, milliseconds: -1)
            if isEnding { throw .connectionClosed }
            if events != 0 { return }
        }
    }

    /// Whether the peer has finished or reset, as far as is known now. For the holder of the token.
    var hasPeerFinished: Bool {
        pollOne(descriptor, peerFinishedEvent, milliseconds: 0) != 0
    }

    /// Says that no more bytes will come (FIN), and goes on reading. For the holder of the token.
    func finishWriting() {
        #if SocketTransport && os(Linux)
        if let tls { sendWithoutWaiting(tls.closeNotify()) }
        #endif
        shutdown(descriptor, Int32(SHUT_WR))
    }
}
