import type { Socket } from 'node:net';
import { responseOn } from '@gw/web';
import type { WholeResponse } from './whole-response';

const queued = new WeakMap<Socket, Set<WholeResponse>>();

/**
 * Closes a response that waits for earlier ones together with its connection, so that the work on
 * its request ends. Node.js does so as well, but no longer after CONNECT or an upgrade.
 */
export function closeWithConnection(socket: Socket, response: WholeResponse): void {
  const responses = queued.get(socket) ?? firstOn(socket);
  responses.add(response);
  response.once('close', () => responses.delete(response));
}

function firstOn(socket: Socket): Set<WholeResponse> {
  const responses = new Set<WholeResponse>();
  queued.set(socket, responses);
  socket.once('close', () => {
    for (const response of responses) response.closeUnsent();
  });
  return responses;
}

/** Whether all requests that a connection has sent have their responses. */
export const isIdle = (socket: Socket): boolean =>
  responseOn(socket) === null && (queued.get(socket)?.size ?? 0) === 0;
