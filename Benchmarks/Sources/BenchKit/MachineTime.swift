// What the machine did beside the measurement: figures that were taken while others used the CPU are not to be believed, and
// nothing in them tells so. From Linux's /proc/stat, in ticks of all CPUs together.

/// The machine's CPU time so far.
package struct MachineTime: Sendable, Equatable {
    /// Time in which a CPU worked for a process.
    package var busy: Double
    /// Time of interrupts, which no process is charged with: the network's part of what is measured is among it.
    package var interrupts: Double
    /// Time in which there was nothing to do.
    package var idle: Double
    /// Time that a hypervisor gave to other machines.
    package var stolen: Double

    /// Reads the text of /proc/stat; nil when it has no line for all CPUs.
    package init?(stat text: String) {
        guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix("cpu ") }) else { return nil }
        // user nice system idle iowait irq softirq steal; what follows is counted in user already.
        let fields = line.split(separator: " ").dropFirst().prefix(8).compactMap { Double($0) }
        guard fields.count == 8 else { return nil }
        idle = fields[3] + fields[4]
        interrupts = fields[5] + fields[6]
        stolen = fields[7]
        busy = fields[0] + fields[1] + fields[2]
    }

    private var total: Double { busy + idle + interrupts + stolen }

    /// Says how much of the CPU since `start` went to others.
    ///
    /// - Parameter own: what the measurement itself took, in ticks.
    package func account(since start: MachineTime, own: Double) -> String {
        let all = total - start.total
        guard all > 0 else { return "" }
        let others = max(0, busy - start.busy - own) / all * 100
        let stolen = (stolen - start.stolen) / all * 100
        let sentence =
            "Meanwhile \(Text.fixed(others, 0)) % of the CPU went to other processes, "
            + "\(Text.fixed(stolen, 0)) % to other machines on the same host."
        return others + stolen < 10 ? sentence : sentence + " That is a lot: do not rely on these figures."
    }
}
