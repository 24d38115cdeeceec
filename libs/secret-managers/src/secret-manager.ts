import type { SecretLocation } from '@gw/contracts';

export type SecretFailure =
  /** The address policy said no, or the identity of the installation may not be sent there. */
  | 'refused'
  /** No answer, or one that says the manager can't serve right now. */
  | 'unreachable'
  /** The manager knows the caller not, or lets it not read. */
  | 'denied'
  | 'not_found'
  /** An answer that can't be understood, or a secret without the required form. */
  | 'invalid';

/** `message` is public: it names the manager's part and never what was sent or received. */
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

/** The secret as a whole. @throws SecretError */
export type SecretReader = (location: SecretLocation) => Promise<string>;

export interface ManagerRequest {
  readonly url: string;
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface ManagerAnswer {
  readonly status: number;
  readonly text: string;
}

/** One call. @throws SecretError `refused` or `unreachable`; any status is an answer. */
export type ManagerCall = (request: ManagerRequest) => Promise<ManagerAnswer>;

/** The member at a path of an answer in JSON, undefined where there is none. */
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

/** Throws for an answer that is no success. `what` names the step, such as `AWS Secrets Manager`. */
export function assertAnswered({ status }: ManagerAnswer, what: string): void {
  if (status >= 200 && status < 300) return;
  const reported = `${what} answered with status ${String(status)}.`;
  if (status === 404) throw new SecretError('not_found', reported);
  if (status === 401 || status === 403) throw new SecretError('denied', reported);
  throw new SecretError(status >= 500 || status === 429 ? 'unreachable' : 'invalid', reported);
}

/** A text that an answer must have. */
export function textOf(value: unknown, what: string): string {
  if (typeof value === 'string' && value !== '') return value;
  throw new SecretError('invalid', `${what} sent an answer without what was asked for.`);
}
