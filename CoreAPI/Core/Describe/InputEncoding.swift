public import CoreAPICoding
package import CoreAPIHTTP
internal import Foundation
internal import HTTPTypes

/// How an endpoint's ``Parameters`` are written into the request.
public struct InputEncoding: Sendable {
    /// Appears in error texts.
    public let name: String
    private let write: @Sendable (Parameters, inout Request) throws -> Void

    /// A custom encoding, whose name appears in error texts.
    ///
    /// ```swift
    /// let pdf = InputEncoding("an invoice") { _, request in
    ///     request.body = .file(invoice)
    ///     request.headers[.contentType] = "application/pdf"
    /// }
    /// ```
    ///
    /// `write` is called once per call, in Swift's thread pool; for an endpoint without parameters with ``Parameters/absent``. An
    /// error that it throws ends the call with ``RequestError/encodingFailed(encoding:underlying:)``.
    public init(_ name: String, write: @escaping @Sendable (_ parameters: Parameters, _ request: inout Request) throws -> Void) {
        (self.name, self.write) = (name, write)
    }

    /// An encoding that does nothing without parameters.
    private static func parameters(
        _ name: String, write: @escaping @Sendable (Parameters, inout Request) throws -> Void
    ) -> InputEncoding {
        InputEncoding(name) { parameters, request in
            if !parameters.isAbsent { try write(parameters, &request) }
        }
    }

    /// Into the query, in the channel's style, ``Channel/query``; appended to the query of path and modifiers.
    public static let query = query(in: nil)
    /// Into the query, in the endpoint's own style.
    public static func query(_ style: Parameters.QueryStyle) -> InputEncoding { query(in: style) }

    private static func query(in style: Parameters.QueryStyle?) -> InputEncoding {
        parameters("a query string") { parameters, request in
            for (name, value) in try FieldEncoder(style: style ?? request.call.channel.query).fields(of: parameters) {
                request.url.appendQuery(name, value)
            }
        }
    }

    /// Into the body, by the channel's ``BodyCoder``: JSON unless the channel says otherwise.
    public static let body = parameters("a body") { parameters, request in
        try request.setBody(parameters, coder: request.coder)
    }

    /// A body sent unchanged: bytes, a file, a stream. Parameters are ignored. The endpoint's own `Content-Type` wins.
    public static func body(_ body: Body, contentType: String = "application/octet-stream") -> InputEncoding {
        InputEncoding("a body") { _, request in
            request.body = body
            request.headers[.contentType] = contentType
        }
    }

    /// Into the body, byte for byte: `Data` only. The type is `application/octet-stream` unless a header says otherwise.
    public static let raw = parameters("raw bytes") { parameters, request in
        guard let data = parameters.value as? Data else {
            throw EncodingError.invalidValue(parameters.value, .init(codingPath: [], debugDescription: "expected Data"))
        }
        request.body = .bytes(data)
        request.headers[.contentType] = "application/octet-stream"
    }

    /// Into the body, as JSON, whatever the channel's coder.
    public static let json = body(.json)

    /// Into the body, by the endpoint's own coder.
    public static func body(_ coder: BodyCoder) -> InputEncoding {
        parameters(coder.contentType) { parameters, request in try request.setBody(parameters, coder: coder) }
    }

    /// Into the body, as `application/x-www-form-urlencoded` in the style of ``Channel/query``; spaces as `+` (WHATWG URL §5.2).
    public static let form = form(in: nil)
    /// Into the body, as a form, in the endpoint's own style.
    public static func form(_ style: Parameters.QueryStyle) -> InputEncoding { form(in: style) }

    private static func form(in style: Parameters.QueryStyle?) -> InputEncoding {
        parameters("a form") { parameters, request in
            let fields = try FieldEncoder(style: style ?? request.call.channel.query).fields(of: parameters)
            let text = fields.map { "\(PercentEncoding.form($0.name))=\(PercentEncoding.form($0.value))" }.joined(separator: "&")
            request.body = .bytes(Data(text.utf8))
            request.headers[.contentType] = "application/x-www-form-urlencoded"
        }
    }

    package func callAsFunction(_ parameters: Parameters, into request: inout Request) throws(RequestError) {
        do {
            try write(parameters, &request)
        } catch let error as RequestError {
            throw error
        } catch {
            throw .encodingFailed(encoding: name, underlying: error)
        }
    }
}

/// An encoding throws this to end its call with one of the kit's own errors.
package struct CallRejection: Error {
    let error: @Sendable (APIClientError.Context) -> APIClientError

    package init(_ error: @escaping @Sendable (APIClientError.Context) -> APIClientError) { self.error = error }
}

extension Request {
    fileprivate mutating func setBody(_ parameters: Parameters, coder: BodyCoder) throws {
        body = .bytes(try coder.encode(parameters.value))
        headers[.contentType] = coder.contentType
    }
}
