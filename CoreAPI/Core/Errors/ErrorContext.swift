public import CoreAPICoding
internal import CoreAPIHTTP
package import CoreAPIRedaction
public import Foundation
public import HTTPTypes

extension APIClientError {
    /// Where a call failed, and everything that had arrived by then.
    public struct Context: Sendable {
        /// The channel's name.
        public let channel: String
        /// The endpoint's name.
        public let endpoint: String
        /// The request's method; `nil` for a call without an endpoint, and for an unusable channel.
        public let method: HTTPRequest.Method?
        /// The address of the request, after redirects; secrets redacted.
        public private(set) var url: String?
        /// 1 for the first attempt, 0 before it.
        public let attempt: Int
        /// The call's id, which its log lines carry, too.
        public let callID: String
        /// Status and fields; `nil` if no head had arrived.
        public let head: ResponseHead?
        /// The body as far as it had arrived.
        public let body: Data
        /// The error that an ``APIClientError/app(_:_:)`` replaces, if a filter translated one.
        public private(set) var cause: APIClientError?
        /// Why the body of a rejected response could not be read as the channel's error; `nil` if no ``ErrorFilter`` tried.
        public private(set) var unreadEnvelope: DecodingFailure?
        /// The part of a streamed body that its reader had before an error; `nil` for every other failure.
        public private(set) var streamed: Streamed?
        package private(set) var redaction: Redaction
        /// Whether ``url`` is that of a redirect.
        package private(set) var isRedirected = false

        /// The part of a streamed body that its reader had before an error.
        public struct Streamed: Sendable, Hashable {
            /// Bytes of the body, decompressed.
            public let bytes: Int64
            /// Lines, values, parts or events; 0 for a body that is read chunk by chunk.
            public let items: Int

            package init(bytes: Int64, items: Int) { (self.bytes, self.items) = (bytes, items) }
        }

        /// The context of a request, for a custom transport or interceptor.
        public init(_ request: Request, head: ResponseHead? = nil, body: Data = Data()) {
            self.init(request, at: request.url, head: head, body: body, request.redaction)
        }

        private init(_ request: Request, at url: HTTPURL, head: ResponseHead?, body: Data, _ redaction: Redaction) {
            let (call, address) = (request.call, redaction.redact(url: url))
            self.init(call, method: request.method, url: address, attempt: request.attempt, head: head, body: body)
            self.redaction = redaction
        }

        package init<Value>(_ response: Response<Value>) { self.init(response.raw) }

        package init(_ raw: RawResponse) {
            if let request = raw.request {
                let redirect = raw.hops.last?.request.url
                self.init(request, at: redirect ?? request.url, head: raw.head, body: raw.data, raw.redaction)
                isRedirected = redirect != nil
            } else {
                self.init(raw.call, head: raw.head, body: raw.data)
            }
        }

        package init(
            _ call: Call, method: HTTPRequest.Method? = nil, url: String? = nil, attempt: Int = 0, head: ResponseHead? = nil,
            body: Data = Data()
        ) {
            (channel, endpoint, self.method, self.url) = (call.channel.name, call.endpoint, method, url)
            (self.attempt, callID, self.head, self.body, redaction) = (attempt, call.id, head, body, call.channel.redaction)
        }

        private func with(_ change: (inout APIClientError.Context) -> Void) -> APIClientError.Context {
            var copy = self
            change(&copy)
            return copy
        }

        func unable(toRead envelope: DecodingFailure) -> APIClientError.Context { with { $0.unreadEnvelope = envelope } }
        package func after(_ streamed: Streamed) -> APIClientError.Context { with { $0.streamed = streamed } }
        func caused(by error: APIClientError) -> APIClientError.Context { with { $0.cause = error } }

        /// The context of a failure after redirects, whose transport knew the secrets of its own request only.
        func redirected(_ redaction: Redaction) -> APIClientError.Context {
            with { context in
                context.redaction = redaction
                context.url = url.map { redaction.redact(text: $0) }
                context.isRedirected = true
            }
        }

        /// `channel DL, endpoint orderList, GET https://…, attempt 2, status 500, call 3f…`
        public var description: String {
            var parts = ["channel \(channel)", "endpoint \(redaction.redact(text: endpoint))"]
            if let method, let url { parts.append("\(method.rawValue) \(url)") }
            if attempt > 0 { parts.append("attempt \(attempt)") }
            if let head { parts.append("status \(head.status.code)") }
            return (parts + particulars + ["call \(callID)"]).joined(separator: ", ")
        }

        package var particulars: [String] {
            var parts: [String] = []
            if let streamed { parts.append("after \(streamed.bytes) bytes and \(streamed.items) items") }
            if let pause = head?.retryAfter { parts.append("Retry-After \(pause)") }
            if let cause { parts.append("because of \(cause.label)") }
            if let unreadEnvelope { parts.append("the body could not be read as the channel's error (\(unreadEnvelope))") }
            return parts
        }
    }
}
