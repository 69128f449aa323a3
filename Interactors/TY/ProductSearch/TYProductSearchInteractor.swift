public import CoreAPI
public import TYNetworker

/// What a presenter needs of the product search.
@MainActor
public protocol TYProductSearchInteractorInterface: AnyObject {
    var output: (any TYProductSearchInteractorOutput)? { get set }

    /// Begins a search and gives up the one before it. The output hears of the first page exactly once, unless this search is
    /// given up too before the page has come.
    func fetchProducts(query: String)

    /// Fetches the page after the last one that came; the output hears of it exactly once. Does nothing when there is none, or
    /// when it is on its way already, so that a list may call it whenever its end comes into sight.
    func fetchNextPage()
}

/// Hears what the product search came to; on the main actor.
@MainActor
public protocol TYProductSearchInteractorOutput: AnyObject {
    func handleProductSearchResponse(_ result: Result<TYProductSearchResponse, APIClientError>)
}

/// Searches products, page by page.
public final class TYProductSearchInteractor: TYNetworker<TYProductSearchEndpointItem>, TYProductSearchInteractorInterface {
    /// Products to a page.
    public nonisolated static let pageSize = 10

    public weak var output: (any TYProductSearchInteractorOutput)?

    /// A search from its first page to its last. Numbered, because the same words may be searched for again.
    private struct Search: Equatable {
        var number = 0
        var query = ""
    }

    private var search = Search()
    private var lastPage: TYProductSearchResponse?
    private var call: Cancellable?

    /// Whether ``nextPage()`` has a page to fetch: one has come, and it was not the last.
    public var hasNextPage: Bool { lastPage?.hasNext ?? false }

    public func fetchProducts(query: String) {
        fetch(page: 0, of: begin(query))
    }

    public func fetchNextPage() {
        guard call == nil, let lastPage, lastPage.hasNext else { return }
        fetch(page: lastPage.page + 1, of: search)
    }

    private func fetch(page: Int, of search: Search) {
        call = networkManager.request(endpoint(page, of: search), to: self) { $0.finish(search, with: $1) }
    }

    private func finish(_ search: Search, with result: Result<TYProductSearchResponse, APIClientError>) {
        // An answer to a search that was given up must not be shown as one to the present search.
        guard search == self.search else { return }
        call = nil
        if case .success(let page) = result { lastPage = page }
        output?.handleProductSearchResponse(result)
    }

    /// Begins a search and gives up the one before it, for who can wait.
    ///
    /// - Parameters:
    ///   - query: words that the name or the brand must hold; empty finds everything.
    ///   - page: from 0.
    public func search(_ query: String, page: Int = 0) async throws(APIClientError) -> TYProductSearchResponse {
        try await load(page: page, of: begin(query))
    }

    /// The page after the last one that came, or `nil` when there is none, or none has come yet.
    public func nextPage() async throws(APIClientError) -> TYProductSearchResponse? {
        guard let lastPage, lastPage.hasNext else { return nil }
        return try await load(page: lastPage.page + 1, of: search)
    }

    private func load(page: Int, of search: Search) async throws(APIClientError) -> TYProductSearchResponse {
        let found: TYProductSearchResponse = try await networkManager.request(endpoint: endpoint(page, of: search))
        if search == self.search { lastPage = found }
        return found
    }

    private func endpoint(_ page: Int, of search: Search) -> TYProductSearchEndpointItem {
        .search(query: search.query, page: page, size: Self.pageSize)
    }

    private func begin(_ query: String) -> Search {
        call?.cancel()
        call = nil
        lastPage = nil
        search = Search(number: search.number + 1, query: query)
        return search
    }
}
