import { createRequire } from 'node:module';

export interface PrometheusSample {
  readonly labels?: Readonly<Record<string, string>>;
  readonly value?: string;
}

export interface PrometheusFamily {
  readonly name: string;
  /** `COUNTER`, `GAUGE`, `HISTOGRAM`, … */
  readonly type: string;
  /** All histograms of a family are one here. */
  readonly metrics: readonly PrometheusSample[];
}

/** The package has no types. */
const parse = createRequire(__filename)('parse-prometheus-text-format') as (
  text: string,
) => PrometheusFamily[];

/** Families of the text format of Prometheus by name, as a parser that is not ours reads them. */
export const readPrometheus = (text: string): ReadonlyMap<string, PrometheusFamily> =>
  new Map(parse(text).map((family) => [family.name, family]));
