// As DocCommentSamples.swift; apart from it because OpenCombine has a Cancellable, too.

import CoreAPI
import CoreAPIReactive
import HTTPTypes
import OpenCombineShim

private struct OrderList: Decodable, Sendable {
    let orders: [Int]
}

private enum OrderEndpoint: Endpoint {
    case orderList(path: String)

    var path: String { "orders" }
    var method: HTTPRequest.Method { .get }
}

private func show(_ value: some Any, took: Duration? = nil) {}

private func publishers(_ networkManager: NetworkManager<OrderEndpoint>) -> [AnyCancellable] {
    [
        networkManager.publisher(for: .orderList(path: ""), as: OrderList.self)
            .retryRequest(max: 2, delay: .seconds(1))
            .asResult()
            .sink { result in show(result) },
        networkManager.publisher(for: .orderList(path: ""), as: OrderList.self).asResponse()
            .sink { response in show(response.result, took: response.metrics?.total) },
    ]
}
