import ArgumentParser
import CoreAPI
import Foundation

/// A plain address of the command line, as in `https://example.com/books?page=2`, `example.com/books`, `localhost:8080` or
/// `:8080/books`.
///
/// Without a scheme it is http for this machine, and https for all others.
struct Address: Sendable, Hashable {
    /// Scheme, host and port.
    let origin: HTTPURL
    /// Path and query.
    let target: String

    var string: String { origin.string.trimmingSlashes + target }

    /// - Returns: `nil` for a word that is no address, such as a channel's name.
    /// - Throws: `ValidationError` for a malformed address.
    init?(_ word: String) throws {
        guard let text = Self.absolute(word) else { return nil }
        let url: HTTPURL
        do throws(RequestError) {
            url = try HTTPURL(text)
        } catch {
            throw ValidationError(error.readableDescription)
        }
        let port = url.port.map { ":\($0)" } ?? ""
        origin = try HTTPURL(argument: "\(url.scheme.rawValue)://\(url.host)\(port)")
        target = url.target
    }

    private static func absolute(_ word: String) -> String? {
        if word.contains("://") { return word }
        let authority = word.prefix { !"/?#".contains($0) }
        if authority.hasPrefix(":") {
            guard authority.dropFirst().allSatisfy(\.isNumber), authority.count > 1 || word.count > 1 else { return nil }
            return "http://localhost" + (authority.count > 1 ? word : String(word.dropFirst()))
        }
        let host = authority.prefix { $0 != ":" }.lowercased()
        let isHere = host == "localhost" || host.is127 || authority.hasPrefix("[::1]")
        let isHost =
            isHere || authority.hasPrefix("[")
            || (host.contains(".") && host.allSatisfy { $0 == "." || $0 == "-" || $0.isLetter || $0.isNumber })
        guard isHost, !authority.contains("=") else { return nil }
        return (isHere ? "http://" : "https://") + word
    }
}

extension HTTPURL {
    /// An address of `--host`, which may be as short as an ``Address``.
    ///
    /// - Throws: `ValidationError` that states what was expected.
    init(argument text: String) throws {
        guard text.contains("://") else {
            guard let address = try Address(text) else {
                throw ValidationError(
                    "expected an address such as https://example.com or :8080, got '\(text.escapingControls)'")
            }
            try self.init(argument: address.string)
            return
        }
        do throws(RequestError) {
            try self.init(text)
        } catch {
            throw ValidationError(error.readableDescription)
        }
        guard query == nil else { throw ValidationError("expected a base URL without a query, got '\(text.escapingControls)'") }
    }

    /// - Throws: `ValidationError` when the path cannot be appended to the address.
    func check(path: String) throws {
        var url = self
        do throws(RequestError) {
            try url.append(path: path)
        } catch {
            throw ValidationError(error.readableDescription)
        }
    }
}

extension String {
    /// The text without slashes at its end.
    var trimmingSlashes: String {
        var rest = self[...]
        while rest.last == "/" { rest.removeLast() }
        return String(rest)
    }

    /// Whether it is an address of 127.0.0.0/8, this machine's own.
    fileprivate var is127: Bool {
        let parts = split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }
}
