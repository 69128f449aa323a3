public import CoreAPICore
internal import CoreAPIHTTP
public import Foundation

extension Dispatcher {
    /// Sends a body of any size, and reports the progress.
    ///
    /// ```swift
    /// let options = UploadOptions(bytesPerSecond: 500_000)
    /// let upload = manager.upload(.put("films/\(segment: id)"), from: .file(film), options: options)
    /// ```
    ///
    /// The request has the length if it is known; otherwise the body is chunked. An early response, such as 413 or 401, ends the
    /// sending. A body that can be read only once is never sent again.
    ///
    /// Without a `Timeout` on any level the upload may take a day.
    ///
    /// - Parameters:
    ///   - endpoint: the request.
    ///   - body: the body, as `application/octet-stream` unless a header names another type. Default `nil`: the endpoint's own
    ///     body, such as a form with files.
    ///   - decoding: how the response becomes the value. Default `ResponseDecoding.nothing`.
    ///   - options: compression, rate, `Expect: 100-continue`.
    public func upload<Value: Sendable>(
        _ endpoint: some Endpoint, from body: Body? = nil, as decoding: ResponseDecoding<Value> = .nothing,
        options: UploadOptions = UploadOptions()
    ) -> Upload<Value> {
        Upload { meter in
            await self.response(for: UploadEndpoint(endpoint, body, options, meter), as: decoding)
        }
    }

    /// As ``upload(_:from:as:options:)-(_,_,ResponseDecoding<Value>,_)``, for a decodable value.
    public func upload<Value: Decodable & Sendable>(
        _ endpoint: some Endpoint, from body: Body? = nil, as type: Value.Type, options: UploadOptions = UploadOptions()
    ) -> Upload<Value> {
        upload(endpoint, from: body, as: .decodable(type), options: options)
    }

    /// As ``upload(_:from:as:options:)-(_,_,ResponseDecoding<Value>,_)``, for the endpoint's own output.
    public func upload<Item: Endpoint>(
        _ endpoint: Item, from body: Body? = nil, options: UploadOptions = UploadOptions()
    ) -> Upload<Item.Output> {
        upload(endpoint, from: body, as: endpoint.decoding, options: options)
    }
}

extension Body {
    /// The elements of a sequence that can be read only once. No retry, redirect or refreshed token sends the body again. For a
    /// sequence that can be made anew see `Body.Stream.init(length:_:)`.
    ///
    /// - Parameters:
    ///   - sequence: the chunks.
    ///   - length: the number of bytes; `nil` if it is not known. A sequence with another number of bytes fails the attempt.
    public static func once<Chunks: AsyncSequence & Sendable>(_ sequence: Chunks, length: Int64? = nil) -> Body
    where Chunks.Element == Data {
        let wasOpened = Mutex(false)
        let chunks = ChunkSource(isReplayable: false) {
            let isFirst = wasOpened.withLock { wasOpened in
                defer { wasOpened = true }
                return !wasOpened
            }
            guard isFirst else { throw BodyError.readTwice }
            var iterator = sequence.makeAsyncIterator()
            return { try await iterator.next(isolation: #isolation) }
        }
        return .stream(Body.Stream(length: length, chunks))
    }
}

/// An endpoint with another body and encoding.
private struct UploadEndpoint: WrappingEndpoint {
    let wrapped: any Endpoint
    let encoding: InputEncoding
    let attached: [any RequestModifier]

    init(_ endpoint: any Endpoint, _ body: Body?, _ options: UploadOptions, _ meter: UploadMeter) {
        wrapped = endpoint
        let own = endpoint.encoding
        encoding = InputEncoding(own.name) { parameters, request in
            // The endpoint's own encoding runs first, because it may also write a query.
            try own(parameters, into: &request)
            if let body { try InputEncoding.body(body)(parameters, into: &request) }
            try options.apply(to: &request, meter)
        }
        attached = options.modifiers(meter)
    }

    var modifierLevels: [[any RequestModifier]] { wrapped.modifierLevels + [attached] }
}
