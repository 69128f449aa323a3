internal import CCurl
internal import CoreAPIHTTP
internal import Foundation

/// A thread for libcurl whose end can be awaited, which `Foundation.Thread` does not allow.
final class JoinableThread: Sendable {
    /// `nil` once it has been joined or detached.
    private let id: Mutex<pthread_t?>

    /// Starts a thread that runs `body` once. Returns `nil` if the system has no further thread.
    init?(_ body: @escaping @Sendable () -> Void) {
        let context = Unmanaged.passRetained(Body(body)).toOpaque()
        #if canImport(Darwin)
        var thread: pthread_t?
        #else
        var thread = pthread_t()
        #endif
        guard pthread_create(&thread, nil, { JoinableThread.run($0) }, context) == 0 else {
            Unmanaged<Body>.fromOpaque(context).release()
            return nil
        }
        id = Mutex(thread)
    }

    func join() {
        id.withLock { id in
            if let thread = id { pthread_join(thread, nil) }
            id = nil
        }
    }

    /// Stops waiting for the thread, now and later; the system then releases it by itself.
    func detach() {
        id.withLock { id in
            if let thread = id { pthread_detach(thread) }
            id = nil
        }
    }

    private static func run(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        guard let context else { return nil }
        ccurl_name_this_thread("NetworkerKit")
        Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run()
        return nil
    }

    private final class Body {
        let run: @Sendable () -> Void

        init(_ run: @escaping @Sendable () -> Void) {
            self.run = run
        }
    }
}
