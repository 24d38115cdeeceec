import type { GatewayHarness } from '../../spec-support/harness';
import type { Outcome, Scenario } from './scenario';

/** A vendor's own SDK, as its users call it. */
export interface Client {
  /** Name of the row. */
  readonly dialect: string;
  /** Makes the scenario's call of a saved provider. Rejects with the SDK's error. */
  call(scenario: Scenario, to: Destination): Promise<Outcome>;
  /** What the dialect calls a refused request, and a rate limit, in the SDK's error. */
  readonly kinds: { readonly invalid: string; readonly limited: string };
  kindOf(thrown: unknown): string;
  /** Status in the SDK's error when a stream breaks. */
  readonly statusOfCut: number;
}

export interface Destination {
  readonly gateway: GatewayHarness;
  /** Slug of the saved provider. */
  readonly provider: string;
  readonly model: string;
  /** Takes each piece of text of a stream as the SDK reports it. */
  hear(piece: string): void;
}

/** What an SDK's error tells. `status` is 0 when the response had begun. */
export interface Failure {
  readonly status: number;
  readonly message: string;
  readonly kind: string;
}

export function failureOf(thrown: unknown, client: Client): Failure {
  if (!(thrown instanceof Error)) throw new Error(`No error: ${String(thrown)}`);
  const { status } = thrown as { status?: unknown };
  return {
    status: typeof status === 'number' ? status : 0,
    message: thrown.message,
    kind: client.kindOf(thrown),
  };
}
