# For Scripts/api, Scripts/docs and Scripts/lint, which source it: the modules, and how their symbols are read.

# manifest PYTHON [ARGUMENT]: runs a program with the dumped Package.swift in `package`.
manifest() {
    swift package dump-package | python3 -c "import json, sys; package = json.load(sys.stdin)
$1" "${@:2}"
}

# The library products. The networkers and interactors of the channels are products, too, but examples: a team has its own, and
# would find the models of six backends in every search of the site. NetworkerKitModels is left out with them: it has models that
# the examples share. NetworkerKitDemo is left out as well: it has the subcommands of this repository's own command, and the list
# of its channels: two constants that only Tools/Networker reads.
modules=($(manifest 'for product in package["products"]:
    name = product["name"]
    if name.startswith("CoreAPI") or name == "NetworkerCommand": print(name)'))

# The modules that CoreAPI re-exports; users never name them.
behind=$(sed -n 's/^@_exported public import \(CoreAPI.*\)/\1/p' CoreAPI/Umbrella/CoreAPI.swift \
    | grep -v URLSession | sort | paste -sd , -)

# linked_modules TARGET: the package's targets that a dependent of a target links, with it, on this system.
linked_modules() {
    manifest 'def needs(name):
    for dependency in targets[name]["dependencies"]:
        kind, condition = next((value[0], value[-1]) for value in dependency.values())
        if kind in targets and (condition or {}).get("platformNames") != ["ios"]: yield kind
targets = {target["name"]: target for target in package["targets"]}
found, open_ = set(), [sys.argv[1]]
while open_:
    name = open_.pop()
    if name not in found: found.add(name); open_ += needs(name)
print("\n".join(sorted(found)))' "$1"
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
