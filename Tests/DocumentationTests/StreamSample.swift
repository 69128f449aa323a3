import CoreAPI
import Foundation

// Shown on the page "Bodies"; runs in BodiesTests.

func copy(_ path: String, from source: some Dispatcher, to target: some Dispatcher) async throws {
    let answer = await source.stream(.get(path))
    guard case .success(let body) = answer.result else { throw answer.error ?? CancellationError() }
    try await target.request(.put(path, encoding: .body(body)))
}
