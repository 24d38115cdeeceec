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
   * Numbers that change when the message is written again: write with `withExactNumbers` of the
   * kernel.
   */
  readonly numbers: ExactNumbers | null;
}

const { bodyBytesMax, upstreamBytesMax, depthMax, membersMax, batchMax } = MCP_LIMITS;

/** The message and its `params` are levels too. */
const LEVELS_MAX = depthMax + 2;
const isTooLarge = ({ depth, membersOfOne }: JsonSize): boolean =>
  depth > LEVELS_MAX || membersOfOne > membersMax;

/**
 * Decodes the body of a POST: at most 4 MiB of UTF-8, 64 levels in a member of `params` and
 * 10,000 members in one object. Refuses duplicate members anywhere, since another parser may take
 * the first of them, and numbers that no double holds. Linear in time.
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
 * Decodes one message of an upstream: at most 8 MiB, otherwise bounded as `decodeBody`. Throws an
 * error that names what is wrong; nothing of it may reach a client unchecked.
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

/** Whether a message of an upstream is as small as `decodeUpstream` needs it. */
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
    // Refused below.
  }
  throw badRequest(CODES.parse, 'The body is not JSON in UTF-8.');
}

/** Throws for numbers that no double holds, or that are two of one double. */
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
