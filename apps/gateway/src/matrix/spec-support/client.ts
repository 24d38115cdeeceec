import type { GatewayHarness } from '../../spec-support/harness';
import type { Outcome, Scenario } from './scenario';

/** A vendor's own SDK, as its users call it. */
export interface Client {
  /** Name of the matrix row. */
  readonly dialect: string;
  /** Sends the scenario's request to a saved provider. Rejects with the SDK's error. */
  call(scenario: Scenario, to: Destination): Promise<Outcome>;
  /**
   * The dialect's names of a refused request and of a rate limit in the SDK's error; see `kindOf`.
   */
  readonly kinds: { readonly invalid: string; readonly limited: string };
  /** Returns the dialect's name of an error. */
  kindOf(thrown: unknown): string;
  /** Status in the SDK's error when a stream breaks. */
  readonly statusOfCut: number;
}

export interface Destination {
  readonly gateway: GatewayHarness;
  /** Slug of the saved provider. */
  readonly provider: string;
  readonly model: string;
  /** Receives each piece of a stream's text as the SDK reports it. */
  receive(piece: string): void;
}

/** The facts of an SDK's error. `status` is 0 when the response had begun. */
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
