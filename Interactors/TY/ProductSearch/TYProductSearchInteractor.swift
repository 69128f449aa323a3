public import CoreAPI
public import TYNetworker

/// What a presenter needs of the product search.
@MainActor
public protocol TYProductSearchInteractorInterface: AnyObject {
    var output: (any TYProductSearchInteractorOutput)? { get set }

    /// Begins a search; the output hears of its first page exactly once.
    func fetchProducts(query: String)

    /// Fetches the page after the last one that came; the output hears of it exactly once, and of nothing when there is none.
    func fetchNextPage()
}

/// Hears what the product search came to; on the main actor.
@MainActor
public protocol TYProductSearchInteractorOutput: AnyObject {
    func handleProductSearchResponse(_ result: Result<TYProductSearchResponse, APIClientError>)
}

/// Searches products, page by page.
public final class TYProductSearchInteractor: TYNetworker<TYProductSearchEndpointItem>, TYProductSearchInteractorInterface {
    public weak var output: (any TYProductSearchInteractorOutput)?

    /// Products to a page.
    public nonisolated static let pageSize = 10

    private var query = ""
    private var lastPage: TYProductSearchResponse?

    /// Whether ``nextPage()`` has a page to fetch: one has come, and it was not the last.
    public var hasNextPage: Bool { lastPage?.hasNext ?? false }

    public func fetchProducts(query: String) {
        begin(query)
        fetch(query, page: 0)
    }

    public func fetchNextPage() {
        guard let lastPage, lastPage.hasNext else { return }
        fetch(query, page: lastPage.page + 1)
    }

    private func fetch(_ query: String, page: Int) {
        networkManager.request(
            endpoint: .search(query: query, page: page, size: Self.pageSize), type: TYResult<TYProductSearchResponse>.self
        ) { [weak self] result in
            let result = result.map(\.result)
            if case .success(let page) = result { self?.keep(page, of: query) }
            self?.output?.handleProductSearchResponse(result)
        }
    }

    /// Searches, for who can wait.
    ///
    /// - Parameters:
    ///   - query: words that the name or the brand must hold; empty finds everything.
    ///   - page: from 0.
    public func search(_ query: String, page: Int = 0) async throws(APIClientError) -> TYProductSearchResponse {
        begin(query)
        let found = try await networkManager.request(
            endpoint: .search(query: query, page: page, size: Self.pageSize), type: TYResult<TYProductSearchResponse>.self
        ).result
        keep(found, of: query)
        return found
    }

    /// The page after the last one that came, or `nil` when there is none, or none has come yet.
    public func nextPage() async throws(APIClientError) -> TYProductSearchResponse? {
        guard let lastPage, lastPage.hasNext else { return nil }
        return try await search(query, page: lastPage.page + 1)
    }

    private func begin(_ query: String) {
        if query != self.query { lastPage = nil }
        self.query = query
    }

    /// An answer to a search that was given up in the meantime must not decide what the next page is.
    private func keep(_ page: TYProductSearchResponse, of query: String) {
        if query == self.query { lastPage = page }
    }
}
