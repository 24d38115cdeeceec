import { Agent, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { HEADER } from '@gw/contracts';
import {
  clientAddress,
  GatewayError,
  networkOf,
  Shares,
  signClientAddress,
  toGatewayError,
} from '@gw/kernel';
import type { GatewaySettings } from '../../settings';
import { withoutHopByHop } from '../header-rules';
import { refuse } from '../own-responses';
import { discardRest } from '../../bodies/discard-rest';
import { BodyReader, type BodyReaderOptions } from '../../bodies/read-body';
import { FairPlaces, type Place } from './fair-places';
import { RelayedResponse } from './relayed-response';

const TIMEOUT_MS = 60_000;
/** Concurrent requests to the admin API. */
const PLACES = 64;
/** Concurrent long responses: event streams, and responses that clients read slowly. */
const LONG_PLACES = 128;
/** Requests that wait for a place. */
const WAITING_MAX = 1_024;
const WAIT_MS = 10_000;
/** Largest body in bytes that the admin API accepts on any path. */
const BODY_MAX = 10 * 1_048_576;
/**
 * Divisor of MAX_BODY_MEMORY: clients can send bodies to the control plane even without a key, so
 * they get only a part.
 */
const MEMORY_PART = 8;

type ProxySettings = Pick<
  GatewaySettings,
  | 'ADMIN_URL'
  | 'SERVICE_TOKEN'
  | 'TRUSTED_PROXIES'
  | 'MAX_BODY_MEMORY'
  | 'BODY_IDLE_TIMEOUT'
  | 'BODY_TIMEOUT'
  | 'BODY_MIN_RATE'
>;

/** One request that is forwarded to the admin API. */
interface Forwarded {
  readonly id: string;
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly target: string;
  /** Signed client address, because the admin API sees only this process as its peer. */
  readonly client: string;
  /** The client's network, whose share of places and memory the request uses. */
  readonly network: string;
}

/**
 * Forwards control-plane requests to the admin API, so that one base URL serves both planes. The
 * address comes from the operator, never from a request, so it may be a loopback or private
 * address. Anyone may send requests here, so their resources are shared fairly between client
 * networks: a body is read completely before it uses a connection, and connections are places of a
 * fair pool.
 */
export class ControlPlaneProxy {
  private readonly base: URL;
  private readonly request: typeof httpRequest;
  private readonly agent: Agent;
  private readonly bodies: BodyReaderOptions;
  private readonly memory: Shares;
  private readonly places = new FairPlaces({ places: PLACES, waiting: WAITING_MAX, waitMs: WAIT_MS });
  private readonly long = new FairPlaces({ places: LONG_PLACES, waiting: 0, waitMs: 0 });

  constructor(private readonly settings: ProxySettings) {
    this.base = new URL(settings.ADMIN_URL);
    const secure = this.base.protocol === 'https:';
    this.request = secure ? httpsRequest : httpRequest;
    const pool = { keepAlive: true, maxFreeSockets: 8 };
    this.agent = secure ? new HttpsAgent(pool) : new Agent(pool);
    // At least twice the largest body, so that one body fits into a share.
    this.memory = new Shares(Math.max(2 * BODY_MAX, Math.floor(settings.MAX_BODY_MEMORY / MEMORY_PART)));
    this.bodies = {
      maxBytes: BODY_MAX,
      idleMs: settings.BODY_IDLE_TIMEOUT,
      totalMs: settings.BODY_TIMEOUT,
      minRate: settings.BODY_MIN_RATE,
    };
  }

  forward(id: string, req: IncomingMessage, res: ServerResponse, target: string): void {
    const { SERVICE_TOKEN, TRUSTED_PROXIES } = this.settings;
    const address = clientAddress(req.socket.remoteAddress, req.headers['x-forwarded-for'], TRUSTED_PROXIES);
    const client = signClientAddress(SERVICE_TOKEN, address);
    const forwarded = { id, req, res, target, client, network: networkOf(address) };
    this.send(forwarded).catch((thrown: unknown) => fail(forwarded, toGatewayError(thrown)));
  }

  close(): void {
    this.places.close();
    this.agent.destroy();
  }

  private async send(forwarded: Forwarded): Promise<void> {
    const body = await this.receive(forwarded);
    const place = await this.places.take(forwarded.network);
    if (forwarded.res.closed) place.free();
    else this.call(forwarded, body, place);
  }

  /**
   * Reads the whole body and counts its memory until the response is sent; null when there is no
   * body.
   */
  private receive({ req, res, network }: Forwarded): Promise<Buffer | null> {
    const { 'content-length': length, 'transfer-encoding': encoding } = req.headers;
    if (encoding === undefined && (length === undefined || length === '0')) return Promise.resolve(null);
    const expected = length === undefined ? -1 : Number(length);
    if (expected > BODY_MAX) throw tooLarge();
    const share = this.memory.of(network, network);
    let held = 0;
    res.once('close', () => {
      share.give(held);
    });
    const holder = {
      reserveMemory: (bytes: number): void => {
        if (res.closed || !share.take(bytes)) throw noMemory();
        held += bytes;
      },
    };
    return new Promise((resolve, reject) => {
      const refused = (error: GatewayError): void =>
        reject(error.type === 'body_too_large' ? tooLarge() : error);
      const reader = new BodyReader(req, expected, this.bodies, holder, resolve, refused);
      res.once('close', () => {
        reader.clientGone();
      });
      reader.start();
    });
  }

  private call(forwarded: Forwarded, body: Buffer | null, place: Place): void {
    const { id, req, res, target, client, network } = forwarded;
    const headers = withoutHopByHop(req.rawHeaders);
    headers.push('host', this.base.host, HEADER.clientAddress, client);
    if (body !== null && req.headers['content-length'] === undefined)
      headers.push('content-length', String(body.length));
    const outgoing = this.request({
      protocol: this.base.protocol,
      hostname: this.base.hostname.replace(/^\[|\]$/g, ''),
      port: this.base.port,
      path: this.base.pathname.replace(/\/$/, '') + target,
      method: req.method,
      agent: this.agent,
      headers,
      timeout: TIMEOUT_MS,
    });
    res.once('close', () => {
      outgoing.destroy();
      place.free();
    });
    outgoing.once('response', (response) => {
      const relayed = new RelayedResponse(response, res, place, {
        memory: this.memory.of(network, network),
        long: this.long,
        holder: network,
        pace: this.bodies,
      });
      if (!relayed.mayBegin()) {
        fail(forwarded, noLongPlace());
        outgoing.destroy();
        return;
      }
      const passed = withoutHopByHop(response.rawHeaders);
      if (response.headers[HEADER.requestId] === undefined) passed.push(HEADER.requestId, id);
      res.writeHead(response.statusCode ?? 502, passed);
      relayed.begin();
    });
    outgoing.once('timeout', () => outgoing.destroy(new Error('The admin API did not respond in time.')));
    outgoing.on('error', (cause) => {
      const message = 'The control plane cannot be reached.';
      fail(forwarded, new GatewayError('unavailable', { message, cause }));
    });
    outgoing.end(body ?? undefined);
  }
}

/**
 * Sends the error, or cuts the connection if a part of the response was sent, so that the client
 * cannot take it for complete.
 */
function fail({ id, req, res }: Forwarded, error: GatewayError): void {
  if (res.closed || res.destroyed) return;
  if (res.headersSent) {
    if (!res.writableEnded) res.destroy();
    return;
  }
  // A client may send its whole body before it reads the response.
  discardRest(req);
  refuse(id, req, res, error);
}

const tooLarge = (): GatewayError =>
  new GatewayError('body_too_large', {
    message: `The control plane accepts request bodies of at most ${String(BODY_MAX)} bytes; send a smaller one.`,
  });

const noMemory = (): GatewayError =>
  new GatewayError('unavailable', {
    message:
      'Your network has used its share of the memory for control-plane requests; send the request again later.',
    headers: { 'retry-after': '2' },
  });

const noLongPlace = (): GatewayError =>
  new GatewayError('unavailable', {
    message:
      'Too many control-plane streams are open, from your network or in total; close one, or send the request again later.',
    headers: { 'retry-after': '10' },
  });
