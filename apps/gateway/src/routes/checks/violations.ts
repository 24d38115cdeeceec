import { GatewayError, type ErrorDetail } from '@gw/kernel';

/** Details of one answer; later ones are not reported. */
const DETAILS_MAX = 20;
const SHOWN_CHARACTERS_MAX = 40;

/** Collects what is wrong with a request, so that its sender learns all of it at once. */
export class Violations {
  private readonly details: ErrorDetail[] = [];

  get isFull(): boolean {
    return this.details.length >= DETAILS_MAX;
  }

  /** `path` in dots (`tools.0.type`); `rule` begins with `must`; `shown` tells the value without its content. */
  add(path: string, rule: string, shown: string): void {
    if (!this.isFull) this.details.push({ path, message: `${path} ${rule}; it is ${shown}.` });
  }

  /** Throws `validation_failed` when anything was found. */
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

/** A value as an error may name it: numbers and booleans as they are, texts and structures by their kind alone. */
export function kindOf(value: unknown): string {
  if (value === undefined) return 'missing';
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (typeof value === 'string') return 'a string';
  return Array.isArray(value) ? 'an array' : 'an object';
}

/** For values that come from a list of names and can hold no secret: clipped to 40 characters. */
export const quoted = (value: unknown): string =>
  typeof value !== 'string'
    ? kindOf(value)
    : JSON.stringify(
        value.length > SHOWN_CHARACTERS_MAX ? `${value.slice(0, SHOWN_CHARACTERS_MAX)}…` : value,
      );
