/** Reason why a vendor's service did not return the requested value. */
export type VendorFailure =
  /**
   * The address policy refused the address, or the installation's identity may not be sent there.
   */
  | 'refused'
  /** No response, or the service is temporarily unavailable. */
  | 'unreachable'
  /** The service did not accept the caller's credential or permissions. */
  | 'denied'
  | 'not_found'
  /** An unreadable response, or a value without the required form. */
  | 'invalid';

/**
 * A failed call to a vendor. `message` is public: it names the failed step and contains nothing
 * that was sent or received.
 */
export class VendorError extends Error {
  override readonly name = 'VendorError';
  constructor(
    readonly failure: VendorFailure,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

export interface VendorRequest {
  readonly url: string;
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface VendorResponse {
  readonly status: number;
  readonly text: string;
}

/** Sends one request; every status is a response. @throws VendorError `refused` or `unreachable` */
export type VendorCall = (request: VendorRequest) => Promise<VendorResponse>;

/** Functions that send requests, by the party that chooses the address. */
export interface VendorCalls {
  /** Sends to addresses that a tenant chooses. */
  readonly tenants: VendorCall;
  /** Sends to a vendor's own addresses, or to addresses that the operator configured instead. */
  readonly vendors: VendorCall;
  /**
   * Sends to the machine's identity services, whose addresses are fixed or come from the settings.
   * No tenant may choose them.
   */
  readonly machine: VendorCall;
}

/** Returns the member at a path of a JSON response; undefined if it is missing. */
export function propertyOf(text: string, ...path: readonly string[]): unknown {
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
export function assertOk({ status }: VendorResponse, what: string): void {
  if (status >= 200 && status < 300) return;
  const message = `${what} responded with status ${String(status)}.`;
  if (status === 404) throw new VendorError('not_found', message);
  if (status === 401 || status === 403) throw new VendorError('denied', message);
  throw new VendorError(status >= 500 || status === 429 ? 'unreachable' : 'invalid', message);
}

/** Returns a required text of a response. */
export function textOf(value: unknown, what: string): string {
  if (typeof value === 'string' && value !== '') return value;
  throw new VendorError('invalid', `${what} sent a response without the expected value.`);
}
