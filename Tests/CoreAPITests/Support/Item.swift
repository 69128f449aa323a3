/// The usual decoded value.
struct Item: Codable, Equatable, Sendable { var id: Int }

/// An error of the app's own.
struct Trouble: Error, Equatable { var code: Int }
