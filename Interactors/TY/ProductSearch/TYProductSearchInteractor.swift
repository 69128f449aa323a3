public import CoreAPI
public import TYNetworker

/// The interface of the product search, for a presenter.
@MainActor
public protocol TYProductSearchInteractorInterface: AnyObject {
    var output: (any TYProductSearchInteractorOutput)? { get set }

    /// Begins a search and cancels the previous one. Calls the output with the first page exactly once, unless another search
    /// begins first.
    func fetchProducts(query: String)

    /// Fetches the next page and calls the output exactly once. Does nothing after the last page or during another fetch, so a
    /// list may call it whenever its end becomes visible.
    func fetchNextPage()
}

/// Receives the pages, on the main actor.
@MainActor
public protocol TYProductSearchInteractorOutput: AnyObject {
    func handleProductSearchResponse(_ result: Result<TYProductSearchResponse, APIClientError>)
}

/// Searches products, page by page.
public final class TYProductSearchInteractor: TYNetworker<TYProductSearchEndpointItem>, TYProductSearchInteractorInterface {
    /// Products per page.
    public nonisolated static let pageSize = 10

    public weak var output: (any TYProductSearchInteractorOutput)?

    /// A search from its first page to its last. It has a number, because the same words may be searched for again.
    private struct Search: Equatable {
        var number = 0
        var query = ""
    }

    private var search = Search()
    private var lastPage: TYProductSearchResponse?
    private var call: Cancellable?

    /// Whether ``nextPage()`` has a page to fetch.
    public var hasNextPage: Bool { lastPage?.hasNext ?? false }

    public func fetchProducts(query: String) {
        fetch(page: 0, of: begin(query))
    }

    public func fetchNextPage() {
        guard call == nil, let lastPage, lastPage.hasNext else { return }
        fetch(page: lastPage.page + 1, of: search)
    }

    private func fetch(page: Int, of search: Search) {
        call = request(endpoint(page, of: search)) { $0.finish(search, with: $1) }
    }

    private func finish(_ search: Search, with result: Result<TYProductSearchResponse, APIClientError>) {
        // A response to an earlier search must not be shown for the current one.
        guard search == self.search else { return }
        call = nil
        if case .success(let page) = result { lastPage = page }
        output?.handleProductSearchResponse(result)
    }

    /// Begins a search, cancels the previous one, and awaits a page.
    ///
    /// - Parameters:
    ///   - query: words that the name or the brand must contain; empty finds everything.
    ///   - page: from 0.
    public func search(_ query: String, page: Int = 0) async throws(APIClientError) -> TYProductSearchResponse {
        try await load(page: page, of: begin(query))
    }

    /// Awaits the next page; `nil` after the last page and before the first.
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
