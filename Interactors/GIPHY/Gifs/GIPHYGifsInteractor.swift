public import CoreAPI
public import GIPHYNetworker

/// What a presenter needs of a screen full of GIFs.
@MainActor
public protocol GIPHYGifsInteractorInterface: AnyObject {
    var output: (any GIPHYGifsInteractorOutput)? { get set }

    /// Searches from the beginning; calls the output exactly once.
    func fetchGifs(query: String)

    /// Fetches today's trending GIFs; calls the output exactly once.
    func fetchTrendingGifs()
}

/// Gets the GIFs that were found; called on the main actor.
@MainActor
public protocol GIPHYGifsInteractorOutput: AnyObject {
    func handleGifsResponse(_ result: Result<GIPHYGifsResponse, APIClientError>)
}

/// Finds GIFs.
public final class GIPHYGifsInteractor: GIPHYNetworker<GIPHYGifsEndpointItem>, GIPHYGifsInteractorInterface {
    /// GIFs to a page by default; GIPHY's own default.
    public nonisolated static let pageSize = 25

    public weak var output: (any GIPHYGifsInteractorOutput)?

    public func fetchGifs(query: String) {
        fetch(.search(query, limit: Self.pageSize, offset: 0, rating: nil, language: nil))
    }

    public func fetchTrendingGifs() {
        fetch(.trending(limit: Self.pageSize, offset: 0, rating: nil))
    }

    private func fetch(_ endpoint: GIPHYGifsEndpointItem) {
        request(endpoint) { $0.output?.handleGifsResponse($1) }
    }

    /// Searches and awaits the page; from any actor.
    ///
    /// - Parameters:
    ///   - query: at most 50 characters.
    ///   - limit: GIFs to a page, at most 50.
    ///   - offset: how many to skip, at most 4999.
    ///   - rating: the highest one to include; `nil` for all.
    ///   - language: of the query, as ISO 639-1: `tr`.
    public nonisolated func search(
        _ query: String, limit: Int = pageSize, offset: Int = 0, rating: GIPHYRating? = nil, language: String? = nil
    ) async throws(APIClientError) -> GIPHYGifsResponse {
        try await networkManager.request(
            endpoint: .search(query, limit: limit, offset: offset, rating: rating, language: language))
    }

    /// Awaits a page of today's trending GIFs; from any actor.
    ///
    /// - Parameters:
    ///   - limit: GIFs to a page, at most 50.
    ///   - offset: how many to skip, at most 499.
    ///   - rating: the highest one to include; `nil` for all.
    public nonisolated func trending(
        limit: Int = pageSize, offset: Int = 0, rating: GIPHYRating? = nil
    ) async throws(APIClientError) -> GIPHYGifsResponse {
        try await networkManager.request(endpoint: .trending(limit: limit, offset: offset, rating: rating))
    }
}
