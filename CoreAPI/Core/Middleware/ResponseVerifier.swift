internal import CoreAPIHTTP
public import Foundation
internal import HTTPTypes

/// Accepts or rejects a response, before errors are filtered and anything is decoded.
///
/// Use a verifier for a property of every valid response, and an ``ErrorFilter`` to read *which* error a rejected one means.
///
/// A modifier: attached to the channel, a provider or an endpoint. Called synchronously, in Swift's thread pool, once per attempt
/// with a response. All verifiers run in order, farthest first, and the first failure wins. Only the nearest
/// ``StatusCodeResponseVerifier`` runs, besides those made by ``StatusCodeResponseVerifier/always``. The default is 2xx.
///
/// A streaming call asks twice, first before other enhancers and without bytes. If a verifier rejects the head, the response is
/// collected, and the verifiers are asked about all of it. So if a verifier needs bytes, the kit collects every response to a
/// stream. For a response that is rejected by its type, or by a status of success, it collects what comes within 10 s. If the body
/// breaks off or time is over, the error is the rejection of the head; after another status it is the failure of the body.
public protocol ResponseVerifier: RequestModifier {
    /// Checks a response; an error that it throws rejects it. Any but a ``VerificationError`` and an ``APIClientError`` becomes
    /// ``VerificationError/custom(_:)``.
    func verify(_ response: Response<Data>) throws
}

/// Accepts certain status codes.
///
/// ```swift
/// let found = StatusCodeResponseVerifier(200, 404)
/// let accepted = StatusCodeResponseVerifier(200..<300, mayBeEmpty: [202, 204, 205])
/// ```
public struct StatusCodeResponseVerifier: ResponseVerifier {
    public static let allowsSeveral = false
    private let accepts: @Sendable (Int) -> Bool
    private let expected: String
    /// Codes whose response may be empty if the value's type has no members, `struct Empty: Decodable {}`.
    public let mayBeEmpty: Set<Int>
    /// The default of ``mayBeEmpty``: 204 and 205 (RFC 9110 §15.3.5–6).
    public static let emptyByDefault: Set<Int> = [204, 205]
    /// 2xx.
    public static let successful = StatusCodeResponseVerifier(200..<300)

    /// Accepts a range of codes, its end excluded.
    public init(_ codes: Range<Int>, mayBeEmpty: Set<Int> = emptyByDefault) {
        accepts = { codes.contains($0) }
        expected = codes.isEmpty ? "no range at all" : "\(codes.lowerBound)…\(codes.upperBound - 1)"
        self.mayBeEmpty = mayBeEmpty
    }

    /// Accepts a range of codes, its end included.
    public init(_ codes: ClosedRange<Int>, mayBeEmpty: Set<Int> = emptyByDefault) {
        accepts = { codes.contains($0) }
        expected = "\(codes.lowerBound)…\(codes.upperBound)"
        self.mayBeEmpty = mayBeEmpty
    }

    /// Accepts the listed codes.
    public init(_ codes: Int..., mayBeEmpty: Set<Int> = emptyByDefault) { self.init(codes, mayBeEmpty: mayBeEmpty) }

    /// Accepts the listed codes.
    public init(_ codes: [Int], mayBeEmpty: Set<Int> = emptyByDefault) {
        let set = Set(codes)
        accepts = { set.contains($0) }
        expected = set.sorted().map(String.init).joined(separator: ", ")
        self.mayBeEmpty = mayBeEmpty
    }

    /// This verifier, run in addition to the nearest one. If several are attached, all must accept the status.
    public var always: any ResponseVerifier { EveryStatusVerifier(verifier: self) }

    public func verify(_ response: Response<Data>) throws {
        guard let code = response.head?.status.code, !accepts(code) else { return }
        throw VerificationError.unacceptableStatus(code, expected: expected)
    }
}

private struct EveryStatusVerifier: ResponseVerifier {
    let verifier: StatusCodeResponseVerifier
    func verify(_ response: Response<Data>) throws { try verifier.verify(response) }
}

/// Accepts certain media types, whatever their parameters; see ``ResponseHead/mediaType``. A response without a body passes.
public struct ContentTypeResponseVerifier: ResponseVerifier {
    private let types: [String]

    /// Accepts the listed media types, such as `application/json`; `text/*` accepts every text.
    public init(_ types: String...) { self.types = types.map { $0.lowercased() } }

    public func verify(_ response: Response<Data>) throws {
        // The length of a stream may be unknown. A 101 has no body (RFC 9110 §15.2).
        guard response.raw.body.length != 0, response.head?.status.code != 101 else { return }
        let type = response.head?.mediaType?.essence
        let isAccepted = types.contains { accepted in
            type == accepted || (accepted.hasSuffix("/*") && type?.hasPrefix(accepted.dropLast()) == true)
        }
        guard !isAccepted else { return }
        throw VerificationError.unacceptableContentType(response.head?.headers[.contentType], expected: types)
    }
}

/// Why a complete response was rejected.
public enum VerificationError: Error, Sendable, LocalizedError {
    /// A verifier of the request does not accept the status.
    case unacceptableStatus(Int, expected: String)
    /// A value of this type needs a body, and the response has none.
    case emptyBody(status: Int, expected: String)
    /// A verifier of the request does not accept the `Content-Type`, which is `nil` if the response has no such field.
    case unacceptableContentType(String?, expected: [String])
    /// A custom verifier rejected the response.
    case custom(any Error)

    /// A name for metrics.
    public var label: String {
        switch self {
        case .unacceptableStatus(let code, _): "unacceptableStatus.\(code)"
        case .emptyBody: "emptyBody"
        case .unacceptableContentType: "unacceptableContentType"
        case .custom: "custom"
        }
    }

    public var errorDescription: String? {
        switch self {
        case .unacceptableStatus(let code, let expected):
            "expected \(Int(expected) == nil ? "a status in" : "the status") \(expected), got \(code)"
        case .emptyBody(let status, let expected): "expected a body to make \(expected) from, got none with status \(status)"
        case .unacceptableContentType(let type, let expected):
            "expected a body of \(expected.joined(separator: " or ")), got \(type ?? "one without Content-Type")"
        case .custom(let error): error.readableDescription
        }
    }
}
