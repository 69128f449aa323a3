public import CoreAPI
public import GIPHYNetworker

/// What a presenter needs of a screen full of GIFs.
@MainActor
public protocol GIPHYGifsInteractorInterface: AnyObject {
    var output: (any GIPHYGifsInteractorOutput)? { get set }

    /// Searches from the beginning; the output hears of it exactly once.
    func fetchGifs(query: String)

    /// Fetches what many watch today; the output hears of it exactly once.
    func fetchTrendingGifs()
}

/// Hears which GIFs there are; on the main actor.
@MainActor
public protocol GIPHYGifsInteractorOutput: AnyObject {
    func handleGifsResponse(_ result: Result<GIPHYGifsResponse, APIClientError>)
}

/// Finds GIFs.
public final class GIPHYGifsInteractor: GIPHYNetworker<GIPHYGifsEndpointItem>, GIPHYGifsInteractorInterface {
    /// GIFs to a page, where nothing else is said; GIPHY's own default.
    public nonisolated static let pageSize = 25

    public weak var output: (any GIPHYGifsInteractorOutput)?

    public func fetchGifs(query: String) {
        fetch(.search(query, limit: Self.pageSize, offset: 0, rating: nil, language: nil))
    }

    public func fetchTrendingGifs() {
        fetch(.trending(limit: Self.pageSize, offset: 0, rating: nil))
    }

    private func fetch(_ endpoint: GIPHYGifsEndpointItem) {
        networkManager.request(endpoint, to: self) { $0.output?.handleGifsResponse($1) }
    }

    /// Searches, for who can wait; from any actor.
    ///
    /// - Parameters:
    ///   - query: at most 50 characters.
    ///   - limit: GIFs to a page, at most 50.
    ///   - offset: how many to pass over, at most 4999.
    ///   - rating: nothing beyond it; `nil` for everything.
    ///   - language: of the query, as ISO 639-1: `tr`.
    public nonisolated func search(
        _ query: String, limit: Int = pageSize, offset: Int = 0, rating: GIPHYRating? = nil, language: String? = nil
    ) async throws(APIClientError) -> GIPHYGifsResponse {
        try await networkManager.request(
            endpoint: .search(query, limit: limit, offset: offset, rating: rating, language: language))
    }

    /// What many watch today, for who can wait; from any actor.
    ///
    /// - Parameters:
    ///   - limit: GIFs to a page, at most 50.
    ///   - offset: how many to pass over, at most 499.
    ///   - rating: nothing beyond it; `nil` for everything.
    public nonisolated func trending(
        limit: Int = pageSize, offset: Int = 0, rating: GIPHYRating? = nil
    ) async throws(APIClientError) -> GIPHYGifsResponse {
        try await networkManager.request(endpoint: .trending(limit: limit, offset: offset, rating: rating))
    }
}
