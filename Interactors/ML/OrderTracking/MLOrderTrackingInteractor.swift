public import CoreAPI
public import MLNetworker

/// The interface of an order's page, for a presenter.
@MainActor
public protocol MLOrderTrackingInteractorInterface: AnyObject {
    var output: (any MLOrderTrackingInteractorOutput)? { get set }

    /// Follows an order until its delivery, and stops following the previous one.
    ///
    /// - Parameter orderID: an order's id: `ml-o-1`.
    func follow(orderID: String)

    /// Stops following.
    func stopFollowing()
}

/// Receives the events, on the main actor.
@MainActor
public protocol MLOrderTrackingInteractorOutput: AnyObject {
    func handleOrderEvent(_ event: MLOrderEvent)
    /// Called once after the last event; with `nil` after the delivery. Not called after following has stopped.
    func handleOrderEventsEnd(_ error: APIClientError?)
}

/// Follows an order by the server's events.
public final class MLOrderTrackingInteractor: MLNetworker<MLOrderTrackingEndpointItem>, MLOrderTrackingInteractorInterface {
    public weak var output: (any MLOrderTrackingInteractorOutput)?
    private var following: Cancellable?

    deinit {
        following?.cancel()
    }

    public func follow(orderID: String) {
        following?.cancel()
        following = follow(events(orderID: orderID)) {
            $0.output?.handleOrderEvent($1.data)
        } end: {
            $0.output?.handleOrderEventsEnd($1)
        }
    }

    public func stopFollowing() {
        following?.cancel()
        following = nil
    }

    /// The async form of ``follow(orderID:)``; from any actor. The loop ends after the delivery.
    ///
    /// Its errors are `APIClientError`, with a ``MLNetworker/MLError`` of the code 1405 for an unknown id.
    public nonisolated func events(orderID: String) -> EventStream<MLOrderEvent> {
        networkManager.events(EndpointType.events(orderID: orderID), as: MLOrderEvent.self)
    }
}
