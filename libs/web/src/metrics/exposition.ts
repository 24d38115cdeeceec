export type MetricType = 'counter' | 'gauge' | 'histogram';
export type Labels = Readonly<Record<string, string>>;

/** Counts of what was at most a bound. Plain numbers: observing costs a walk over the bounds. */
export class Histogram {
  /** Of each bound, and last of what was above all. Not cumulative. */
  readonly counts: number[];
  sum = 0;

  /** `bounds` ascending. */
  constructor(readonly bounds: readonly number[]) {
    this.counts = Array.from({ length: bounds.length + 1 }, () => 0);
  }

  observe(value: number): void {
    const { bounds, counts } = this;
    let at = 0;
    while (at < bounds.length && value > (bounds[at] as number)) at += 1;
    counts[at] = (counts[at] as number) + 1;
    this.sum += value;
  }
}

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '"': '\\"' };

const written = (labels: Labels): string => {
  const pairs = Object.entries(labels).map(
    ([name, value]) => `${name}="${value.replaceAll(/[\\\n"]/g, (found) => ESCAPES[found] ?? found)}"`,
  );
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
};

/** Writes metrics in the text format of Prometheus. Samples of a family follow its head. */
export class Exposition {
  private readonly lines: string[] = [];

  family(name: string, type: MetricType, help: string): this {
    this.lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`);
    return this;
  }

  sample(name: string, value: number, labels: Labels = {}): this {
    this.lines.push(`${name}${written(labels)} ${String(value)}`);
    return this;
  }

  /** A family of one sample. */
  single(name: string, type: 'counter' | 'gauge', help: string, value: number): this {
    return this.family(name, type, help).sample(name, value);
  }

  /** The samples of one histogram of a family. */
  histogram(name: string, { bounds, counts, sum }: Histogram, labels: Labels = {}): this {
    let below = 0;
    for (let at = 0; at <= bounds.length; at += 1) {
      below += counts[at] as number;
      const le = at === bounds.length ? '+Inf' : String(bounds[at]);
      this.sample(`${name}_bucket`, below, { ...labels, le });
    }
    return this.sample(`${name}_sum`, sum, labels).sample(`${name}_count`, below, labels);
  }

  text(): string {
    return `${this.lines.join('\n')}\n`;
  }
}
