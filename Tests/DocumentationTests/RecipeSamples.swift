import CoreAPI
import Foundation
import HTTPTypes

// Shown on the page "Recipes"; what they do is tested in RecipeTests.

/// The pages of a list. Each is fetched when the loop asks for it, so leaving the loop fetches no more.
struct Pages<Page: Sendable>: AsyncSequence, Sendable {
    let fetch: @Sendable (_ cursor: String?) async throws -> Page
    let cursorAfter: @Sendable (Page) -> String?

    struct AsyncIterator: AsyncIteratorProtocol {
        let pages: Pages
        var cursor: String?
        var isOver = false

        mutating func next() async throws -> Page? {
            guard !isOver else { return nil }
            isOver = true
            let page = try await pages.fetch(cursor)
            cursor = pages.cursorAfter(page)
            isOver = cursor == nil
            return page
        }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(pages: self) }
}

struct OrderPage: Decodable, Sendable {
    let orders: [Int]
    let next: String?
}

extension Dispatcher {
    func orders() -> Pages<OrderPage> {
        Pages { cursor in
            try await request(.get("orders", query: ["cursor": cursor]), as: OrderPage.self)
        } cursorAfter: { page in
            page.next
        }
    }
}

/// The shape of `ClientTransport`, of swift-openapi-runtime, with `HTTPBody` collected into `Data`.
protocol GeneratedClientTransport: Sendable {
    func send(_ request: HTTPRequest, body: Data?, baseURL: URL, operationID: String) async throws -> (HTTPResponse, Data?)
}

struct ChannelTransport<Sender: Dispatcher>: GeneratedClientTransport {
    let dispatcher: Sender

    func send(_ request: HTTPRequest, body: Data?, baseURL: URL, operationID: String) async throws -> (HTTPResponse, Data?) {
        var headers = Headers()
        for field in request.headerFields { headers.append(field.name.rawName, field.value) }
        let endpoint = TypedEndpoint(
            request.method, request.path ?? "", encoding: body.map { .body(.bytes($0)) }, headers: headers, name: operationID)
        let response = await dispatcher.response(for: endpoint, as: .data)
        switch response.error {
        case nil, .verification(.unacceptableStatus, _)?: break
        case let error?: throw error
        }
        let head = response.head ?? ResponseHead(status: .ok)
        return (HTTPResponse(status: head.status, headerFields: head.headers), response.data)
    }
}
