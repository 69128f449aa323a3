public import CoreAPI
public import Foundation
public import HTTPBinNetworker

/// Sends requests to an httpbin. It is a tool without a screen, so it has no output: every method is async, from any actor.
public final class HTTPBinInteractor: HTTPBinNetworker<HTTPBinEndpointItem> {
    /// The client's address as the server sees it.
    public func ip() async throws(APIClientError) -> String {
        try await networkManager.request(endpoint: .ip, type: HTTPBinOrigin.self).origin
    }

    /// The query as the server decoded it.
    public func get(_ parameters: Parameters = [:]) async throws(APIClientError) -> HTTPBinGetAnswer {
        try await networkManager.request(endpoint: .get(parameters))
    }

    /// The JSON body as the server decoded it.
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

    /// Requests a response with a status.
    ///
    /// - Throws: ``CoreAPI/VerificationError/unacceptableStatus(_:expected:)``, as a verification error, for any status other
    ///   than 2xx.
    public func status(_ code: Int) async throws(APIClientError) {
        try await networkManager.request(endpoint: .status(code))
    }

    /// Requests a response after a pause.
    ///
    /// - Parameter seconds: at most 10; the server treats more as 10.
    public func delay(seconds: Int) async throws(APIClientError) -> HTTPBinGetAnswer {
        try await networkManager.request(endpoint: .delay(seconds: seconds))
    }

    /// The headers as the server sees them, including the given ones.
    public func headers(_ headers: Headers = [:]) async throws(APIClientError) -> [String: String] {
        try await networkManager.request(endpoint: .headers(headers), type: HTTPBinHeaders.self).headers
    }

    /// A response that the server compresses.
    public func gzip() async throws(APIClientError) -> HTTPBinGzipAnswer {
        try await networkManager.request(endpoint: .gzip)
    }

    /// JSON objects, one per line, which the server sends piece by piece. Returns after the last one.
    ///
    /// - Parameter lines: at most 100; the server treats more as 100.
    public func stream(lines: Int) async throws(APIClientError) -> [HTTPBinStreamLine] {
        var received: [HTTPBinStreamLine] = []
        for try await line in networkManager.jsonLines(EndpointType.stream(lines: lines), of: HTTPBinStreamLine.self) {
            received.append(line)
        }
        return received
    }

    /// Signs in with a name and a password; the request tells the server to expect both.
    ///
    /// - Parameters:
    ///   - user: letters and digits; it is part of the path.
    ///   - password: letters and digits. Not a secret: it is part of the path.
    public func basicAuth(user: String, password: String) async throws(APIClientError) -> HTTPBinAuthAnswer {
        try await networkManager.request(endpoint: .basicAuth(user: user, password: password))
    }
}
