public import CoreAPIHTTP
internal import Foundation
public import HTTPTypes

extension Request {
    /// The part of a request that goes over the wire, as plain data: for a cache's key, an outbox or a recording.
    ///
    /// ```swift
    /// let stored = try JSONEncoder().encode(attempt.request.wire)
    /// ```
    public struct Wire: Sendable, Codable {
        /// The method on the wire.
        public var method: HTTPRequest.Method
        /// The absolute address.
        public var url: HTTPURL
        /// The fields, in order; a name may occur several times.
        public var headers: HTTPFields
        /// The body. Bytes and files can be stored; encoding a stream throws `EncodingError.invalidValue`.
        public var body: Body

        /// Makes a request from its parts.
        public init(method: HTTPRequest.Method, url: HTTPURL, headers: HTTPFields = [:], body: Body = .none) {
            self.method = method
            self.url = url
            self.headers = headers
            self.body = body
        }

        private enum CodingKeys: CodingKey { case method, url, headers, body }

        /// Reads a request that ``encode(to:)`` wrote.
        ///
        /// - Throws: ``RequestError`` for a method or an address that may not be sent. `DecodingError.dataCorrupted` for more than
        ///   65,000 fields, and for a file URL that is not local. The decoder's own errors.
        public init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            method = try HTTPRequest.Method(checking: container.decode(String.self, forKey: .method))
            url = try HTTPURL(container.decode(String.self, forKey: .url))
            let fields = try container.nestedUnkeyedContainer(forKey: .headers)
            // Counted first: `HTTPFields` traps.
            let count = try fields.count ?? container.decode([HTTPField].self, forKey: .headers).count
            guard count <= HTTPFields.limit else {
                throw DecodingError.dataCorruptedError(
                    forKey: .headers, in: container,
                    debugDescription: "\(count) header fields; expected at most \(HTTPFields.limit)")
            }
            headers = try container.decode(HTTPFields.self, forKey: .headers)
            body = try container.decode(Body.self, forKey: .body)
            guard case .file(let url) = body else { return }
            do {
                try url.checkIsLocalFile()
            } catch {
                throw DecodingError.dataCorruptedError(forKey: .body, in: container, debugDescription: error.readableDescription)
            }
        }

        public func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(method.rawValue, forKey: .method)
            try container.encode(url.string, forKey: .url)
            try container.encode(headers, forKey: .headers)
            try container.encode(body, forKey: .body)
        }
    }
}
