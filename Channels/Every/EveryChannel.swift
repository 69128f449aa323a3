public import CoreAPI

/// The channels of the package, in the order of Package.swift, each at the first of its hosts.
public let everyChannel: [Channel] = everyNetworker.compactMap { $0().networkManager.channel }
