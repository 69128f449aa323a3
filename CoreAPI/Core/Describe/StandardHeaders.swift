public import CoreAPIHTTP
internal import CoreAPIRedaction
internal import Foundation

// The headers that calls set most often, by the names of RFC 9110. A team's own header is a function like these.

extension Header {
    /// Media types that the response may have (RFC 9110 §12.5.1).
    public static func accept(_ types: String...) -> Header { Header("Accept", types.joined(separator: ", ")) }
    /// Codings that the response may have (§12.5.3). The caller then gets the bytes as received, still encoded.
    public static func acceptEncoding(_ codings: String...) -> Header {
        Header("Accept-Encoding", codings.joined(separator: ", "))
    }
    /// Languages in the order of preference (§12.5.4).
    public static func acceptLanguage(_ languages: String...) -> Header {
        Header("Accept-Language", languages.joined(separator: ", "))
    }
    /// Charsets that the response may have (§12.5.2).
    public static func acceptCharset(_ charsets: String...) -> Header {
        Header("Accept-Charset", charsets.joined(separator: ", "))
    }
    /// `Charset`, which is not standard, but which some servers expect. The charset of a body belongs into
    /// ``contentType(_:charset:)``.
    public static func charset(_ name: String) -> Header { Header("Charset", name) }
    /// Credentials of any scheme (§11.6.2).
    public static func authorization(_ credentials: Authorization) -> Header { Header("Authorization", credentials.value) }
    /// Request directives for caches (RFC 9111 §5.2.1).
    public static func cacheControl(_ directives: String...) -> Header {
        Header("Cache-Control", directives.joined(separator: ", "))
    }
    /// The body's media type (§8.3).
    public static func contentType(_ type: String, charset: String? = nil) -> Header {
        Header("Content-Type", charset.map { "\(type); charset=\($0)" } ?? type)
    }
    /// Only if the stored representation is one of these (§13.1.1).
    public static func ifMatch(_ tags: String...) -> Header { Header("If-Match", tags.joined(separator: ", ")) }
    /// Only if the stored representation differs from all of these (§13.1.2).
    public static func ifNoneMatch(_ tags: String...) -> Header { Header("If-None-Match", tags.joined(separator: ", ")) }
    /// The origin that caused the request (RFC 6454 §7).
    public static func origin(_ origin: String) -> Header { Header("Origin", origin) }
    /// The page that linked to the address (§10.1.3).
    public static func referer(_ address: String) -> Header { Header("Referer", address) }
    /// Replaces the kit's own (§10.1.5).
    public static func userAgent(_ product: String) -> Header { Header("User-Agent", product) }
}

/// The value of an `Authorization` header.
public struct Authorization: Sendable, Hashable {
    let value: String

    /// A custom scheme: `.custom("Token abc")`.
    public static func custom(_ value: String) -> Authorization { Authorization(value: value) }
    /// RFC 6750.
    public static func bearer(_ token: String) -> Authorization { Authorization(value: "Bearer \(token)") }
    /// RFC 7617, in UTF-8. A colon in the user name would be read as the start of the password.
    ///
    /// - Throws: ``RequestError/malformedHeader(name:reason:)`` for a user name with a colon.
    public static func basic(user: String, password: String) throws(RequestError) -> Authorization {
        guard !user.utf8.contains(UInt8(ascii: ":")) else {
            throw .malformedHeader(
                name: "Authorization", reason: "the user name of Basic credentials may hold no colon (RFC 7617 §2)")
        }
        return Authorization(value: "Basic \(Data("\(user):\(password)".utf8).base64EncodedString())")
    }
}

extension Authorization: CustomStringConvertible {
    /// The scheme without its credentials.
    public var description: String { "\(value.prefix { $0 != " " }) \(Redaction.mask)" }
}
