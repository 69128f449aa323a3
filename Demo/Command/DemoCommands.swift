public import ArgumentParser

/// The subcommands for a look at the kit: `demo`, and `sandbox`.
public let demoCommands: [any ParsableCommand.Type] = [DemoCommand.self, SandboxCommand.self]
