public import CoreAPIHTTPSupport
internal import CoreAPILock
public import HTTPTypes

/// Status and header fields of a response.
public struct ResponseHead: Sendable, Hashable {
    public var status: HTTPResponse.Status
    private var fields: Fields

    /// The header fields. Parsed on first access.
    public var headers: HTTPFields {
        get { fields.value }
        set { fields = Fields(newValue) }
    }

    public init(status: HTTPResponse.Status, headers: HTTPFields = [:]) {
        self.status = status
        fields = Fields(headers)
    }

    /// - Parameter read: parses the bytes into fields; called once, on first access.
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

extension ResponseHead {
    /// The media type of the body: the last readable one of all `Content-Type` lines, by the Fetch standard; `nil` without one.
    public var mediaType: MediaType? { MediaType(headers) }
}
