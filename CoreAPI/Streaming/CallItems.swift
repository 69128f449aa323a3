public import CoreAPICore
internal import Foundation

/// The items of a call's response, as they arrive: lines, values, parts.
///
/// Every iteration makes a separate call. Leaving the loop, or cancelling its task, ends the exchange.
public struct CallItems<Element: Sendable>: AsyncSequence, Sendable {
    /// Gives the next item; `nil` at the end.
    typealias Next = () async throws -> Element?

    private let dispatcher: any Dispatcher
    private let endpoint: any Endpoint
    private let open: @Sendable (Body, StreamContext) throws -> Next

    /// - Parameters:
    ///   - accept: media types for an endpoint that has no `Accept` of its own.
    ///   - open: begins to read the body.
    init(
        _ dispatcher: any Dispatcher, _ endpoint: any Endpoint, accept: String? = nil,
        open: @escaping @Sendable (Body, StreamContext) throws -> Next
    ) {
        self.dispatcher = dispatcher
        self.endpoint = accept.map { endpoint.accepting($0) } ?? endpoint
        self.open = open
    }

    /// Makes the call, and reads its items.
    public struct AsyncIterator: AsyncIteratorProtocol {
        public typealias Failure = APIClientError

        private enum State {
            case new(CallItems)
            case open(Next, APIClientError.Context)
            case over
        }

        private var state: State

        init(_ items: CallItems) {
            state = .new(items)
        }

        /// The next item; `nil` at the end. The first call sends the request.
        ///
        /// - Throws: `APIClientError`. Its context's `streamed` counts the bytes and items before it.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(APIClientError) -> Element? {
            if case .new(let items) = state { try await begin(items) }
            guard case .open(let next, let context) = state else { return nil }
            do {
                if let item = try await next() { return item }
                state = .over
                return nil
            } catch {
                // The state stays open: the reader may continue after a JSON value that cannot be decoded.
                throw APIClientError(error, context)
            }
        }

        /// As ``next(isolation:)``.
        public mutating func next() async throws(APIClientError) -> Element? { try await next(isolation: #isolation) }

        private mutating func begin(_ items: CallItems) async throws(APIClientError) {
            state = .over
            let response = await items.dispatcher.stream(items.endpoint)
            let body = try response.value
            let context = APIClientError.Context(response)
            do {
                state = .open(try items.open(body, StreamContext(response)), context)
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

extension Endpoint {
    /// This endpoint, asking for media types unless it has an `Accept` of its own.
    func accepting(_ types: String) -> any Endpoint {
        headers["Accept"] == nil ? attaching(Header("Accept", types)) : self
    }
}

// Reads a response item by item, through any dispatcher.

extension Dispatcher {
    /// The lines of a response, as they arrive; see ``Body/lines(limit:sentinel:)``. A text of any media type has lines; attach a
    /// `ContentTypeResponseVerifier` to reject others.
    ///
    /// - Parameters:
    ///   - endpoint: the request.
    ///   - limit: the largest number of bytes of a line.
    ///   - sentinel: a line that ends the lines, such as `[DONE]`; it is not delivered. Lines that end without it throw
    ///     ``StreamError/Reason/noSentinel(_:)``. Default `nil`.
    public func lines(_ endpoint: some Endpoint, limit: Int = 16_777_216, sentinel: String? = nil) -> CallItems<String> {
        CallItems(self, endpoint) { body, context in
            var lines = Body.Lines(body: body, limit: limit, sentinel: sentinel, context: context).makeAsyncIterator()
            return { try await lines.next() }
        }
    }

    /// The values of a response in JSON Lines, decoded by the channel's coder as they arrive. Texts without a line end between
    /// them, `{}{}`, are read, too.
    ///
    /// The channel's error filter sees the bytes of a value that cannot be decoded: they may be the server's error.
    ///
    /// ```swift
    /// for try await order in manager.jsonLines(.get("export"), of: Order.self) { show(order) }
    /// ```
    ///
    /// - Parameters:
    ///   - endpoint: the request.
    ///   - type: the type of each value.
    ///   - lineLimit: the largest number of bytes of a line.
    public func jsonLines<Value: Decodable & Sendable>(
        _ endpoint: some Endpoint, of type: Value.Type, lineLimit: Int = 16_777_216
    ) -> CallItems<Value> {
        json(endpoint, .lines, lineLimit, accept: "application/jsonl, application/x-ndjson, application/json;q=0.5")
    }

    /// The values of a response that is a JSON text sequence (RFC 7464), decoded by the channel's coder as they arrive.
    ///
    /// - Parameters:
    ///   - endpoint: the request.
    ///   - type: the type of each value.
    ///   - textLimit: the largest number of bytes of a text.
    public func jsonSequence<Value: Decodable & Sendable>(
        _ endpoint: some Endpoint, of type: Value.Type, textLimit: Int = 16_777_216
    ) -> CallItems<Value> {
        json(endpoint, .sequence, textLimit, accept: "application/json-seq")
    }

    private func json<Value: Decodable & Sendable>(
        _ endpoint: some Endpoint, _ form: Body.JSONItems<Value>.Form, _ limit: Int, accept: String
    ) -> CallItems<Value> {
        CallItems(self, endpoint, accept: accept) { body, context in
            let items = Body.JSONItems<Value>(body: body, form: form, limit: limit, coder: context.coder, context: context)
            var values = items.makeAsyncIterator()
            return { try await values.next() }
        }
    }

    /// The parts of a multipart response, one by one; see ``Body/Part``. A response of another type is collected, passes the
    /// channel's error filter, and fails with its body in the error's context.
    ///
    /// - Parameters:
    ///   - endpoint: the request.
    ///   - limits: bounds on the heads and on the number of parts.
    public func parts(_ endpoint: some Endpoint, limits: Body.PartLimits = Body.PartLimits()) -> CallItems<Body.Part> {
        let verifier = HeadVerifier { response in
            do throws(StreamError.Reason) {
                _ = try Body.Parts.boundary(response.head)
            } catch {
                let failure = StreamContext(response).decodingFailure(error, StreamCount(), of: response.data)
                throw APIClientError.decoding(failure, APIClientError.Context(response))
            }
        }
        return CallItems(self, endpoint.attaching(verifier)) { body, context in
            var parts = try Body.Parts(body, context, limits).makeAsyncIterator()
            return { try await parts.next() }
        }
    }
}
