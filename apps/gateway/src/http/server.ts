import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { respondToParserError, rawResponse, ServerDrain } from '@gw/web';
import { ALLOWED_METHODS } from './request-rules';
import { GatewayRequest } from './gateway-request';
import { wholeResponses } from './whole-response';

export interface ServerLimits {
  readonly headersTimeoutMs: number;
  readonly keepAliveTimeoutMs: number;
  /** More are closed as they come. */
  readonly connectionsMax: number;
}

/** All headers of a request, in bytes: room for a config of 64 KB written out, and 16 KB next to it. */
const HEADERS_BYTES_MAX = 96 * 1_024;

export type RequestHandler = (req: IncomingMessage, res: ServerResponse) => void;

export interface UpgradeHandler {
  /** False: the request is answered as if it had not requested an upgrade. */
  takes(req: IncomingMessage): boolean;
  handle(req: IncomingMessage, socket: Socket, head: Buffer): void;
}

export interface GatewayServer {
  readonly server: Server;
  readonly drain: ServerDrain;
}

/** The listener of both planes. What the parser refuses is answered in our error shape and the connection is closed. */
export function createGatewayServer(
  handle: RequestHandler,
  upgrades: UpgradeHandler,
  limits: ServerLimits,
): GatewayServer {
  const server = createServer(
    {
      maxHeaderSize: HEADERS_BYTES_MAX,
      headersTimeout: limits.headersTimeoutMs,
      keepAliveTimeout: limits.keepAliveTimeoutMs,
      // Bodies are bounded by time and size where they are read: a large upload is not an attack.
      requestTimeout: 0,
      connectionsCheckingInterval: Math.min(limits.headersTimeoutMs, 5_000),
      insecureHTTPParser: false,
      noDelay: true,
      IncomingMessage: GatewayRequest,
      ServerResponse: wholeResponses(limits.keepAliveTimeoutMs),
      shouldUpgradeCallback: (req) => upgrades.takes(req),
    },
    handle,
  );
  const drain = new ServerDrain(server);
  server.maxConnections = limits.connectionsMax;
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    respondToParserError(error, socket);
  });
  // 100-continue is sent when the body is read, which the front door does for every request that it takes.
  server.on('checkContinue', (req: IncomingMessage, res: ServerResponse) => {
    res.writeContinue();
    handle(req, res);
  });
  server.on('checkExpectation', (req: IncomingMessage) => {
    req.socket.end(rawResponse('expectation_failed'));
  });
  server.on('upgrade', (req: IncomingMessage, socket: Socket, head: Buffer) => {
    drain.release(socket);
    upgrades.handle(req, socket, head);
  });
  server.on('connect', (_req: IncomingMessage, socket: Socket) => {
    socket.end(rawResponse('method_not_allowed', { allow: ALLOWED_METHODS }));
  });
  return { server, drain };
}
