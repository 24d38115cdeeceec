import { GatewayError, jsonSize, type JsonSize } from '@gw/kernel';

/** Texts of a document, and the copy that it is parsed from, for each byte of it. */
const PER_BYTE = 3;
/** An empty object with its place in a list; a list takes less. */
const PER_CONTAINER = 64;
/** A number in a list. */
const PER_COMMA = 8;
/** What a shorter body may take besides is little, and is not counted. */
const COUNTED_FROM = 16_384;

interface Bounds {
  /** Members of all objects. */
  readonly members: number;
  /** Members of one object: an object of so many names is a table of hashes, which takes some microseconds for each. */
  readonly membersOfOne: number;
  /** Objects and lists, in each other or next to each other. */
  readonly containers: number;
  /** Objects, lists and values behind a comma. */
  readonly values: number;
  /** Numbers of more than 25 characters, each of which takes as long as ten others. */
  readonly longNumbers: number;
}

/** What a request's body that is read whole may have: it is parsed, searched and written in one turn of the event loop. */
export const READ_WHOLE = {
  members: 100_000,
  membersOfOne: 20_000,
  containers: 200_000,
  values: 400_000,
  longNumbers: 10_000,
};
/** What a provider's answer may have. It is parsed alone, and embeddings are lists of many numbers. */
export const RESPONSE_READ_WHOLE = { ...READ_WHOLE, values: 2_000_000 };
/** What an answer may have whose numbers are kept as they were written. */
export const RESPONSE_READ_EXACTLY = { ...READ_WHOLE, members: 50_000, values: 100_000 };

/**
 * Bytes that a JSON body takes once it is parsed, at the most: one of empty objects takes twenty times its length. Throws
 * `body_too_large` for a body of more members and items than can be read in one turn.
 */
export function parsedBytes(body: Buffer): number {
  if (body.length < COUNTED_FROM) return PER_BYTE * body.length;
  const size = sizeWithin(body, READ_WHOLE);
  const bound = exceeded(size, READ_WHOLE);
  if (bound !== null) throw requestTooLarge(bound);
  return PER_BYTE * body.length + PER_CONTAINER * size.containers + PER_COMMA * size.commas;
}

/** Throws `body_too_large`, as `parsedBytes` does. */
export function assertReadableWhole(body: Buffer): void {
  const bound = exceededBy(body, READ_WHOLE);
  if (bound !== null) throw requestTooLarge(bound);
}

/** Throws `provider_answer_invalid` for an answer of more than can be read in one turn. */
export function assertResponseReadable(body: Buffer, bounds: Bounds): void {
  const bound = exceededBy(body, bounds);
  if (bound === null) return;
  throw new GatewayError('provider_answer_invalid', {
    message: `The provider's answer has more than ${bound}, and this request needs it read whole.`,
  });
}

/** An answer of this provider could not be read; says why where `assertAnswerReadable` does. */
export function unreadableResponse(provider: string, cause: unknown): GatewayError {
  const hasReason = cause instanceof GatewayError && cause.type === 'provider_answer_invalid';
  return new GatewayError('provider_answer_invalid', {
    ...(hasReason ? { message: cause.message } : {}),
    extra: { provider },
    cause,
  });
}

/** What a document has more of than it may, in words; null: nothing. */
export const exceededBy = (body: Buffer, bounds: Bounds): string | null =>
  body.length < COUNTED_FROM ? null : exceeded(sizeWithin(body, bounds), bounds);

/** Counts no further than to what is too much. */
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

/** A body that rules cannot be applied to must be refused, and not pass as one without fields. */
export const isTooLarge = (error: unknown): boolean =>
  error instanceof GatewayError && error.type === 'body_too_large';
