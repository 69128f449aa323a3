# For Scripts/api, Scripts/docs and Scripts/lint, which source it: the modules, and how their symbols are read.

# The library products. The networkers and interactors of the channels are products, too, but examples: a team has its own, and
# would find the models of six backends in every search of the site. NetworkerKitModels is left out with them: it has models that
# the examples share. NetworkerKitDemo is left out as well: it has the subcommands of this repository's own command, and the list
# of its channels: two constants that only Tools/Networker reads.
modules=(
    CoreAPI CoreAPIJSON CoreAPIReactive CoreAPITesting CoreAPITransfers CoreAPIURLSession
    CoreAPIWebSocket CoreAPIXML NetworkerCommand
)

# The modules that CoreAPI re-exports; users never name them.
behind=$(sed -n 's/^@_exported public import \(CoreAPI.*\)/\1/p' CoreAPI/Umbrella/CoreAPI.swift CoreAPI/Core/Exports.swift \
    | grep -v URLSession | sort | paste -sd , -)

# linked_modules TARGET: the package's targets that a dependent of a target links, with it, on this system.
linked_modules() {
    swift package dump-package | jq -r --arg target "$1" '
        [.targets[] | {(.name): [.dependencies[] | .byName // .target | select(. and (.[1].platformNames != ["ios"])) | .[0]]}]
        | add as $needs | def walk($name): $name, ($needs[$name] // [] | .[] | walk(.)); [walk($target)] | unique | .[]'
}

# Otherwise SwiftPM passes the traits in a random order, and may compile everything anew.
export SWIFT_DETERMINISTIC_HASHING=1

# Builds what the symbols are read from.
#
# XMLCoder first: it imports OpenCombine, if it is there, without declaring it, and then fails. After any other build this takes
# two seconds. CoreAPIURLSession last: CoreAPI depends on it only on iOS, so a plain build on Linux leaves it out.
build_symbols() {
    swift build --target XMLCoder
    swift build
    swift build --target CoreAPIURLSession
    built=$(swift build --show-bin-path)
    target=$(swiftc -print-target-info | sed -n 's/.*"unversionedTriple": "\(.*\)".*/\1/p')
    # The C modules of the package and its dependencies. The package manager writes maps for modules without one.
    maps=()
    while IFS= read -r map; do maps+=(-Xcc "-fmodule-map-file=$map"); done < <(
        find CoreAPI .build/checkouts/*/Sources "$built" -name module.modulemap -not -path "$built/*-tool.build/*" \
            -not -path "$built/*.build/include/*" | sort)
}

# read_symbols MODULE FOLDER [FLAG…]: writes the symbol graphs of a module into the folder. Prints only what went wrong.
read_symbols() {
    local module=$1 folder=$2 said exported=()
    # Other modules may re-export CoreAPI's symbols, which are documented there.
    [[ $module != CoreAPI ]] || exported=("-experimental-allowed-reexported-modules=$behind")
    mkdir -p "$folder"
    said=$(swift symbolgraph-extract -module-name "$module" -I "$built/Modules" "${maps[@]}" -target "$target" \
        -minimum-access-level public ${exported[@]+"${exported[@]}"} "${@:3}" -output-dir "$folder" 2>&1) || {
        printf '%s\nthe symbols of %s cannot be read\n' "$said" "$module" >&2
        return 1
    }
}
