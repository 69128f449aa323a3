public import CoreAPICore
internal import Foundation

/// The items of a call's response, as they arrive: lines, values, parts.
///
/// Every iteration makes a separate call. Leaving the loop, or cancelling its task, ends the exchange.
public struct CallItems<Element: Sendable>: AsyncSequence, Sendable {
    private typealias Next = () async throws -> Element?

    private let dispatcher: any Dispatcher
    private let endpoint: any Endpoint
    private let open: @Sendable (Body, StreamContext) throws -> Next

    /// `accept` is for an endpoint that has no `Accept` of its own.
    init<Items: AsyncSequence & Sendable>(
        _ dispatcher: any Dispatcher, _ endpoint: any Endpoint, accept: String? = nil,
        _ items: @escaping @Sendable (Body, StreamContext) throws -> Items
    ) where Items.Element == Element {
        self.dispatcher = dispatcher
        let header = endpoint.headers["Accept"] == nil ? accept.map { Header("Accept", $0) } : nil
        self.endpoint = header.map { endpoint.attaching($0) } ?? endpoint
        open = { body, context in
            var iterator = try items(body, context).makeAsyncIterator()
            return { try await iterator.next(isolation: #isolation) }
        }
    }

    /// Makes the call, and reads its items.
    public struct AsyncIterator: AsyncIteratorProtocol {
        public typealias Failure = APIClientError

        /// `nil` once the call is made.
        private var items: CallItems?
        private var open: (next: Next, context: APIClientError.Context)?

        init(_ items: CallItems) { self.items = items }

        /// The next item; `nil` at the end. The first call sends the request.
        ///
        /// - Throws: `APIClientError`. Its context's `streamed` counts the bytes and items before it.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(APIClientError) -> Element? {
            if let items = items.take() { try await begin(items) }
            guard let (next, context) = open else { return nil }
            do {
                if let item = try await next() { return item }
                open = nil
                return nil
            } catch {
                // The body stays open: the reader may continue after a JSON value that cannot be decoded.
                throw APIClientError(error, context)
            }
        }

        /// As ``next(isolation:)``.
        public mutating func next() async throws(APIClientError) -> Element? { try await next(isolation: #isolation) }

        private mutating func begin(_ items: CallItems) async throws(APIClientError) {
            let response = await items.dispatcher.stream(items.endpoint)
            let body = try response.value
            let context = APIClientError.Context(response)
            do {
                open = (try items.open(body, StreamContext(response)), context)
            } catch {
                throw APIClientError(error, context)
            }
        }
    }

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }
}

/// Rejects the head of a response that its reader cannot read. The pipeline then collects and filters the response, as one with a
/// rejected status.
struct HeadVerifier: ResponseVerifier {
    let check: @Sendable (Response<Data>) throws -> Void
    func verify(_ response: Response<Data>) throws { try check(response) }
}

extension Dispatcher {
    /// The lines of a response, as they arrive; see ``Body/lines(limit:sentinel:)``. A text of any media type has lines; attach a
    /// `ContentTypeResponseVerifier` to reject others.
    ///
    /// - Parameters:
    ///   - endpoint: the request.
    ///   - limit: the largest number of bytes of a line.
    ///   - sentinel: a line that ends the lines, such as `[DONE]`; as for a body.
    public func lines(_ endpoint: some Endpoint, limit: Int = 16_777_216, sentinel: String? = nil) -> CallItems<String> {
        CallItems(self, endpoint) { Body.Lines(body: $0, limit: limit, sentinel: sentinel, context: $1) }
    }

    /// The values of a response in JSON Lines, decoded by the channel's coder as they arrive. Texts without a line end between
    /// them, `{}{}`, are read, too.
    ///
    /// The channel's error filter sees the bytes of a value that cannot be decoded: they may be the server's error. No line may
    /// have more than `lineLimit` bytes.
    ///
    /// ```swift
    /// for try await order in manager.jsonLines(.get("export"), of: Order.self) { show(order) }
    /// ```
    public func jsonLines<Value: Decodable & Sendable>(
        _ endpoint: some Endpoint, of type: Value.Type, lineLimit: Int = 16_777_216
    ) -> CallItems<Value> {
        json(endpoint, .lines, lineLimit, accept: "application/jsonl, application/x-ndjson, application/json;q=0.5")
    }

    /// The values of a response that is a JSON text sequence (RFC 7464), decoded by the channel's coder as they arrive. No text
    /// may have more than `textLimit` bytes.
    public func jsonSequence<Value: Decodable & Sendable>(
        _ endpoint: some Endpoint, of type: Value.Type, textLimit: Int = 16_777_216
    ) -> CallItems<Value> { json(endpoint, .sequence, textLimit, accept: "application/json-seq") }

    private func json<Value: Decodable & Sendable>(
        _ endpoint: some Endpoint, _ form: Body.JSONItems<Value>.Form, _ limit: Int, accept: String
    ) -> CallItems<Value> {
        CallItems(self, endpoint, accept: accept) {
            Body.JSONItems<Value>(body: $0, form: form, limit: limit, coder: $1.coder, context: $1)
        }
    }

    /// The parts of a multipart response, one by one; see ``Body/Part``. A response of another type is collected, passes the
    /// channel's error filter, and fails with its body in the error's context.
    public func parts(_ endpoint: some Endpoint, limits: Body.PartLimits = Body.PartLimits()) -> CallItems<Body.Part> {
        let verifier = HeadVerifier { response in
            do throws(StreamError.Reason) {
                _ = try Body.Parts.boundary(response.head)
            } catch {
                let failure = StreamContext(response).decodingFailure(error, StreamCount(), of: response.data)
                throw APIClientError.decoding(failure, APIClientError.Context(response))
            }
        }
        return CallItems(self, endpoint.attaching(verifier)) { try Body.Parts($0, $1, limits) }
    }
}

extension Networker {
    /// Passes the elements of a sequence to the interactor, one after the other on the main actor. Does not retain the
    /// interactor. After its release the sequence ends at the next element; cancel the handle to end it at once.
    ///
    /// ```swift
    /// following = follow(events(orderID: id)) {
    ///     $0.output?.handleOrderEvent($1.data)
    /// } end: {
    ///     $0.output?.handleOrderEventsEnd($1)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - elements: events, lines, chunks or decoded items.
    ///   - element: called with each element.
    ///   - end: called once, with the error or `nil`; not called after ``/CoreAPI/Cancellable/cancel()``.
    /// - Returns: a handle to cancel with.
    @MainActor
    @discardableResult
    public func follow<Elements: AsyncSequence & Sendable>(
        _ elements: Elements, element: @escaping @MainActor (Self, Elements.Element) -> Void,
        end: @escaping @MainActor (Self, APIClientError?) -> Void
    ) -> Cancellable where Elements.Failure == APIClientError {
        let task = Task { [weak self] in
            var failure: APIClientError?
            do throws(APIClientError) {
                for try await next in elements {
                    guard let self, !Task.isCancelled else { return }
                    element(self, next)
                }
            } catch {
                failure = error
            }
            if let self, !Task.isCancelled { end(self, failure) }
        }
        return Cancellable { task.cancel() }
    }
}
