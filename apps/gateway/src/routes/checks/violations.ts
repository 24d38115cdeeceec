import { GatewayError, truncated, type ErrorDetail } from '@gw/kernel';

/** Maximum number of details in one response; further ones are not reported. */
const DETAILS_MAX = 20;
const SHOWN_CHARACTERS_MAX = 40;

/** Collects the violations of a request, so that all are reported at once. */
export class Violations {
  private readonly details: ErrorDetail[] = [];

  get isFull(): boolean {
    return this.details.length >= DETAILS_MAX;
  }

  /**
   * Adds a violation. `path` uses dots (`tools.0.type`), `rule` begins with `must`, and `shown`
   * describes the value without its content.
   */
  add(path: string, rule: string, shown: string): void {
    if (!this.isFull) this.details.push({ path, message: `${path} ${rule}; it is ${shown}.` });
  }

  /** Throws `validation_failed` if there is any violation. */
  raise(): void {
    const [first] = this.details;
    if (!first) return;
    throw new GatewayError('validation_failed', {
      message: first.message,
      param: first.path,
      details: this.details,
    });
  }
}

/**
 * Describes a value for an error: numbers and booleans as they are, strings and structures by their
 * type only.
 */
export function kindOf(value: unknown): string {
  if (value === undefined) return 'missing';
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (typeof value === 'string') return 'a string';
  return Array.isArray(value) ? 'an array' : 'an object';
}

/** Quotes a value that comes from a list of names and cannot be a secret; at most 40 characters. */
export const quoted = (value: unknown): string =>
  typeof value !== 'string'
    ? kindOf(value)
    : JSON.stringify(
        value.length > SHOWN_CHARACTERS_MAX ? `${truncated(value, SHOWN_CHARACTERS_MAX)}…` : value,
      );
