import type { GatewayHarness } from '../../spec-support/harness';
import type { Outcome, Scenario } from './scenario';

/** A vendor's own SDK, as its users call it. */
export interface Client {
  /** Name of the row. */
  readonly dialect: string;
  /** Makes the scenario's call of a saved provider. Rejects with the SDK's error. */
  call(scenario: Scenario, to: Destination): Promise<Outcome>;
}

export interface Destination {
  readonly gateway: GatewayHarness;
  /** Slug of the saved provider. */
  readonly provider: string;
  readonly model: string;
}

/** What an SDK's error tells, by the status; 0 when the connection broke. */
export interface Failure {
  readonly status: number;
  readonly message: string;
}

export function failureOf(thrown: unknown): Failure {
  const { status, message } = thrown as { status?: unknown; message?: unknown };
  return { status: typeof status === 'number' ? status : 0, message: String(message) };
}
