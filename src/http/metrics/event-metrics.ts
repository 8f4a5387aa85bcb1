import { Counter, Gauge, type Registry } from "prom-client";
import type { QueueState } from "../../events/log/event-log.ts";

/** Events that wait to be stored, and those that were dropped. */
export function watchEvents(registers: Registry[], queue: () => QueueState): void {
  const gauges: [name: string, help: string, of: (state: QueueState) => number][] = [
    ["anp_events_waiting", "Events that wait to be stored", ({ events }) => events],
    ["anp_events_waiting_bytes", "Size as JSON of the events that wait to be stored", ({ bytes }) => bytes],
    ["anp_events_lag_seconds", "How long the oldest waiting event has waited", ({ oldest_ms }) => oldest_ms / 1000],
  ];
  for (const [name, help, of] of gauges) {
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(of(queue()));
      },
    });
  }
  new Counter({
    name: "anp_events_dropped_total",
    help: "Events that were accepted and not stored",
    registers,
    collect() {
      this.reset();
      this.inc(queue().dropped);
    },
  });
}
