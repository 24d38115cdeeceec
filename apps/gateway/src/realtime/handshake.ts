import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { GatewayError } from '@gw/kernel';
import { OutboundError, type OutboundCall, type OutboundClient, type OutboundRequest } from '@gw/outbound';
import { GatewayResponse } from '../attempt/gateway-response';
import type { BodySink } from '../core/upstream';
import type { AttemptCall, Next } from '../attempt/attempt-call';
import type { BeforeCall } from '../attempt/sender';
import { redirectError } from '../attempt/redirects';
import { Peer, peerOptions } from './peer';

/** A provider's response to a handshake: its WebSocket, or an HTTP error. */
export class UpgradeResponse extends GatewayResponse {
  /** The provider's WebSocket, set with status 101. It is paused until a session reads it. */
  peer: Peer | null = null;
  /** The subprotocol that the provider chose from those that the client offered. */
  protocol: string | null = null;

  override discard(reader: BodySink): void {
    if (this.peer === null) {
      super.discard(reader);
      return;
    }
    this.call?.abort();
    reader.end();
  }
}

/**
 * Sends one attempt of a WebSocket handshake. The client is upgraded only after a provider has
 * accepted.
 */
export class HandshakeSender implements Next {
  constructor(
    private readonly outbound: Pick<OutboundClient, 'openSocket'>,
    private readonly maxMessageBytes: number,
    private readonly beforeCall: BeforeCall,
  ) {}

  begin({ context, upstream, built, listener }: AttemptCall): void {
    if (upstream.provider.local)
      throw new GatewayError('route_unsupported', {
        message: `The provider ${upstream.provider.id} has no WebSocket API.`,
      });
    const response = new UpgradeResponse(upstream, listener, context);
    const handshake = new Handshake(
      built.request,
      response,
      context.upgrade?.offer.protocols ?? [],
      this.maxMessageBytes,
    );
    this.beforeCall(context, upstream);
    response.call = handshake;
    listener.callStarted(response);
    context.guard(() => handshake.run(this.outbound));
  }
}

/** Headers that `ws` sets itself, or that are for one hop only. */
const OWN_HEADERS: ReadonlySet<string> = new Set(['connection', 'content-length', 'host', 'upgrade']);

class Handshake implements OutboundCall {
  private readonly opening = new AbortController();
  private readonly timer: NodeJS.Timeout;
  private socket: Socket | null = null;
  private peer: Peer | null = null;
  private refusal: IncomingMessage | null = null;
  /** True once the provider has accepted, or the attempt has ended. */
  private isDone = false;

  constructor(
    private readonly request: OutboundRequest,
    private readonly response: UpgradeResponse,
    private readonly protocols: readonly string[],
    private readonly maxMessageBytes: number,
  ) {
    // The limit covers the time from the connect to the end of an error response, which is short.
    const { connectTimeoutMs, headersTimeoutMs } = request;
    const limitMs = Math.min(connectTimeoutMs, headersTimeoutMs);
    const phase = headersTimeoutMs <= connectTimeoutMs ? 'headers' : 'connect';
    this.timer = setTimeout(() => {
      const message = `The provider did not respond to the handshake within ${String(limitMs)} ms.`;
      this.fail(new OutboundError('timeout', message, phase));
    }, limitMs);
  }

  /** Never rejects. */
  async run(outbound: Pick<OutboundClient, 'openSocket'>): Promise<void> {
    try {
      const socket = await outbound.openSocket(this.request, this.opening.signal);
      this.socket = socket;
      if (this.isDone) socket.destroy();
      else this.openWebSocket(socket);
    } catch (cause) {
      this.fail(failureOf(cause));
    }
  }

  pause(): void {
    this.refusal?.pause();
  }

  resume(): void {
    this.refusal?.resume();
  }

  abort(): void {
    this.fail(new OutboundError('aborted', 'The handshake was aborted.'));
    this.peer?.terminate();
  }

