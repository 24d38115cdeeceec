import { createRequire } from 'node:module';

export interface PrometheusSample {
  readonly labels?: Readonly<Record<string, string>>;
  readonly value?: string;
}

export interface PrometheusFamily {
  readonly name: string;
  /** `COUNTER`, `GAUGE`, `HISTOGRAM`, … */
  readonly type: string;
  /** Samples of the family; all histograms of a family are merged. */
  readonly metrics: readonly PrometheusSample[];
}

/** The package has no types. */
const parse = createRequire(__filename)('parse-prometheus-text-format') as (
  text: string,
) => PrometheusFamily[];

/**
 * Parses the text format of Prometheus with an independent parser; returns the families by name.
 */
export const readPrometheus = (text: string): ReadonlyMap<string, PrometheusFamily> =>
  new Map(parse(text).map((family) => [family.name, family]));
