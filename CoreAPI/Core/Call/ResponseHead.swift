public import CoreAPIHTTP
public import HTTPTypes

/// Status and header fields of a response.
public struct ResponseHead: Sendable, Hashable {
    /// The status code and its reason.
    public var status: HTTPResponse.Status
    private var fields: Fields

    /// The header fields. Parsed on first access.
    public var headers: HTTPFields {
        get { fields.value }
        set { fields = Fields(newValue) }
    }

    /// Makes a head from its parts.
    public init(status: HTTPResponse.Status, headers: HTTPFields = [:]) {
        self.status = status
        fields = Fields(headers)
    }

    /// Makes a head whose fields `read` parses on first access.
    package init(status: HTTPResponse.Status, bytes: [UInt8], read: @escaping @Sendable ([UInt8]) -> HTTPFields) {
        self.status = status
        fields = Fields(bytes, read)
    }

    public static func == (one: ResponseHead, other: ResponseHead) -> Bool {
        one.status == other.status && one.headers == other.headers
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(status)
        hasher.combine(headers)
    }

    /// The defect of a part (206) that the request did not ask for; `nil` for any other head. A transport must reject it, because
    /// its bytes would be taken for the whole, or appended at the wrong offset.
    package func partError(to request: Request) -> TransportError? {
        guard status.code == 206 else { return nil }
        guard let range = request.headers[.range] else {
            return .malformedResponse(
                reason: "expected the whole resource, found a part (206); the request has no Range (RFC 9110 §15.3.7)")
        }
        // Several ranges come as parts with a `Content-Range` each (§15.3.7.2).
        if mediaType?.essence == "multipart/byteranges" { return nil }
        guard let found = headers[.contentRange] else {
            return .malformedResponse(reason: "a part (206) without Content-Range (RFC 9110 §15.3.7.1)")
        }
        guard let asked = range.firstByte, asked != found.firstByte else { return nil }
        return .malformedResponse(
            reason: "expected the part from byte \(asked), found Content-Range '\(found.shortened(to: 100).escapingControls)'")
    }

    /// The media type of the body: the last readable one of all `Content-Type` lines, by the Fetch standard; `nil` without one.
    public var mediaType: MediaType? { MediaType(headers) }
}

/// Header fields, or their unparsed bytes. Most calls read no field, and parsing a field costs some 4,000 instructions.
private final class Fields: Sendable {
    private enum State {
        case read(HTTPFields)
        case unread([UInt8], @Sendable ([UInt8]) -> HTTPFields)
    }

    private let state: Mutex<State>

    init(_ fields: HTTPFields) {
        state = Mutex(.read(fields))
    }

    init(_ bytes: [UInt8], _ read: @escaping @Sendable ([UInt8]) -> HTTPFields) {
        state = Mutex(.unread(bytes, read))
    }

    var value: HTTPFields {
        state.withLock { state in
            switch state {
            case .read(let fields): return fields
            case .unread(let bytes, let read):
                let fields = read(bytes)
                state = .read(fields)
                return fields
            }
        }
    }
}

extension String {
    /// The first byte of a range, in `Range` or `Content-Range` (RFC 9110 §14.1.2, §14.4); `nil` for a range that counts from the
    /// end, for several ranges, and for other units.
    fileprivate var firstByte: Int64? {
        let text = lowercased()
        guard text.hasPrefix("bytes"), !text.contains(",") else { return nil }
        let digits = text.dropFirst("bytes".count).drop { " =\t".contains($0) }.prefix { ("0"..."9").contains($0) }
        return Int64(digits)
    }
}
