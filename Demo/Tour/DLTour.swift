internal import CoreAPITransfers
internal import DLInteractors
internal import Foundation

extension DemoTour {
    /// Lists orders, with an expired access token that must be renewed first, opens one order, and offers an item with photos.
    static let dl = DemoTour(channel: "DL", prefix: "dl") { guide in
        let page = await guide.visit("order list") {
            try await DLOrderListInteractor().orderList(page: 1, size: 5)
        } sample: { page in
            DemoSample(
                "page \(page.page) of \(page.totalPages): \(page.orders.count) orders",
                page.orders.map { order in
                    "\(order.id)  \(order.title), \(order.price.amount.price(in: order.price.currency)), \(order.status.rawValue)"
                })
        }
        // An order on its way, so that the sample shows a parcel.
        guard let order = page?.orders.first(where: { $0.status == .shipped }) ?? page?.orders.first else {
            return guide.skip("order detail", "the list brought no order")
        }
        _ = await guide.visit("order detail") {
            try await DLOrderDetailInteractor().orderDetail(id: order.id)
        } sample: { order in
            DemoSample(
                "\(order.id), \(order.status.rawValue), "
                    + (order.shipment.map { "\($0.carrier) \($0.trackingCode)" } ?? "no parcel yet"),
                order.items.map { "\($0.name), \($0.condition), \($0.price.amount.price(in: $0.price.currency))" })
        }
        _ = await guide.visit("item offer") {
            let photos = ["ön.jpg", "arka.jpg"].map { DLNewItem.Photo(name: $0, data: Data(count: 150_000)) }
            let item = DLNewItem(title: "Keten elbise", condition: "Yeni gibi", price: 640, photos: photos)
            let offer = DLItemOfferInteractor().upload(item)
            await guide.watch("item offer", offer)
            return try await offer.value
        } sample: { item in
            DemoSample(
                "\(item.id)  \(item.title), \(item.condition), \(item.price.amount.price(in: item.price.currency))",
                item.photos.map { "\($0.name), \($0.size / 1_000) kB sent" })
        }
    }
}
