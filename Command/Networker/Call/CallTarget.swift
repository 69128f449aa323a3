import ArgumentParser
import CoreAPI
import CoreAPIHTTP
import Foundation

/// The host and the trust of a call, from the command line.
struct CallTarget: Sendable {
    let place: ChannelEntry.Place
    /// Replaces the environment's base URL.
    var host: HTTPURL?
    var authority: Authority?
    /// The client's own certificate.
    var identity: Identity?
    /// The path and the query of an address; empty for a channel.
    var path = ""

    /// The value of `--authority`.
    enum Authority: Sendable, Hashable {
        case system
        case file(String)

        var trusted: ServerTrustManager.Authorities {
            switch self {
            case .system: .system
            case .file(let path): .file(path)
            }
        }

        /// - Throws: `ValidationError` for a file that cannot be read, or that has no certificates.
        init(_ text: String) throws {
            if text == "system" {
                self = .system
            } else if FileManager.default.isReadableFile(atPath: text) {
                self = .file(text)
                // A pipe can be read only once.
                guard let file = try? LocalFile(reading: text) else { return }
                do {
                    _ = try Certificate(pem: String(decoding: file.readToEnd(), as: UTF8.self))
                } catch {
                    throw ValidationError(
                        "expected a file of PEM certificates, got '\(text.escapingControls)': \(error.readableDescription)")
                }
            } else {
                throw ValidationError(
                    "expected a readable file of PEM certificates, or the word system, got '\(text.escapingControls)'")
            }
        }
    }

    /// The files of `--cert` and `--key`.
    struct Identity: Sendable, Hashable {
        private let certificates: String
        private let key: String?
        fileprivate let client: ClientIdentity

        /// As on a command line of curl's or of this command.
        var options: [(name: String, value: String)] { [("--cert", certificates)] + (key.map { [("--key", $0)] } ?? []) }

        /// - Throws: `ValidationError` for a file that cannot be read, or that has no certificate or no key.
        init(certificates: String, key: String?) throws {
            let text = try CommandFile(certificates).text(for: "the certificate")
            guard (try? Certificate(pem: text)) != nil else {
                throw ValidationError("expected a certificate of PEM in '\(certificates.escapingControls)'")
            }
            let secret = try key.map { try CommandFile($0).text(for: "the key") } ?? text
            let name = (key ?? certificates).escapingControls
            guard secret.containsOctets(of: "PRIVATE KEY-----") else {
                throw ValidationError(
                    "expected a private key of PEM in '\(name)'\(key == nil ? "; --key names another file" : "")")
            }
            // OpenSSL would ask for the passphrase on the terminal.
            guard !secret.containsOctets(of: "ENCRYPTED") else {
                throw ValidationError("expected a key without a passphrase in '\(name)'")
            }
            self.certificates = certificates
            self.key = key
            client = .pem(certificates: text, key: Secret(secret))
        }
    }

    /// The target that a word names: a channel, or a plain address.
    ///
    /// - Parameter commands: what the word may mean besides, for advice.
    /// - Throws: `ValidationError` that lists the channels.
    init(
        _ word: String, environment: String?, host: HTTPURL?, authority: Authority?, orAny commands: [String] = []
    ) throws {
        let registry = CommandSetup.current.registry
        if let entry = registry.entry(word) {
            self.init(place: try entry.place(environment), host: host, authority: authority)
        } else if let address = try Address(word) {
            guard environment == nil, host == nil else {
                throw ValidationError(
                    "\(environment == nil ? "--host" : "--environment") is for a channel; the address already names the server")
            }
            self.init(place: .address(address), host: nil, authority: authority)
            path = address.target
        } else {
            guard !word.containsOctets(of: "@") else {
                throw ValidationError("user information in an address is not accepted; expected --auth user:password")
            }
            let meant = (registry.names + commands).nearest(to: word).map { "did you mean '\($0)'? Expected " } ?? "expected "
            throw ValidationError(
                "unknown channel '\(word.escapingControls)'; \(meant)"
                    + (registry.names + ["an address such as https://example.com or :8080/path"]).alternatives)
        }
    }

    private init(place: ChannelEntry.Place, host: HTTPURL?, authority: Authority?) {
        self.place = place
        self.host = host
        self.authority = authority
    }

    /// The channel with all its hooks, directed at the target.
    func channel() -> Channel {
        var channel = place.make()
        if let host { channel.environment.baseURL = host.string }
        if let authority { channel.environment.serverTrustManager.authorities = authority.trusted }
        if let identity { channel.environment.serverTrustManager.identity = identity.client }
        return channel
    }

