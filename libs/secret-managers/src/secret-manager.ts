import type { SecretLocation } from '@gw/contracts';

export type SecretFailure =
  /**
   * Why a secret could not be read. `refused`: the address policy refused the address, or the
   * installation's identity may not be sent there.
   */
  | 'refused'
  /** `unreachable`: no response, or the manager is temporarily unavailable. */
  | 'unreachable'
  /** `denied`: the manager does not know the caller or does not let it read. */
  | 'denied'
  | 'not_found'
  /** `invalid`: an unreadable response, or a secret without the required form. */
  | 'invalid';

/** `message` is public: it names the failed step and contains nothing that was sent or received. */
export class SecretError extends Error {
  override readonly name = 'SecretError';
  constructor(
    readonly failure: SecretFailure,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** Reads the whole secret. @throws SecretError */
export type SecretReader = (location: SecretLocation) => Promise<string>;

export interface ManagerRequest {
  readonly url: string;
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface ManagerResponse {
  readonly status: number;
  readonly text: string;
}

/** Makes one call; every status is a response. @throws SecretError `refused` or `unreachable` */
export type ManagerCall = (request: ManagerRequest) => Promise<ManagerResponse>;

/** Returns the member at a path of a JSON response; undefined if it is missing. */
export function memberOf(text: string, ...path: readonly string[]): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  for (const name of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Readonly<Record<string, unknown>>)[name];
  }
  return value;
}

/** Throws for an unsuccessful response. `what` names the step, such as `AWS Secrets Manager`. */
export function assertOk({ status }: ManagerResponse, what: string): void {
  if (status >= 200 && status < 300) return;
  const reported = `${what} answered with status ${String(status)}.`;
  if (status === 404) throw new SecretError('not_found', reported);
  if (status === 401 || status === 403) throw new SecretError('denied', reported);
  throw new SecretError(status >= 500 || status === 429 ? 'unreachable' : 'invalid', reported);
}

/** Returns a required text of a response. */
export function textOf(value: unknown, what: string): string {
  if (typeof value === 'string' && value !== '') return value;
  throw new SecretError('invalid', `${what} sent an answer without what was asked for.`);
}
