import DemoCommand
import EveryChannel
import NetworkerCommand

@main enum Program {
    static func main() async {
        await NetworkerCommand.main(channels: everyChannel, subcommands: demoCommands)
    }
}
