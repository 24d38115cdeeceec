import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { GatewayError, toGatewayError, uuidv7 } from '@gw/kernel';
import { refuse } from '../http/own-responses';
import { destinationOf } from '../http/paths';
import { checkRequest, targetOf } from '../http/request-rules';
import { RequestContext } from '../core/request-context';
import type { Pipeline } from '../core/pipeline';
import { routeOf } from '../routes/route-table';
import { ClientUpgrade } from './client-upgrade';
import { requestsWebSocket, readOffer } from './offer';

/**
 * Accepts WebSocket requests below the data plane's paths. They run through the same stages as
 * every request.
 */
export class RealtimeDoor {
  private connections = 0;

  constructor(
    private readonly pipeline: Pipeline,
    /**
     * Maximum number of clients that wait for an upgrade or have one; further ones get
     * `unavailable`.
     */
    private readonly connectionsMax: number,
    /** Number of provider connections that have outlived their clients; they count like clients. */
    private readonly lingering: () => number,
  ) {}

  /**
   * Returns false when the request is to be served as if it had not requested an upgrade, as RFC
   * 9110 allows.
   */
  readonly takes = (req: IncomingMessage): boolean => {
    if (!requestsWebSocket(req)) return false;
    const destination = destinationOf(targetOf(req.url ?? '/').path, 'GET', req.headers);
    // The paths of Gemini clients have no sessions.
    return destination.plane === 'data' && destination.base === '/v1';
  };

  readonly handle = (req: IncomingMessage, socket: Socket, head: Buffer): void => {
    const id = uuidv7();
    this.connections += 1;
    socket.once('close', () => {
      this.connections -= 1;
    });
    const upgrade = new ClientUpgrade(req, socket, head);
    try {
      checkRequest(req);
      upgrade.offer = readOffer(req);
      if (this.connections + this.lingering() > this.connectionsMax)
        throw new GatewayError('unavailable', {
          message: 'This gateway has reached its maximum number of sessions; connect again later.',
        });
      const { path, query } = targetOf(req.url ?? '/');
      const destination = destinationOf(path, 'GET', req.headers);
      if (destination.plane !== 'data') throw new GatewayError('route_not_found');
      const route = routeOf('GET', destination.path);
      this.pipeline.run(new RequestContext(id, req, upgrade.res, 'GET', path + query, query, route, upgrade));
    } catch (thrown) {
      refuse(id, req, upgrade.res, toGatewayError(thrown));
    }
  };
}
