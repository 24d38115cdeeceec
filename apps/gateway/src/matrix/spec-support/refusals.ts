import type { Scenario } from './scenario';

interface Refusal {
  readonly provider: string;
  readonly scenario: Scenario;
  /** Type of the error. */
  readonly type: string;
}

/** Scenarios that a provider's dialect cannot express, for clients of all dialects. */
const REFUSALS: readonly Refusal[] = [
  { provider: 'cohere-v2', scenario: 'pdf', type: 'unsupported_by_provider' },
  { provider: 'ollama', scenario: 'pdf', type: 'unsupported_by_provider' },
];

/** The type of the 400 that is intended for a cell; null when the call must succeed. */
export const refusalOf = (provider: string, scenario: Scenario): string | null =>
  REFUSALS.find((refusal) => refusal.provider === provider && refusal.scenario === scenario)?.type ?? null;
