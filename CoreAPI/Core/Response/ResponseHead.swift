public import HTTPTypes

/// Status and header fields of a response.
public struct ResponseHead: Sendable, Hashable {
    public var status: HTTPResponse.Status
    public var headers: HTTPFields

    public init(status: HTTPResponse.Status, headers: HTTPFields = [:]) {
        self.status = status
        self.headers = headers
    }
}
