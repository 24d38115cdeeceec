import { scanResponse, type JsonObject, type RequestId, type RpcMessage, type RpcResponse } from '@gw/mcp';
import type { EventParser } from '@gw/outbound';
import type { UpstreamHttpResponse } from '../http/upstream-http';
import { UPSTREAM_BOUNDS } from '../limits';
import { protocolError } from '../upstream-error';
import { decoded, parsedResult, scannedResult, type ReceivedResult } from './received-result';

/** A message of an upstream. */
export interface UpstreamMessage {
  readonly message: RpcMessage;
  /** Result of a success response; null for other messages. */
  readonly result: ReceivedResult | null;
  /** The received bytes of the message. */
  readonly data: Buffer;
}

const { messageBytesMax } = UPSTREAM_BOUNDS;

/**
 * Reads the messages of a successful response (the message of a JSON body, or those of an event
 * stream) until `take` returns true or the response ends. Returns the last result of `take`. Throws
 * `protocol` for other media types and invalid messages, and `too_large`.
 */
export async function readMessages(
  response: UpstreamHttpResponse,
  parser: EventParser,
  take: (message: UpstreamMessage) => boolean,
): Promise<boolean> {
  const type = response.headers.mediaType;
  const isReadable = response.isPlain && (type === 'application/json' || type === 'text/event-stream');
  if (!isReadable) {
    response.body.discard();
    throw protocolError('The response is neither JSON nor an event stream.', { status: response.status });
  }
  if (type === 'application/json') return take(messageOf(await response.body.whole(messageBytesMax)));
  for await (const chunk of response.body)
    for (const event of parser.push(chunk)) {
      if (event.type !== 'message' || !take(messageOf(event.data))) continue;
      // The response ends the stream of its request.
      response.body.expectEnd();
      return true;
    }
  return false;
}

/** Reads one message. Throws `protocol`. */
export function messageOf(data: Buffer): UpstreamMessage {
  const scanned = scanResponse(data);
  const result = scanned === null ? null : scannedResult(scanned);
  if (scanned !== null && result !== null)
    return { message: new LazyResponse(scanned.id, result), result, data };
  const { message, numbers } = decoded(data);
  const isResult = message.kind === 'response' && message.result !== null;
  return {
    message,
    result: isResult ? parsedResult(message.result, numbers, { bytes: data.length }) : null,
    data,
  };
}

/** A success response whose result is parsed when it is read. */
class LazyResponse implements RpcResponse {
  readonly kind = 'response';
  readonly error = null;

  constructor(
    readonly id: RequestId,
    private readonly received: ReceivedResult,
  ) {}

  get result(): JsonObject {
    return this.received.value;
  }
}
