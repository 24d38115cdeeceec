import { randomHex, type Keyring } from '@gw/kernel';
import { MCP_LIMITS, openToken, sealToken, type SessionOwner } from '@gw/mcp';
import type { RequestContext } from '../../core/request-context';
import type { Endpoint } from '../endpoint';
import type { ReplicaLink } from '../replicas/replica-link';
import { ownerOf } from '../session-names';

const PREFIX = 'gwe1.';

/** The POST that brought a message to this gateway, and its caller's view of the address. */
export interface ReceivedPost {
  readonly context: RequestContext;
  readonly endpoint: Endpoint;
}

/**
 * Handles a message that the client of a stream posted. `from` is null when the message arrived at
 * another gateway.
 */
export type HandlePosted = (body: Buffer, from: ReceivedPost | null) => void;

interface OpenStream {
  readonly owner: string;
  readonly take: HandlePosted;
}

const ownerName = ({ principal, serverId }: SessionOwner): string => `mcp/sse/${serverId}/${principal}`;

/**
 * Streams of clients of the HTTP+SSE transport. The id of a session is sealed for its caller and
 * address, and contains the gateway of the stream: a message may arrive at any gateway, which
 * passes it on.
 */
export class SseSessions {
  private readonly streams = new Map<string, OpenStream>();

  constructor(
    private readonly link: ReplicaLink,
    private readonly ring: Keyring,
  ) {
    link.on('posted', ({ stream, owner, body }) => {
      const found = this.streams.get(stream);
      if (found?.owner === owner) found.take(Buffer.from(body), null);
    });
  }

  /**
   * Starts to accept messages for a stream of this gateway. Returns the id of the session and a
   * function that stops it.
   */
  open(owner: SessionOwner, take: HandlePosted): { readonly id: string; readonly end: () => void } {
    const stream = randomHex(32);
    this.streams.set(stream, { owner: ownerName(owner), take });
    return {
      id: sealToken(this.ring, PREFIX, [this.link.id, stream], ownerName(owner)),
      end: () => void this.streams.delete(stream),
    };
  }

  /**
   * Passes a message to the stream of a session. Returns `unknown` when this gateway knows no such
   * session of this caller and address, and `full` when the message cannot be sent to the gateway
   * of the stream.
   */
  post(id: string, body: Buffer, from: ReceivedPost): 'taken' | 'unknown' | 'full' {
    const owner = ownerOf(from.endpoint);
    const options = { prefix: PREFIX, boundTo: ownerName(owner), lengthMax: MCP_LIMITS.sessionIdMax };
    const named = openToken(this.ring, id, options) as [string, string] | null;
    if (named === null) return 'unknown';
    const [replica, stream] = named;
    if (replica !== this.link.id) {
      const message = { kind: 'posted', stream, owner: ownerName(owner), body: body.toString() } as const;
      return this.link.send(replica, message) ? 'taken' : 'full';
    }
    const found = this.streams.get(stream);
    if (found === undefined) return 'unknown';
    found.take(body, from);
    return 'taken';
  }
}
