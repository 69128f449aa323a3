import ArgumentParser
import CoreAPI
import Foundation

/// The host and the trust of a call, from the command line.
struct CallTarget: Sendable {
    let place: ChannelEntry.Place
    /// Replaces the environment's base URL.
    var host: HTTPURL?
    var authority: Authority?

    /// The value of `--authority`.
    enum Authority: Sendable, Hashable {
        case system
        case file(String)

        /// - Throws: `ValidationError` for a file that cannot be read.
        init(_ text: String) throws {
            if text == "system" {
                self = .system
            } else if FileManager.default.isReadableFile(atPath: text) {
                self = .file(text)
            } else {
                throw ValidationError(
                    "expected a readable file of PEM certificates, or the word system, got '\(text.escapingControls)'")
            }
        }
    }

    /// The channel with all its hooks, directed at the target.
    func channel() -> Channel {
        var channel = place.make()
        if let host { channel.environment.baseURL = host.string }
        switch authority {
        case .system: channel.environment.serverTrustManager.authorities = .system
        case .file(let path): channel.environment.serverTrustManager.authorities = .file(path)
        case nil: break
        }
        return channel
    }

    /// Advice about a failure with a usual cause outside the kit; `nil` for any other failure.
    func advice(about error: APIClientError) -> String? {
        guard case .transport(let failure, _) = error, place.isSimulated, authority == nil else { return nil }
        guard case .file(ServerTrustManager.localAuthorityFile) = place.make().environment.serverTrustManager.authorities else {
            return nil
        }
        switch failure {
        case .cannotConnect: return "start 'networker sandbox' in another terminal, or name another server with --host"
        case .tls:
            return
                "the environment \(place.environment) trusts only the authority in \(ServerTrustManager.localAuthorityFile), which "
                + "'networker sandbox' writes while it runs; start it in another terminal, or name an authority with --authority"
        default: return nil
        }
    }
}

extension HTTPURL {
    /// - Throws: `ValidationError` that states what was expected.
    init(argument text: String) throws {
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
