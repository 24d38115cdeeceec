import { GatewayError } from '@gw/kernel';
import { jsonSize, type JsonSize } from '@gw/providers';

/** Texts of a document, and the copy that it is parsed from, for each byte of it. */
const PER_BYTE = 3;
/** An empty object with its place in a list; a list takes less. */
const PER_CONTAINER = 64;
/** A number in a list. */
const PER_COMMA = 8;
/** What a shorter body may take besides is little, and is not counted. */
const COUNTED_FROM = 16_384;

/** What a body that is read whole may have: it is parsed, searched and written in one turn of the event loop. */
export const READ_WHOLE = {
  /** Members of all objects. */
  members: 200_000,
  /** Members of one object: an object of so many names is a table of hashes, which takes some microseconds for each. */
  membersOfOne: 20_000,
  /** Objects, lists and what stands behind a comma. */
  values: 1_000_000,
} as const;

/**
 * Bytes that a JSON body takes once it is parsed, at the most: one of empty objects takes twenty times its length. Throws
 * `body_too_large` for a body of more members and items than can be read in one turn.
 */
export function parsedBytes(body: Buffer): number {
  if (body.length < COUNTED_FROM) return PER_BYTE * body.length;
  const size = jsonSize(body);
  assertReadable(size);
  return PER_BYTE * body.length + PER_CONTAINER * size.containers + PER_COMMA * size.commas;
}

/** Throws `body_too_large`, as `parsedBytes` does. */
export function assertReadableWhole(body: Buffer): void {
  if (body.length >= COUNTED_FROM) assertReadable(jsonSize(body));
}

function assertReadable({ members, membersOfOne, containers, commas }: JsonSize): void {
  if (members > READ_WHOLE.members) throw tooMany(`${String(READ_WHOLE.members)} members`);
  if (membersOfOne > READ_WHOLE.membersOfOne)
    throw tooMany(`${String(READ_WHOLE.membersOfOne)} members in one object`);
  if (containers + commas > READ_WHOLE.values) throw tooMany(`${String(READ_WHOLE.values)} values`);
}

const tooMany = (bound: string): GatewayError =>
  new GatewayError('body_too_large', {
    message:
      `The request body has more than ${bound}, and this request needs it read whole (for the checks of its route, a ` +
      'translation, parameter rules, conditions, guardrails, a cache, or limits of cost and tokens); send a smaller body, or ' +
      'call a route and a config that need none of these.',
  });

/** A body that rules cannot be applied to must be refused, and not pass as one without fields. */
export const isTooLarge = (error: unknown): boolean =>
  error instanceof GatewayError && error.type === 'body_too_large';
