public import CoreAPICore
internal import CoreAPIHTTP
internal import Foundation

#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

/// Sends requests with Foundation's `URLSession`.
///
/// ```swift
/// channel.transport = URLSessionTransport()
/// ```
///
/// It sends one request and returns one response: the channel follows redirects and keeps cookies. `URLSession` keeps no cookies,
/// cache or credentials here. It adds `Accept`, `Accept-Language`, `Accept-Encoding` and `Connection` if they are missing.
///
/// Unsupported features fail with ``/CoreAPI/TransportError/unsupported(capability:)``: a channel's own authorities and pins,
/// client certificates, TLS 1.3 as the minimum, ``/CoreAPI/Limits/rejectedAddresses``, the methods `CONNECT` and `TRACE`, a body
/// of `GET` or `HEAD`.
///
/// `URLSession` does not report everything: there are no ``/CoreAPI/ExchangeMetrics``, and `idle` replaces `connect` of a
/// ``/CoreAPI/Timeout``. Duplicate fields of a response become one field with commas; `Set-Cookie` is split again.
///
/// A request's stream is written to a temporary file before it is sent. A response's stream has no backpressure: it fails if more
/// than ``/CoreAPI/Limits/responseBodySize`` bytes are unread.
///
/// On Linux Foundation has three more limitations:
/// - It reads ahead without a limit: 64 MiB from loopback were in its queue before the first two were counted.
/// - All sessions of a process share one queue. A server that sends faster than Foundation reads delays every other request,
///   also of other channels, and the cancellation that would stop it: each small request beside such a body took about 2 s.
/// - It reports a redirect only with its whole body, so a redirect whose body stalls fails by ``/CoreAPI/Timeout/idle``.
public final class URLSessionTransport: Transport {
    private let shared: RoutedSession
    private let limits: Limits
    private let state = Mutex(State())

    private struct State {
        var exchanges: [ObjectIdentifier: URLExchange] = [:]
        var isClosed = false
    }

    /// Makes a transport with a session of its own.
    ///
    /// - Parameter limits: only ``/CoreAPI/Limits/connectionsPerHost`` applies here.
    public init(limits: Limits = Limits()) {
        self.limits = limits
        shared = RoutedSession(limits)
    }

    deinit { shared.close() }

    public func isolatedCopy() -> any Transport { URLSessionTransport(limits: limits) }

    public func send(_ attempt: Attempt) async -> RawResponse {
        let exchange: URLExchange
        do {
            exchange = URLExchange(attempt, try WireForm.request(attempt.request))
        } catch {
            return attempt.failed(error)
        }
        guard register(exchange) else { return attempt.failed(TransportError.closed) }
        return await withTaskCancellationHandler {
            await exchange.raw(over: session(for: attempt.request))
        } onCancel: {
            exchange.end(CancellationError())
        }
    }

    public func close() async {
        let exchanges = state.withLock { state in
            state.isClosed = true
            return state.exchanges.values
        }
        for exchange in exchanges { exchange.end(TransportError.closed) }
        shared.close()
    }

    private func register(_ exchange: URLExchange) -> Bool {
        let id = ObjectIdentifier(exchange)
        exchange.onEnd { [weak self] in self?.state.withLock { $0.exchanges[id] = nil } }
        return state.withLock { state in
            guard !state.isClosed else { return false }
            state.exchanges[id] = exchange
            return true
        }
    }

    /// `URLSession` sends a request again if an open connection dies during it, whatever the method, but not on a new connection.
    /// So a request that must not be sent twice gets its own session.
    private func session(for request: Request) -> RoutedSession {
        request.method.isIdempotent ? shared : RoutedSession(limits, isForOne: true)
    }
}

/// A `URLSession` and the exchanges of its tasks.
final class RoutedSession: Sendable {
    /// Runs what may wait for the queue that all sessions of Foundation on Linux share: making, starting and cancelling a task.
    /// Another session's body can keep that queue busy for seconds, and Swift's pool has few threads.
    static let queue = DispatchQueue(label: "networkerkit.urlsession")