    /// A failure in one line: its reason, and in brackets what neither the reason nor the command line says.
    ///
    /// The name of the endpoint is made of the words of the command line. Of an address, so is the name of the channel.
    func line(for error: APIClientError) -> String {
        let context = error.context
        let sent = context.method.flatMap { method in context.url.map { "\(method.rawValue) \($0)" } }
        var facts: [String?] = isAddress ? [context.isRedirected ? sent : nil] : ["channel \(context.channel)", sent]
        if context.attempt > 1 { facts.append("attempt \(context.attempt)") }
        // The reason of every other error says the status if it matters.
        if case .app = error, let status = context.head?.status.code, !error.reason.contains("\(status)") {
            facts.append("status \(status)")
        }
        if let streamed = context.streamed, streamed.items > 0, error.untranslated.streamError == nil {
            facts.append("after \(streamed.bytes) bytes and \(streamed.items) items")
        }
        if let cause = context.cause { facts.append("because of \(cause.label)") }
        if let unread = context.unreadEnvelope {
            facts.append("the body could not be read as the channel's error (\(unread))")
        }
        if !isAddress { facts.append("call \(context.callID)") }
        let told = facts.compactMap(\.self)
        return error.reason + (told.isEmpty ? "" : " [\(told.joined(separator: ", "))]")
    }

    /// Advice about a failure with a usual cause outside the kit; `nil` for any other failure.
    ///
    /// - Parameter hasResponded: whether the server has answered in HTTP before.
    func advice(about error: APIClientError, hasResponded: Bool = false) -> String? {
        guard case .transport(let failure, let context) = error.untranslated else {
            return error.context.head?.retryAfter.map { "the server asks for a pause of \($0.readable) (Retry-After)" }
        }
        let address = try? HTTPURL(context.isRedirected ? context.url ?? "" : channel().environment.baseURL)
        // A server that expects TLS closes the connection, or answers with an alert, which is not HTTP.
        let mayNeedTLS = address?.scheme == .http && !hasResponded && context.head == nil
        let host = address.map { "\($0.host):\($0.effectivePort)" } ?? "the server"
        switch failure {
        case .cannotConnect where needsSandbox && self.host == nil && !context.isRedirected:
            return "start \(CommandSetup.sandbox) in another terminal, or name another server with --host"
        case .cannotConnect, .timedOut(.connect, _):
            return "check that a server listens at \(host)\(address?.scheme == .https ? " and speaks TLS" : "")"
                + (self.host == nil && !isAddress && !context.isRedirected ? ", or name another with --host" : "")
        case .cannotResolveHost: return "check the spelling of the host, and this machine's DNS"
        case .proxy(_, let source, _, _): return "check the variable \(source), or name the host in no_proxy"
        case .tls(_, let reason) where reason.contains("wrong version number"):
            return "\(host) speaks clear text; write http:// if that is intended"
        case .tls where needsSandbox && !context.isRedirected:
            return
                "the environment \(place.environment) trusts only the authority in "
                + "\(ServerTrustManager.localAuthorityFile), which "
                + "\(CommandSetup.sandbox) writes while it runs; start it in another terminal, or name an authority "
                + "with --authority"
        case .tls:
            return "\(CommandSetup.current.name) doctor \(wordWithOptions) checks each step, certificates and clock included"
        case .connectionLost where mayNeedTLS: return "if \(host) speaks TLS, write https://"
        case .malformedResponse(let reason) where mayNeedTLS && reason.hasSuffix("may serve TLS or another protocol"):
            return "if \(host) speaks TLS, write https://"
        case .timedOut: return "--timeout sets another limit, in seconds"
        default: return nil
        }
    }

    /// What names the target on the command line.
    private var wordWithOptions: String {
        // Without the query, which may have secrets.
        let page = path.before(anyOf: "?")
        var words = [place.word + (page == "/" ? "" : page)]
        if !isAddress { words += ["--environment", place.environment] }
        if let host { words += ["--host", host.string] }
        switch authority {
        case .system: words += ["--authority", "system"]
        case .file(let path): words += ["--authority", path.escapingControls]
        case nil: break
        }
        words += identity?.options.flatMap { [$0.name, $0.value.escapingControls] } ?? []
        return words.joined(separator: " ")
    }

    /// Whether the target trusts the authority of the sandbox, and nothing else.
    private var needsSandbox: Bool {
        guard place.isSimulated, authority == nil else { return false }
        guard case .file(ServerTrustManager.localAuthorityFile) = place.make().environment.serverTrustManager.authorities else {
            return false
        }
        return true
    }

    var isAddress: Bool { place.environment == ChannelEntry.Place.addressName }
}
