import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** The response that a connection is sending; Node's `closeIdleConnections` reads it too. */
interface BusySocket extends Socket {
  readonly _httpMessage?: ServerResponse | null;
}

/** Returns the response that a connection of an HTTP server still has to complete; null for none. */
export const responseOn = (socket: BusySocket): ServerResponse | null => socket._httpMessage ?? null;