    private let session: URLSession
    private let router: Router
    private let isForOne: Bool
    /// Foundation ends the process if a task is made after its session's end. Changed on the queue alone.
    private let isClosed = Mutex(false)

    init(_ limits: Limits, isForOne: Bool = false) {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpCookieAcceptPolicy = .never
        configuration.httpShouldSetCookies = false
        configuration.httpCookieStorage = nil
        configuration.urlCache = nil
        configuration.urlCredentialStorage = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        configuration.httpMaximumConnectionsPerHost = limits.connectionsPerHost
        router = Router()
        session = URLSession(configuration: configuration, delegate: router, delegateQueue: nil)
        self.isForOne = isForOne
    }

    /// Foundation keeps a session and its delegate until the session is invalidated.
    deinit { if !isClosed.withLock({ $0 }) { session.finishTasksAndInvalidate() } }

    /// Starts an exchange that is not over yet; it ends with an error if the session is closed.
    func start(_ exchange: URLExchange, _ request: URLRequest, _ upload: SentBody) {
        Self.queue.async { [self] in
            guard !exchange.isOver else { return }
            guard !isClosed.withLock({ $0 }) else { return exchange.end(TransportError.closed) }
            let running = begin(exchange, request, upload)
            exchange.onEnd { running.cancel() }
            if isForOne { finish() }
        }
    }

    /// Lets no further task begin; the others go on to their ends. `invalidateAndCancel()` would cancel them a second time.
    func close() {
        Self.queue.async { [self] in
            if !isClosed.withLock({ $0 }) { finish() }
        }
    }

    private func finish() {
        isClosed.withLock { $0 = true }
        session.finishTasksAndInvalidate()
    }

    private func begin(_ exchange: URLExchange, _ request: URLRequest, _ upload: SentBody) -> RunningTask {
        let task: URLSessionTask
        switch upload {
        case .nothing: task = session.dataTask(with: request)
        case .bytes(let data): task = session.uploadTask(with: request, from: data)
        case .file(let url, _): task = session.uploadTask(with: request, fromFile: url)
        }
        let running = RunningTask(task, of: exchange)
        router.tasks.withLock { $0[task.taskIdentifier] = running }
        task.resume()
        return running
    }
}

/// A task that is cancelled at most once, and not between a redirect's event and its response. On Linux either ends the process:
/// "Trying to access a behaviour for a task that in not in the registry", "Received callback for HTTP redirection, but we're not
/// waiting for it".
final class RunningTask: Sendable {
    let exchange: URLExchange
    private let task: URLSessionTask
    private let isOver = Mutex(false)

    init(_ task: URLSessionTask, of exchange: URLExchange) { (self.task, self.exchange) = (task, exchange) }

    /// Returns at once; cancels on the queue of the sessions.
    func cancel() {
        RoutedSession.queue.async { [self] in
            isOver.withLock { isOver in
                if !isOver { task.cancel() }
                isOver = true
            }
        }
    }

    /// The channel follows redirects. A cancelled task ends without this response.
    func declineRedirect(_ complete: (URLRequest?) -> Void) { isOver.withLock { isOver in if !isOver { complete(nil) } } }

    func complete(_ error: (any Error)?) {
        isOver.withLock { $0 = true }
        exchange.complete(task.response, error)
    }
}

/// Passes the events of a session's tasks to their exchanges. It is the session's delegate, because on Linux Foundation passes no
/// data to a task's own delegate.
private final class Router: NSObject, URLSessionDataDelegate, Sendable {
    let tasks = Mutex<[Int: RunningTask]>([:])

    private func running(_ task: URLSessionTask) -> RunningTask? { tasks.withLock { $0[task.taskIdentifier] } }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        running(dataTask)?.exchange.receive(response)
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        running(dataTask)?.exchange.receive(data)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) {
        running(task)?.exchange.sent(totalBytesSent)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        running(task)?.declineRedirect(completionHandler)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        tasks.withLock { $0.removeValue(forKey: task.taskIdentifier) }?.complete(error)
    }
}
