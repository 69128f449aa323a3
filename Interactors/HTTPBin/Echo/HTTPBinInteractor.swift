public import CoreAPI
public import Foundation
public import HTTPBinNetworker

/// Asks an httpbin. It is an instrument and not a screen, so it has no output: every method is awaited, from any actor.
public final class HTTPBinInteractor: HTTPBinNetworker<HTTPBinEndpointItem> {
    /// The address that the server sees.
    public func ip() async throws(APIClientError) -> String {
        try await networkManager.request(endpoint: .ip, type: HTTPBinOrigin.self).origin
    }

    /// What the server understood of a query.
    public func get(_ parameters: Parameters = [:]) async throws(APIClientError) -> HTTPBinGetAnswer {
        try await networkManager.request(endpoint: .get(parameters))
    }

    /// What the server understood of a JSON body.
    public func post<Body: Codable & Sendable>(_ body: Body) async throws(APIClientError) -> HTTPBinPostAnswer<Body> {
        try await networkManager.request(endpoint: .post(Parameters(body)))
    }

    /// The page with the pizza form, as HTML.
    public func pizzaForm() async throws(APIClientError) -> Data {
        try await networkManager.request(endpoint: .pizzaForm)
    }

    /// Fills in the pizza form and sends it as a browser does.
    public func orderPizza(_ pizza: HTTPBinPizza) async throws(APIClientError) -> HTTPBinPizzaReceipt {
        try await networkManager.request(endpoint: .orderPizza(pizza))
    }

    /// Asks for an answer with a status.
    ///
    /// - Throws: ``CoreAPI/VerificationError/unacceptableStatus(_:expected:)``, as a verification error, for all but 2xx.
    public func status(_ code: Int) async throws(APIClientError) {
        try await networkManager.request(endpoint: .status(code))
    }

    /// Asks for an answer after a pause.
    ///
    /// - Parameter seconds: up to 10; the server takes more for 10.
    public func delay(seconds: Int) async throws(APIClientError) -> HTTPBinGetAnswer {
        try await networkManager.request(endpoint: .delay(seconds: seconds))
    }

    /// The headers that the server sees, these among them.
    public func headers(_ headers: Headers = [:]) async throws(APIClientError) -> [String: String] {
        try await networkManager.request(endpoint: .headers(headers), type: HTTPBinHeaders.self).headers
    }

    /// An answer that was sent compressed.
    public func gzip() async throws(APIClientError) -> HTTPBinGzipAnswer {
        try await networkManager.request(endpoint: .gzip)
    }

    /// A body of JSON objects, one to a line, as the server sends them piece by piece; returns when the last has come.
    ///
    /// - Parameter lines: up to 100; the server takes more for 100.
    public func stream(lines: Int) async throws(APIClientError) -> [HTTPBinStreamLine] {
        try await networkManager.request(endpoint: .stream(lines: lines), as: .jsonLines(of: HTTPBinStreamLine.self))
    }

    /// Signs in with a name and a password that the server is told to expect.
    ///
    /// - Parameters:
    ///   - user: letters and digits; it stands in the path too.
    ///   - password: as `user`. Not a secret: it is part of the address.
    public func basicAuth(user: String, password: String) async throws(APIClientError) -> HTTPBinAuthAnswer {
        try await networkManager.request(endpoint: .basicAuth(user: user, password: password))
    }
}

extension ResponseDecoding {
    /// One JSON value a line (https://jsonlines.org), each read by the channel's coder; empty lines are skipped.
    fileprivate static func jsonLines<Line: Decodable & Sendable>(of type: Line.Type) -> ResponseDecoding where Value == [Line] {
        ResponseDecoding { response in
            try response.data.split(separator: UInt8(ascii: "\n")).map { line in
                try (response.request?.coder ?? response.call.channel.coder).decode(Line.self, from: Data(line))
            }
        }
    }
}
