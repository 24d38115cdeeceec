import {
  exactNumbers,
  GatewayError,
  jsonSize,
  memberCount,
  type ExactNumbers,
  type JsonSize,
} from '@gw/kernel';
import { isUtf8 } from 'node:buffer';
import { badRequest, CODES, McpFault } from '../fault';
import { MCP_LIMITS } from '../protocol';
import { readMessage, type RpcMessage } from './message';

export interface DecodedBody {
  /** One message, or the 1 to 20 messages of a batch. */
  readonly messages: readonly [RpcMessage, ...RpcMessage[]];
  readonly isBatch: boolean;
  /**
   * Numbers that `JSON.stringify` would change; serialise the message with `withExactNumbers` of
   * the kernel. Null if there are none.
   */
  readonly numbers: ExactNumbers | null;
}

const { bodyBytesMax, upstreamBytesMax, depthMax, membersMax, batchMax } = MCP_LIMITS;

/** Maximum depth of a message; the message and its `params` count as levels. */
const LEVELS_MAX = depthMax + 2;
const isTooLarge = ({ depth, membersOfOne }: JsonSize): boolean =>
  depth > LEVELS_MAX || membersOfOne > membersMax;

/**
 * Decodes the body of a POST: at most 4 MiB of UTF-8, 64 levels in a member of `params` and 10,000
 * members in one object. Refuses duplicate members anywhere, because another parser may use the
 * first of them, and numbers that a double cannot represent. Takes linear time.
 *
 * Throws a fault with status 413, or 400 with -32700, -32600 or -32602.
 */
export function decodeBody(body: Buffer): DecodedBody {
  if (body.length > bodyBytesMax)
    throw new McpFault(CODES.invalidRequest, `The body is larger than ${String(bodyBytesMax)} bytes.`, {
      status: 413,
    });
  const { value, numbers } = parseBounded(body);
  if (!Array.isArray(value)) return { messages: [readMessage(value)], isBatch: false, numbers };
  if (value.length > batchMax)
    throw badRequest(CODES.invalidRequest, `A batch has at most ${String(batchMax)} messages.`);
  const [first, ...more] = value.map(readMessage);
  if (first === undefined) throw badRequest(CODES.invalidRequest, 'A batch must not be empty.');
  return { messages: [first, ...more], isBatch: true, numbers };
}

/**
 * Decodes one message of an upstream: at most 8 MiB, otherwise with the bounds of `decodeBody`.
 * Throws an error that describes the problem; callers must not forward its text to clients
 * unchecked.
 */
export function decodeUpstream(body: Buffer): {
  readonly message: RpcMessage;
  readonly numbers: ExactNumbers | null;
} {
  if (body.length > upstreamBytesMax)
    throw badRequest(CODES.invalidRequest, 'The message of the upstream is too large.');
  const { value, numbers } = parseBounded(body);
  return { message: readMessage(value), numbers };
}

/** Returns whether a message of an upstream is within the bounds of `decodeUpstream`. */
export const isWithinBounds = (body: Buffer): boolean =>
  body.length <= upstreamBytesMax && !isTooLarge(jsonSize(body, isTooLarge));

function parseBounded(body: Buffer): { readonly value: unknown; readonly numbers: ExactNumbers | null } {
  const size = jsonSize(body, isTooLarge);
  if (isTooLarge(size))
    throw badRequest(
      CODES.invalidRequest,
      `The body has more than ${String(LEVELS_MAX)} levels or more than ${String(membersMax)} members in one object.`,
    );
  const value = parsed(body);
  if (memberCount(value) !== size.members)
    throw badRequest(CODES.invalidRequest, 'An object of the body has two members of one name.');
  return { value, numbers: size.mayLoseDigits ? numbersOf(body) : null };
}

function parsed(body: Buffer): unknown {
  try {
    if (isUtf8(body)) return JSON.parse(body.toString('utf8')) as unknown;
  } catch {
    // A syntax error is refused below.
  }
  throw badRequest(CODES.parse, 'The body is not JSON in UTF-8.');
}

/**
 * Returns the numbers that `JSON.stringify` would change. Throws for numbers that a double cannot
 * represent, and for different numbers that map to one double.
 */
function numbersOf(body: Buffer): ExactNumbers | null {
  try {
    const numbers = exactNumbers(body);
    if (numbers === null || (!numbers.has(Infinity) && !numbers.has(-Infinity))) return numbers;
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
  }
  throw badRequest(
    CODES.invalidRequest,
    'A number of the body is outside the range or precision of a double.',
  );
}
