package import HTTPTypes

extension HTTPFields {
    /// The fields without those whose name is unwanted, in order.
    package func without(_ isUnwanted: (HTTPField.Name) -> Bool) -> HTTPFields {
        guard contains(where: { isUnwanted($0.name) }) else { return self }
        var kept = HTTPFields()
        for field in self where !isUnwanted(field.name) { kept.append(field) }
        return kept
    }
}
