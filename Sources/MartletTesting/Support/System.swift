// The few system calls whose names or constants differ between the C libraries.

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

#if canImport(Darwin)
let streamSocket = SOCK_STREAM
let sendFlags: Int32 = 0
/// Darwin has no "the peer has finished" event of its own; the hang-up that `poll` always reports must do.
let peerFinishedEvent: Int16 = 0
typealias ThreadHandle = pthread_t?
#else
#if canImport(Musl)
let streamSocket = SOCK_STREAM
#else
let streamSocket = Int32(SOCK_STREAM.rawValue)
#endif
/// A client that closes early must not kill the process that tests it.
let sendFlags = Int32(MSG_NOSIGNAL)
let peerFinishedEvent = Int16(0x2000)
typealias ThreadHandle = pthread_t
#endif

func systemErrorText(_ code: Int32) -> String {
    String(cString: strerror(code))
}

/// Makes the descriptor non-blocking and closes it in child processes.
func prepareDescriptor(_ descriptor: Int32) {
    _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
}

func setOption(_ descriptor: Int32, _ level: Int32, _ name: Int32, _ value: Int32) {
    var value = value
    setsockopt(descriptor, level, name, &value, socklen_t(MemoryLayout<Int32>.size))
}

/// `poll` on one descriptor, begun again when a signal interrupts it; the events that happened, none after a time-out.
func pollOne(_ descriptor: Int32, _ events: Int16, milliseconds: Int32) -> Int16 {
    var entry = pollfd(fd: descriptor, events: events, revents: 0)
    while poll(&entry, 1, milliseconds) < 0 {
        guard errno == EINTR else { return Int16(POLLERR) }
    }
    return entry.revents
}

/// close(2), where a method of that name hides it.
func closeDescriptor(_ descriptor: Int32) {
    _ = close(descriptor)
}

/// bind(2), where a method of that name hides it.
func bindDescriptor(_ descriptor: Int32, _ address: UnsafePointer<sockaddr>, _ length: socklen_t) -> Int32 {
    bind(descriptor, address, length)
}

func currentThread() -> ThreadHandle {
    pthread_self()
}

/// send(2) without SIGPIPE, where a method of that name hides it.
func sendOnce(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    send(descriptor, bytes.baseAddress, bytes.count, sendFlags)
}
