import Foundation

/// A point on earth, in degrees.
struct GeoPoint: Sendable {
    let latitude: Double
    let longitude: Double

    init(_ latitude: Double, _ longitude: Double) {
        self.latitude = latitude
        self.longitude = longitude
    }

    /// Reads `lat` and `lon`; nil if one is missing, not a number or out of range.
    init?(latitude: String?, longitude: String?) {
        guard let latitude = latitude.flatMap({ Double($0) }), (-90...90).contains(latitude),
            let longitude = longitude.flatMap({ Double($0) }), (-180...180).contains(longitude)
        else { return nil }
        self.init(latitude, longitude)
    }

    /// The distance in whole metres along the surface (haversine, mean radius 6371 km).
    func distance(to other: GeoPoint) -> Int {
        let radians = Double.pi / 180
        let north = sin((other.latitude - latitude) * radians / 2)
        let east = sin((other.longitude - longitude) * radians / 2)
        let chord = north * north + cos(latitude * radians) * cos(other.latitude * radians) * east * east
        return Int((2 * 6_371_000 * asin(min(1, chord.squareRoot()))).rounded())
    }
}
