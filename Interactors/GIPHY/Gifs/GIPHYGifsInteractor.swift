public import CoreAPI
public import GIPHYNetworker

/// The interface of a screen of GIFs, for a presenter.
@MainActor
public protocol GIPHYGifsInteractorInterface: AnyObject {
    var output: (any GIPHYGifsInteractorOutput)? { get set }

    /// Searches from the first page; calls the output exactly once.
    func fetchGifs(query: String)

    /// Fetches today's trending GIFs; calls the output exactly once.
    func fetchTrendingGifs()
}

/// Receives the result, on the main actor.
@MainActor
public protocol GIPHYGifsInteractorOutput: AnyObject {
    func handleGifsResponse(_ result: Result<GIPHYGifsResponse, APIClientError>)
}

/// Finds GIFs.
public final class GIPHYGifsInteractor: GIPHYNetworker<GIPHYGifsEndpointItem>, GIPHYGifsInteractorInterface {
    /// GIFs per page; GIPHY's own default.
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
    ///   - limit: GIFs per page, at most 50.
    ///   - offset: GIFs to skip, at most 4999.
    ///   - rating: the highest rating to include; `nil` for all.
    ///   - language: the language of the query, as ISO 639-1: `tr`.
    public nonisolated func search(
        _ query: String, limit: Int = pageSize, offset: Int = 0, rating: GIPHYRating? = nil, language: String? = nil
    ) async throws(APIClientError) -> GIPHYGifsResponse {
        try await networkManager.request(
            endpoint: .search(query, limit: limit, offset: offset, rating: rating, language: language))
    }

    /// Fetches a page of today's trending GIFs and awaits it; from any actor.
    ///
    /// - Parameters:
    ///   - limit: GIFs per page, at most 50.
    ///   - offset: GIFs to skip, at most 499.
    ///   - rating: the highest rating to include; `nil` for all.
    public nonisolated func trending(
        limit: Int = pageSize, offset: Int = 0, rating: GIPHYRating? = nil
    ) async throws(APIClientError) -> GIPHYGifsResponse {
        try await networkManager.request(endpoint: .trending(limit: limit, offset: offset, rating: rating))
    }
}
