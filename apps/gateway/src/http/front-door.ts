import type { IncomingMessage, ServerResponse } from 'node:http';
import { GatewayError, toGatewayError, uuidv7 } from '@gw/kernel';
import { gatewayStopping } from '../attempt/broken-response';
import { RequestContext } from '../core/request-context';
import type { Pipeline } from '../core/pipeline';
import { openApiDocument } from '../routes/openapi/document';
import { routeOf } from '../routes/route-table';
import type { Cors } from './cors';
import type { ControlPlaneProxy } from './control-plane/control-plane-proxy';
import type { OwnLimits } from '../limits/own-limits';
import type { HealthDoor } from '../health/health-door';
import { responseOwn, refuse } from './own-responses';
import { withoutKeys } from './query-keys';
import { destinationOf } from './paths';
import { checkRequest, targetOf } from './request-rules';

/** Sends each request to the data plane or the control plane, or refuses it. Nest sees none of them. */
export class FrontDoor {
  private stopped = false;

  constructor(
    private readonly pipeline: Pipeline,
    private readonly controlPlane: ControlPlaneProxy,
    private readonly health: HealthDoor,
    private readonly cors: Cors,
    private readonly ownLimits: OwnLimits,
  ) {}

  /** Refuses all further requests: the process is stopping, and its last requests were interrupted. */
  stop(): void {
    this.stopped = true;
  }

  readonly handle = (req: IncomingMessage, res: ServerResponse): void => {
    const id = uuidv7();
    try {
      checkRequest(req);
      if (this.cors.apply(req, res)) return;
      this.route(id, req, res);
    } catch (thrown) {
      refuse(id, req, res, toGatewayError(thrown));
    }
  };

  private assertServes(plane: string): void {
    if (this.stopped && plane !== 'health') throw gatewayStopping();
  }

  private route(id: string, req: IncomingMessage, res: ServerResponse): void {
    const url = req.url ?? '/';
    const { path, query } = targetOf(url);
    const method = req.method ?? 'GET';
    const destination = destinationOf(path, method, req.headers);
    this.assertServes(destination.plane);
    switch (destination.plane) {
      case 'data': {
        const route = routeOf(method, destination.path, destination.base);
        if (route.kind === 'realtime')
          throw new GatewayError('upgrade_required', { headers: { upgrade: 'websocket' } });
        const { query: own, key } = route.dialect === 'gemini' ? withoutKeys(query) : { query, key: null };
        const context = new RequestContext(id, req, res, method, path + own, own, route);
        context.queryKey = key;
        this.pipeline.run(context);
        return;
      }
      case 'control':
        this.controlPlane.forward(id, req, res, path + query);
        return;
      case 'limits':
        this.ownLimits.handle(id, req, res);
        return;
      case 'health':
        this.health.handle(destination.view, id, req, res);
        return;
      case 'openapi':
        responseOwn(id, req, res, OPEN_API);
        return;
      case 'refused':
        throw new GatewayError('request_malformed', {
          param: 'path',
          message: `The path ${destination.rule}.`,
        });
      case 'none':
        throw new GatewayError('route_not_found');
    }
  }
}

const OPEN_API = Buffer.from(JSON.stringify(openApiDocument));
