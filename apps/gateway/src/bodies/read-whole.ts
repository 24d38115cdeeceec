import { GatewayError, jsonSize, type JsonSize } from '@gw/kernel';

/**
 * Bytes of memory for each byte of a document: its strings, and the text from which it is parsed.
 */
const PER_BYTE = 3;
/** Bytes of memory for an empty object with its place in a list; an empty list takes less. */
const PER_CONTAINER = 64;
/** Bytes of memory for a number in a list. */
const PER_COMMA = 8;
/** Minimum bytes of a body whose extra memory is counted; that of a shorter one is small. */
const COUNTED_BYTES_MIN = 16_384;

interface Bounds {
  /** Maximum number of members of all objects together. */
  readonly members: number;
  /**
   * Maximum number of members of one object. V8 stores an object of so many names as a hash table,
   * at some microseconds a member.
   */
  readonly membersOfOne: number;
  /** Maximum number of objects and lists, nested or not. */
  readonly containers: number;
  /** Maximum number of objects, lists and values that follow a comma. */
  readonly values: number;
  /**
   * Maximum number of numbers with more than 25 characters, each of which takes as long to parse as
   * ten others.
   */
  readonly longNumbers: number;
}

/**
 * Bounds of a request body that is read whole: it is parsed, searched and serialised in one turn of
 * the event loop.
 */
export const READ_WHOLE = {
  members: 100_000,
  membersOfOne: 20_000,
  containers: 200_000,
  values: 400_000,
  longNumbers: 10_000,
};
/**
 * Bounds of a provider's response that is read whole. A response is only parsed, and embeddings are
 * long lists of numbers.
 */
export const RESPONSE_READ_WHOLE = { ...READ_WHOLE, values: 2_000_000 };
/** Bounds of a response whose numbers keep their spelling. */
export const RESPONSE_READ_EXACTLY = { ...READ_WHOLE, members: 50_000, values: 100_000 };

/**
 * Returns an upper bound of the bytes of memory that a JSON body needs once parsed; a body of empty
 * objects needs twenty times its length. Throws `body_too_large` when the body exceeds
 * `READ_WHOLE`.
 */
export function parsedBytes(body: Buffer): number {
  if (body.length < COUNTED_BYTES_MIN) return PER_BYTE * body.length;
  const size = sizeWithin(body, READ_WHOLE);
  const bound = exceeded(size, READ_WHOLE);
  if (bound !== null) throw requestTooLarge(bound);
  return PER_BYTE * body.length + PER_CONTAINER * size.containers + PER_COMMA * size.commas;
}

/** Throws `body_too_large` when the body exceeds `READ_WHOLE`. */
export function assertReadableWhole(body: Buffer): void {
  const bound = exceededBy(body, READ_WHOLE);
  if (bound !== null) throw requestTooLarge(bound);
}

/** Throws `provider_answer_invalid` when the response exceeds `bounds`. */
export function assertResponseReadable(body: Buffer, bounds: Bounds): void {
  const bound = exceededBy(body, bounds);
  if (bound === null) return;
  throw new GatewayError('provider_answer_invalid', {
    message: `The provider's response has more than ${bound}, and this request needs it read whole.`,
  });
}

/**
 * Returns the error for a provider's response that could not be read, with the reason of
 * `assertResponseReadable`. A `validation_failed` error, which blames the request, is returned
 * unchanged.
 */
export function unreadableResponse(provider: string, cause: unknown): GatewayError {
  if (cause instanceof GatewayError && cause.type === 'validation_failed') return cause;
  const hasReason = cause instanceof GatewayError && cause.type === 'provider_answer_invalid';
  return new GatewayError('provider_answer_invalid', {
    ...(hasReason ? { message: cause.message } : {}),
    extra: { provider },
    cause,
  });
}

/** Returns the first bound that a document exceeds, in words; null when it exceeds none. */
export const exceededBy = (body: Buffer, bounds: Bounds): string | null =>
  body.length < COUNTED_BYTES_MIN ? null : exceeded(sizeWithin(body, bounds), bounds);

/** Counts the parts of a document, and stops as soon as a bound is exceeded. */
const sizeWithin = (body: Buffer, bounds: Bounds): JsonSize =>
  jsonSize(body, (size) => exceeded(size, bounds) !== null);

function exceeded(size: JsonSize, bounds: Bounds): string | null {
  const { members, membersOfOne, containers, commas, longNumbers } = size;
  if (members > bounds.members) return `${String(bounds.members)} members`;
  if (membersOfOne > bounds.membersOfOne) return `${String(bounds.membersOfOne)} members in one object`;
  if (containers > bounds.containers) return `${String(bounds.containers)} objects and lists`;
  if (containers + commas > bounds.values) return `${String(bounds.values)} values`;
  if (longNumbers > bounds.longNumbers)
    return `${String(bounds.longNumbers)} numbers of more than 25 characters`;
  return null;
}

const requestTooLarge = (bound: string): GatewayError =>
  new GatewayError('body_too_large', {
    message:
      `The request body has more than ${bound}, and this request needs it read whole (for the checks of its route, a ` +
      'translation, parameter rules, conditions, guardrails, a cache, or limits of cost and tokens); send a smaller body, or ' +
      'call a route and a config that need none of these.',
  });

/**
 * Whether an error reports a body that is too large to parse. Such a body must be refused, not
 * treated as a body without fields.
 */
export const isTooLarge = (error: unknown): boolean =>
  error instanceof GatewayError && error.type === 'body_too_large';
