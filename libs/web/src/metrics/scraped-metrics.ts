import { Counter, Gauge, type Histogram as PromHistogram, type Registry } from 'prom-client';
import type { Histogram } from './histogram';

export type Labels = Readonly<Record<string, string>>;
export type Samples<V = number> = Iterable<readonly [labels: Labels, value: V]>;

/**
 * Registers metrics whose values are plain fields of other objects, read at each scrape. Counting
 * an event then costs one addition and no look-up by labels.
 */
export class ScrapedMetrics {
  constructor(private readonly registry: Registry) {}

  counter(name: string, help: string, read: () => number): void {
    this.counters(name, help, [], () => [[{}, read()]]);
  }

  counters(name: string, help: string, labelNames: readonly string[], read: () => Samples): void {
    new Counter({
      ...{ name, help, labelNames, registers: [this.registry] },
      collect() {
        this.reset();
        for (const [labels, value] of read()) this.inc(labels, value);
      },
    });
  }

  gauge(name: string, help: string, read: () => number | Promise<number>): void {
    new Gauge({
      ...{ name, help, registers: [this.registry] },
      async collect() {
        this.set(await read());
      },
    });
  }

  /**
   * Registers an object with the part of a prom-client histogram that the registry reads. A real
   * one accepts only single observations, not counts.
   */
  histograms(name: string, help: string, read: () => Samples<Histogram>): void {
    const get = () => {
      const values = Array.from(read(), ([labels, counts]) => samplesOf(name, labels, counts)).flat();
      return Promise.resolve({ name, help, type: 'histogram', aggregator: 'sum', values });
    };
    this.registry.registerMetric({ name, get } as unknown as PromHistogram);
  }
}

function samplesOf(name: string, labels: Labels, { bounds, counts, sum }: Histogram): object[] {
  let count = 0;
  const buckets = counts.map((more, at) => {
    count += more;
    const le = at === bounds.length ? '+Inf' : String(bounds[at]);
    return { metricName: `${name}_bucket`, labels: { ...labels, le }, value: count };
  });
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: count },
  ];
}
