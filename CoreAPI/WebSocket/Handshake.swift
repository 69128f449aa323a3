internal import CoreAPICoding
package import CoreAPICore
internal import CoreAPIHTTP
internal import Foundation
internal import HTTPTypes

/// The rules of the opening handshake (RFC 6455 §4, RFC 7692 §7.1), for both sides.
package enum Handshake {
    struct Agreement: Equatable {
        var subprotocol: String?
        var deflate: DeflateAgreement?
    }

    /// A new key: sixteen random bytes in Base64 (§4.1).
    static func key() -> String { Data((0..<16).map { _ in UInt8.random(in: .min ... .max) }).base64EncodedString() }

    /// The server's proof that it has read the key (§4.2.2).
    static func accept(_ key: String) -> String {
        Data(SHA1.hash((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8)).base64EncodedString()
    }

    /// The options with the subprotocols that the request names already, by its endpoint, the channel or a hook. Rejects a field
    /// of the handshake that the kit would replace.
    static func options(_ options: WebSocket.Options, of fields: HTTPFields) throws(RequestError) -> WebSocket.Options {
        var options = options
        if let field = fields[.secWebSocketProtocol] {
            let names = field.listMembers
            guard options.subprotocols.isEmpty || names == options.subprotocols else {
                let reason = "it names others than the option 'subprotocols' of WebSocket.Options; set one of the two"
                throw .malformedHeader(name: "Sec-WebSocket-Protocol", reason: reason)
            }
            options.subprotocols = names
        }
        for (name, known, advice) in replaced {
            guard let field = fields[name] else { continue }
            guard field.listMembers.allSatisfy({ known.contains($0.lowercased()) }), !known.isEmpty else {
                let found = name == .secWebSocketKey ? "one" : quoted(field).escapingControls
                throw .malformedHeader(name: name.rawName, reason: "expected none for a WebSocket, found \(found); \(advice)")
            }
        }
        return options
    }

    /// The fields that the kit sets, with the values that make no difference.
    private static let replaced: [(name: HTTPField.Name, known: Set<String>, advice: String)] = [
        (.secWebSocketExtensions, [], "set the option 'compression' of WebSocket.Options"),
        (.secWebSocketVersion, ["13"], "the version is 13 (RFC 6455 §4.1)"),
        (.secWebSocketKey, [], "each attempt has a new key (RFC 6455 §4.1)"),
        (.secWebSocketAccept, [], "it is a field of the response (RFC 6455 §4.2.2)"),
        (.upgrade, ["websocket"], "a WebSocket is opened by 'websocket' (RFC 6455 §4.1)"),
        (.connection, ["upgrade", "keep-alive"], "a WebSocket is opened by 'Upgrade' (RFC 6455 §4.1)"),
    ]

    /// The fields of a request. A subprotocol must be a token, and must not be named twice.
    static func offer(_ options: WebSocket.Options, key: String) throws(RequestError) -> HTTPFields {
        for name in options.subprotocols where !name.isToken {
            throw .malformedHeader(name: "Sec-WebSocket-Protocol", reason: "'\(name.escapingControls)' is not a token")
        }
        guard Set(options.subprotocols).count == options.subprotocols.count else {
            throw .malformedHeader(name: "Sec-WebSocket-Protocol", reason: "a subprotocol is named twice")
        }
        var fields: HTTPFields = [
            .connection: "Upgrade", .upgrade: "websocket", .secWebSocketKey: key, .secWebSocketVersion: "13",
        ]
        if !options.subprotocols.isEmpty { fields[.secWebSocketProtocol] = options.subprotocols.joined(separator: ", ") }
        if let compression = options.compression {
            fields[.secWebSocketExtensions] =
                "permessage-deflate; client_max_window_bits"
                + (compression.resetsOwnContext ? "; client_no_context_takeover" : "")
                + (compression.resetsServerContext ? "; server_no_context_takeover" : "")
        }
        return fields
    }

    /// Checks a server's response with status 101 (§4.1).
    static func check(_ fields: HTTPFields, key: String, _ options: WebSocket.Options) throws(TransportError) -> Agreement {
        func reject(_ reason: String) -> TransportError {
            .malformedResponse(reason: "\(reason) (RFC 6455 §4.1)".escapingControls)
        }
        guard fields[.upgrade]?.lowercased() == "websocket" else {
            throw reject("expected 'Upgrade: websocket', found \(quoted(fields[.upgrade]))")
        }
        guard (fields[.connection] ?? "").listMembers.contains(where: { $0.lowercased() == "upgrade" }) else {
            throw reject("expected 'Connection: Upgrade', found \(quoted(fields[.connection]))")
        }
        guard fields[.secWebSocketAccept] == accept(key) else { throw reject("the Sec-WebSocket-Accept does not match the key") }
        var agreement = Agreement()
        if let name = fields[.secWebSocketProtocol] {
            guard options.subprotocols.contains(name) else { throw reject("the subprotocol \(quoted(name)) was not offered") }
            agreement.subprotocol = name
        }
        for text in (fields[.secWebSocketExtensions] ?? "").listMembers {
            let parts = Parameters(text)
            guard parts.name == "permessage-deflate", agreement.deflate == nil, let compression = options.compression,
                let deflate = deflate(parts, compression)
            else { throw reject("the extension \(quoted(text)) was not offered") }
            agreement.deflate = deflate
        }
        return agreement
    }

    /// The server's parameters, as the client reads them (RFC 7692 §7.1); `nil` for invalid ones.
    private static func deflate(_ parts: Parameters, _ offered: WebSocket.Compression) -> DeflateAgreement? {
        var agreement = DeflateAgreement(resetsOwn: offered.resetsOwnContext)
        for (name, value) in parts.all {
            switch (name, value) {
            case ("client_no_context_takeover", nil): agreement.resetsOwn = true
            case ("server_no_context_takeover", nil): agreement.resetsPeer = true
            case ("client_max_window_bits", let bits?): agreement.ownWindow = bits
            // The kit reads messages with the largest window, so any window fits.
            case ("server_max_window_bits", _?): break
            default: return nil
            }
        }
        guard agreement.resetsPeer || !offered.resetsServerContext else { return nil }
        return parts.isSound ? agreement : nil
    }

    private static func quoted(_ text: String?) -> String { text.map { "'\($0.shortened(to: 100))'" } ?? "nothing" }

    /// An extension's name and its parameters; those of permessage-deflate are window sizes.
    fileprivate struct Parameters {
        let name: String
        private(set) var all: [(name: String, value: Int32?)] = []
        /// Whether every value is a window size, and no parameter is repeated.
        private(set) var isSound = true

        init(_ text: String) {
            let parts = text.split(separator: ";", omittingEmptySubsequences: false).map { $0.trimmingHTTPWhitespace() }
            name = parts.first?.lowercased() ?? ""
            for part in parts.dropFirst() {
                let pair = part.split(separator: "=", maxSplits: 1).map { $0.trimmingHTTPWhitespace() }
                let bits = pair.count == 2 ? Self.windowBits(pair[1]) : nil
                if let name = pair.first?.lowercased(), !all.contains(where: { $0.name == name }), pair.count < 2 || bits != nil {
                    all.append((name, bits))
                } else {
                    isSound = false
                }
            }
        }

        private static func windowBits(_ text: String) -> Int32? {
            let digits = text.first == "\"" && text.last == "\"" ? String(text.dropFirst().dropLast()) : text
            guard let bits = Int32(digits), digits.allSatisfy(\.isNumber), digits.first != "0" else { return nil }
            return (8...15).contains(bits) ? bits : nil
        }
    }
}

/// A server's response to a client's handshake, for tests and the sandbox.
package struct Acceptance: Sendable {
    package private(set) var fields: [(name: String, value: String)]
    private let agreement: Handshake.Agreement
    private let options: WebSocket.Options

    /// `nil` for a request that is not a WebSocket handshake. `values` gives all values of a request's field by its name.
    package init?(_ options: WebSocket.Options, values: (_ name: String) -> [String]) {
        guard let key = values("Sec-WebSocket-Key").first, values("Sec-WebSocket-Version").first == "13",
            values("Upgrade").first?.lowercased() == "websocket"
        else { return nil }
        self.options = options
        fields = [("Upgrade", "websocket"), ("Connection", "Upgrade"), ("Sec-WebSocket-Accept", Handshake.accept(key))]
        var agreement = Handshake.Agreement()
        let offered = values("Sec-WebSocket-Protocol").flatMap(\.listMembers)
        agreement.subprotocol = options.subprotocols.first { offered.contains($0) }
        if let name = agreement.subprotocol { fields.append(("Sec-WebSocket-Protocol", name)) }
        if let compression = options.compression {
            for text in values("Sec-WebSocket-Extensions").flatMap(\.listMembers) where agreement.deflate == nil {
                guard let (deflate, accepted) = Self.accept(Handshake.Parameters(text), compression) else { continue }
                agreement.deflate = deflate
                fields.append(("Sec-WebSocket-Extensions", accepted))
            }
        }
        self.agreement = agreement
    }

    private static func accept(
        _ offer: Handshake.Parameters, _ compression: WebSocket.Compression
    ) -> (DeflateAgreement, String)? {
        guard offer.name == "permessage-deflate", offer.isSound else { return nil }
        let names = offer.all.map(\.name)
        var agreement = DeflateAgreement()
        agreement.resetsOwn = names.contains("server_no_context_takeover") || compression.resetsOwnContext
        agreement.resetsPeer = names.contains("client_no_context_takeover") || compression.resetsServerContext
        var text = "permessage-deflate"
        if agreement.resetsOwn { text += "; server_no_context_takeover" }
        if agreement.resetsPeer { text += "; client_no_context_takeover" }
        if let bits = offer.all.first(where: { $0.name == "server_max_window_bits" })?.value {
            agreement.ownWindow = bits
            text += "; server_max_window_bits=\(bits)"
        }
        return (agreement, text)
    }

    /// The server's socket on a connection, after the response was sent.
    package func open(_ connection: any RawConnection, context: APIClientError.Context) -> WebSocket {
        WebSocket(
            connection, .server, agreement, options, head: ResponseHead(status: .switchingProtocols), coder: .json,
            context: context)
    }
}
