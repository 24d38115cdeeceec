import type { ExactNumbers } from '@gw/kernel';
import { decodeUpstream, McpFault, type RpcMessage } from '@gw/mcp';
import type { EventParser } from '../http/event-parser';
import type { UpstreamHttpResponse } from '../http/upstream-http';
import { UPSTREAM_BOUNDS } from '../limits';
import { protocolError } from '../upstream-error';

/** A message of an upstream. */
export interface UpstreamMessage {
  readonly message: RpcMessage;
  /** Numbers that change when the message is written again: write with `withExactNumbers` of the kernel. */
  readonly numbers: ExactNumbers | null;
  /** Size as it was received. */
  readonly bytes: number;
}

const { messageBytesMax } = UPSTREAM_BOUNDS;

/**
 * The messages of a successful response: the one of a JSON body, or those of an event stream until it
 * ends. Throws `protocol` for other types and for what is no message, and `too_large`.
 */
export async function* messagesOf(
  response: UpstreamHttpResponse,
  parser: EventParser,
): AsyncGenerator<UpstreamMessage, void> {
  const type = mediaTypeOf(response);
  const encoding = response.headers.get('content-encoding') ?? 'identity';
  const isReadable = encoding === 'identity' && (type === 'application/json' || type === 'text/event-stream');
  if (!isReadable) {
    response.body.discard();
    throw protocolError('The response is neither JSON nor an event stream.', { status: response.status });
  }
  if (type === 'application/json') yield messageOf(await response.body.whole(messageBytesMax));
  else
    for await (const chunk of response.body)
      for (const event of parser.push(chunk)) {
        if (event.type !== 'message') continue;
        const message = messageOf(event.data);
        // The response ends the stream of its request.
        if (message.message.kind === 'response') response.body.expectEnd();
        yield message;
      }
}

/** Media type of a response, in lower case and without parameters. */
export const mediaTypeOf = ({ headers }: UpstreamHttpResponse): string =>
  (headers.get('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';

/** Reads one message. Throws `protocol`. */
export function messageOf(data: Buffer): UpstreamMessage {
  try {
    return { ...decodeUpstream(data), bytes: data.length };
  } catch (error) {
    if (!(error instanceof McpFault)) throw error;
    throw protocolError('The upstream sent a message that is not valid.', { cause: error });
  }
}