  private openWebSocket(socket: Socket): void {
    const { origin, path, headers } = this.request;
    const peer = new Peer(origin.replace(/^http/, 'ws') + path, [], {
      ...peerOptions(this.maxMessageBytes),
      createConnection: () => socket,
      headers: headersOf(headers, this.protocols),
    });
    this.peer = peer;
    peer.transport = socket;
    peer.once('upgrade', (res) => {
      this.readChoice(res);
    });
    peer.once('open', () => {
      if (this.isDone) return;
      peer.pause();
      this.end();
      this.response.peer = peer;
      this.response.onHeaders(101, this.response.headers);
    });
    peer.once('unexpected-response', (_req, res) => {
      this.refuse(res);
    });
    peer.on('error', (cause) => {
      this.fail(failureOf(cause));
    });
  }

  /**
   * Reads the chosen subprotocol and hides it from `ws`, which would fail a handshake when the
   * server chooses none of the offered ones. A server may choose none; the client then decides
   * whether to continue.
   */
  private readChoice(res: IncomingMessage): void {
    const chosen = res.headers['sec-websocket-protocol'];
    delete res.headers['sec-websocket-protocol'];
    this.response.headers = lowerCase(res.rawHeaders);
    this.response.protocol = chosen ?? null;
    if (chosen !== undefined && !this.protocols.includes(chosen))
      this.fail(new OutboundError('interrupted', 'The provider chose a subprotocol that was not offered.'));
  }

  /**
   * Handles a response without an upgrade. Redirects are not followed, and a success status without
   * an upgrade is an error.
   */
  private refuse(res: IncomingMessage): void {
    const status = res.statusCode ?? 0;
    const redirect = redirectError(status);
    if (redirect !== null) {
      this.fail(redirect);
      return;
    }
    if (status < 400) {
      const message = `The provider responded to the handshake with status ${String(status)}.`;
      this.fail(new OutboundError('interrupted', message));
      return;
    }
    this.refusal = res;
    const { response } = this;
    res.on('data', (chunk: Buffer) => {
      response.onData(chunk);
    });
    res.once('end', () => {
      if (this.isDone) return;
      this.end();
      this.socket?.destroy();
      response.onEnd();
    });
    res.once('close', () => {
      this.fail(new OutboundError('interrupted', 'The connection broke before the response was complete.'));
    });
    response.onHeaders(status, lowerCase(res.rawHeaders));
  }

  private fail(error: OutboundError): void {
    if (this.isDone) return;
    this.end();
    this.opening.abort(error);
    this.socket?.destroy();
    this.peer?.terminate();
    this.response.onError(error);
  }

  private end(): void {
    this.isDone = true;
    clearTimeout(this.timer);
  }
}

function headersOf(
  headers: readonly string[],
  protocols: readonly string[],
): Record<string, string | string[]> {
  const sent = Object.create(null) as Record<string, string | string[]>;
  for (let i = 0; i + 1 < headers.length; i += 2) {
    const name = headers[i] as string;
    if (OWN_HEADERS.has(name) || name.startsWith('sec-websocket-')) continue;
    const value = headers[i + 1] as string;
    const before = sent[name];
    sent[name] = before === undefined ? value : [before, value].flat();
  }
  if (protocols.length > 0) sent['sec-websocket-protocol'] = protocols.join(', ');
  return sent;
}

const lowerCase = (raw: readonly string[]): string[] =>
  raw.map((text, index) => (index % 2 === 0 ? text.toLowerCase() : text));

/**
 * Classifies a failure before the provider has accepted: of the connection, of HTTP, or of the
 * handshake's rules.
 */
function failureOf(cause: unknown): OutboundError {
  if (cause instanceof OutboundError) return cause;
  const { code } = cause as NodeJS.ErrnoException;
  const isBroken = typeof code === 'string' && !code.startsWith('HPE_');
  return isBroken
    ? new OutboundError('unreachable', `The connection failed (${code}).`, null, { cause })
    : new OutboundError('interrupted', 'The response to the handshake is not valid.', null, { cause });
}
