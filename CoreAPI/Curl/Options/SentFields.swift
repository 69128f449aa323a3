internal import CCurl
package import CoreAPICore
package import CoreAPIHTTP
internal import CoreAPIRedaction
internal import Foundation
internal import HTTPTypes

extension Request {
    /// The environment's proxy for the request. A channel that rejects addresses uses none, because a proxy would connect.
    var proxy: Proxy? {
        guard let proxies = ProxyEnvironment.current, call.prepared.channel.limits.rejectedAddresses.isEmpty else { return nil }
        return proxies.proxy(for: url)
    }

    /// The proxy that gets the request itself, with its whole address; `nil` for a tunnel or no proxy.
    package var forwardingProxy: Proxy? {
        url.scheme == .http ? proxy.flatMap { $0.speaksHTTP ? $0 : nil } : nil
    }

    /// The header fields as libcurl sends them, those of the transport included, for a tool that shows what was sent. HTTP/2 has
    /// `:authority` in place of `Host`. A proxy's credentials are hidden.
    ///
    /// - Throws: ``RequestError/malformedHeader(name:reason:)``, as sending the request does.
    package func sentFields() throws(RequestError) -> [(name: String, value: String)] {
        let lines = try HeaderBlock(headers, hasBody: !body.isNone).list
        var fields = lines.namesHost ? [] : [(name: "Host", value: url.authority)]
        var node = lines.first
        while let line = node?.pointee {
            let text = String(cString: line.data)
            if let colon = text.firstIndex(of: ":") {
                let value = text[text.index(after: colon)...].drop { $0 == " " }
                // A name alone removes a header of libcurl's own.
                if !value.isEmpty { fields.append((String(text[..<colon]), String(value))) }
            } else if text.hasSuffix(";") {
                fields.append((String(text.dropLast()), ""))
            }
            node = line.next
        }
        withExtendedLifetime(lines) {}
        // libcurl adds no field that the request has.
        let names = Set(fields.map { $0.name.lowercased() })
        return fields + framing + forwarding.filter { !names.contains($0.name.lowercased()) }
    }

    /// The fields that libcurl adds for a proxy that forwards the request.
    private var forwarding: [(name: String, value: String)] {
        guard let proxy = forwardingProxy else { return [] }
        let credentials = proxy.hasCredentials ? [("Proxy-Authorization", "Basic \(Redaction.mask)")] : []
        return credentials + [("Proxy-Connection", "Keep-Alive")]
    }

    private var framing: [(name: String, value: String)] {
        switch body {
        case .none: [.post, .put, .patch, .query].contains(method) ? [("Content-Length", "0")] : []
        case .bytes(let data): [("Content-Length", "\(data.count)")]
        case .file(let url):
            (try? LocalFile(reading: url.path)).map { [("Content-Length", "\($0.size)")] } ?? []
        case .stream(let stream): stream.length.map { [("Content-Length", "\($0)")] } ?? [("Transfer-Encoding", "chunked")]
        }
    }
}
