internal import CCurl
internal import CoreAPICore
internal import CoreAPIHTTP

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Musl)
internal import Musl
#else
internal import Glibc
#endif

/// A thread for libcurl whose end can be awaited, which `Foundation.Thread` does not allow.
final class JoinableThread: Sendable {
    private let id: Mutex<ThreadID?>

    /// Starts a thread that runs `body` once.
    ///
    /// - Returns: `nil` if the system has no further thread.
    init?(_ body: @escaping @Sendable () -> Void) {
        let context = Unmanaged.passRetained(Body(body)).toOpaque()
        #if canImport(Darwin)
        var thread: pthread_t?
        #else
        var thread = pthread_t()
        #endif
        guard pthread_create(&thread, nil, Self.main, context) == 0 else {
            Unmanaged<Body>.fromOpaque(context).release()
            return nil
        }
        #if canImport(Darwin)
        guard let thread else { return nil }
        #endif
        id = Mutex(ThreadID(thread: thread))
    }

    /// Waits until the thread is gone. A second caller waits for the first.
    func join() {
        id.withLock { id in
            guard let thread = id?.thread else { return }
            pthread_join(thread, nil)
            id = nil
        }
    }

    /// Stops waiting for the thread, now and later; the system then releases it by itself.
    func detach() {
        id.withLock { id in
            guard let thread = id?.thread else { return }
            pthread_detach(thread)
            id = nil
        }
    }

    #if canImport(Darwin)
    private static let main: @convention(c) (UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? = { context in
        ccurl_name_this_thread("NetworkerKit")
        Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run()
        return nil
    }
    #else
    private static let main: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { context in
        guard let context else { return nil }
        ccurl_name_this_thread("NetworkerKit")
        Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run()
        return nil
    }
    #endif

    private final class Body {
        private let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) {
            self.body = body
        }

        func run() {
            body()
        }
    }

    // `@unchecked`: a number, or on Darwin a pointer that serves only as an identifier.
    private struct ThreadID: @unchecked Sendable {
        let thread: pthread_t
    }
}
