import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { GatewayError, uuidv7 } from '@gw/kernel';
import { rawResponse, respondToParserError, ServerDrain } from '@gw/web';
import { ALLOWED_METHODS } from './request-rules';
import { GatewayRequest } from './gateway-request';
import { refuse } from './own-responses';
import { closeWithConnection, isIdle } from './queued-responses';
import { wholeResponses, type WholeResponse } from './whole-response';

export interface ServerLimits {
  readonly headersTimeoutMs: number;
  readonly keepAliveTimeoutMs: number;
  /** Maximum number of connections; further ones are closed at once. */
  readonly connectionsMax: number;
}

/**
 * Maximum size of all headers of a request in bytes: an inline config of 64 KB, and 16 KB of other
 * headers.
 */
const HEADERS_BYTES_MAX = 96 * 1_024;

export type RequestHandler = (req: IncomingMessage, res: ServerResponse) => void;

export interface UpgradeHandler {
  /** Returns false if the request is to be served as if it had not requested an upgrade. */
  takes(req: IncomingMessage): boolean;
  handle(req: IncomingMessage, socket: Socket, head: Buffer): void;
}

export interface GatewayServer {
  readonly server: Server;
  readonly drain: ServerDrain;
}

/**
 * Creates the listener of both planes. Requests that the parser refuses get the gateway's error
 * shape, and their connection closes.
 */
export function createGatewayServer(
  handle: RequestHandler,
  upgrades: UpgradeHandler,
  limits: ServerLimits,
): GatewayServer {
  const receive = (req: IncomingMessage, res: ServerResponse): void => {
    if (res.socket === null) closeWithConnection(req.socket, res as WholeResponse);
    handle(req, res);
  };
  const server = createServer(
    {
      maxHeaderSize: HEADERS_BYTES_MAX,
      headersTimeout: limits.headersTimeoutMs,
      keepAliveTimeout: limits.keepAliveTimeoutMs,
      // Bodies are limited in time and size where they are read, because a large upload is not an
      // attack.
      requestTimeout: 0,
      connectionsCheckingInterval: Math.min(limits.headersTimeoutMs, 5_000),
      insecureHTTPParser: false,
      noDelay: true,
      IncomingMessage: GatewayRequest,
      ServerResponse: wholeResponses(limits.keepAliveTimeoutMs),
      // Until the responses to earlier requests are sent, the connection cannot change its protocol.
      shouldUpgradeCallback: (req) => isIdle(req.socket) && upgrades.takes(req),
    },
    receive,
  );
  const drain = new ServerDrain(server);
  server.maxConnections = limits.connectionsMax;
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    respondToParserError(error, socket);
  });
  // `100 Continue` is sent at once, also to a request that is then refused.
  server.on('checkContinue', (req: IncomingMessage, res: ServerResponse) => {
    res.writeContinue();
    receive(req, res);
  });
  server.on('checkExpectation', (req: IncomingMessage, res: ServerResponse) => {
    refuse(uuidv7(), req, res, new GatewayError('expectation_failed'));
  });
  server.on('upgrade', (req: IncomingMessage, socket: Socket, head: Buffer) => {
    drain.release(socket);
    upgrades.handle(req, socket, head);
  });
  server.on('connect', (_req: IncomingMessage, socket: Socket) => {
    refuseTunnel(socket);
  });
  return { server, drain };
}

/** Refuses CONNECT and closes the connection, which Node.js no longer handles. */
function refuseTunnel(socket: Socket): void {
  // Without a listener, a reset by the client would stop the process.
  socket.on('error', () => undefined);
  // An earlier response is incomplete, so the client would take the refusal for a part of it.
  if (!isIdle(socket)) {
    socket.destroy();
    return;
  }
  socket.write(rawResponse('method_not_allowed', { allow: ALLOWED_METHODS }));
  socket.destroySoon();
}
