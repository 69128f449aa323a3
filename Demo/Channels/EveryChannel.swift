public import CoreAPI
internal import DLNetworker
internal import GIPHYNetworker
internal import HTTPBinNetworker
internal import IDNetworker
internal import MLNetworker
internal import TYNetworker

/// Makes a networker of each channel in the package, in the order of Package.swift.
public let everyNetworker: [@Sendable () -> ChannelNetworker<Never>] = [
    { TYNetworker() }, { DLNetworker() }, { MLNetworker() }, { IDNetworker() }, { HTTPBinNetworker() }, { GIPHYNetworker() },
]

/// The channels of the package, in the order of Package.swift, each at the first of its hosts.
public let everyChannel: [Channel] = everyNetworker.compactMap { $0().networkManager.channel }
