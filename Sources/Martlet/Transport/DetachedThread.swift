// Starting a thread that nobody joins. Used where a thread must be ours: the event loop and the pools for blocking calls.

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif
#if SocketTransport && os(Linux)
import CLinux
#endif

package enum DetachedThread {
    private final class Body: Sendable {
        let name: String
        let run: @Sendable () -> Void

        init(name: String, run: @escaping @Sendable () -> Void) {
            self.name = name
            self.run = run
        }
    }

    /// Starts a detached thread that runs `body` with all signals blocked; false when the system refuses.
    package static func start(name: String, _ body: @escaping @Sendable () -> Void) -> Bool {
        let argument = Unmanaged.passRetained(Body(name: name, run: body))
        // Signals are for the program's own threads: a handler of its must not interrupt a loop.
        let masks = UnsafeMutablePointer<sigset_t>.allocate(capacity: 2)
        sigfillset(masks)
        pthread_sigmask(SIG_SETMASK, masks, masks + 1)
        defer {
            pthread_sigmask(SIG_SETMASK, masks + 1, nil)
            masks.deallocate()
        }
        #if canImport(Darwin)
        var thread: pthread_t?
        #else
        var thread = pthread_t()
        #endif
        // Allocated rather than a variable: its initialiser belongs to another C module in a build without ours.
        let attributes = UnsafeMutablePointer<pthread_attr_t>.allocate(capacity: 1)
        pthread_attr_init(attributes)
        pthread_attr_setdetachstate(attributes, Int32(PTHREAD_CREATE_DETACHED))
        defer {
            pthread_attr_destroy(attributes)
            attributes.deallocate()
        }
        let result = pthread_create(&thread, attributes, threadMain, argument.toOpaque())
        if result != 0 { argument.release() }
        return result == 0
    }

    #if canImport(Darwin)
    private static let threadMain: @convention(c) (UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? = {
        argument in
        let body = Unmanaged<Body>.fromOpaque(argument).takeRetainedValue()
        pthread_setname_np(body.name)
        body.run()
        return nil
    }
    #else
    private static let threadMain: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = {
        argument in
        guard let argument else { return nil }
        let body = Unmanaged<Body>.fromOpaque(argument).takeRetainedValue()
        #if SocketTransport && os(Linux)
        martlet_set_thread_name(body.name)
        #endif
        body.run()
        return nil
    }
    #endif
}
