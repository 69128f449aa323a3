import TestSupport

extension Request {
    /// A header's value by its name in any case.
    func header(_ name: String) -> String? { headers.first { $0.name.canonicalName == name.lowercased() }?.value }
}
