/// The parts of a call that are logged. Options of several levels add up; ``off`` at the nearest level silences the call.
///
/// ```swift
/// channel.modifiers.append(RequestLogging.all)
/// ```
public struct RequestLogging: OptionSet, RequestModifier, Hashable {
    public let rawValue: Int

    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// Method and address, secrets hidden.
    public static let url = RequestLogging(rawValue: 1 << 0)
    /// How long the call took.
    public static let time = RequestLogging(rawValue: 1 << 1)
    /// The response's status.
    public static let status = RequestLogging(rawValue: 1 << 2)
    /// The request's fields, secrets hidden.
    public static let requestHeaders = RequestLogging(rawValue: 1 << 3)
    /// The response's fields, secrets hidden.
    public static let responseHeaders = RequestLogging(rawValue: 1 << 4)
    /// The request's body, secrets hidden.
    public static let requestBody = RequestLogging(rawValue: 1 << 5)
    /// The response's body, secrets hidden.
    public static let responseBody = RequestLogging(rawValue: 1 << 6)
    /// URL, time and status: the default if no level has options.
    public static let standard: RequestLogging = [.url, .time, .status]
    /// Every part.
    public static let all: RequestLogging = [.standard, .requestHeaders, .responseHeaders, .requestBody, .responseBody]
    /// No part.
    public static let off: RequestLogging = []

    /// The options of a request: the union of all levels, none if the nearest is ``off``, else the default.
    static func effective(for request: Request?, default standard: RequestLogging) -> RequestLogging {
        let levels = request?.modifiers(of: RequestLogging.self) ?? []
        guard let nearest = levels.last else { return standard }
        return nearest.isEmpty ? .off : levels.reduce(.off) { $0.union($1) }
    }
}
