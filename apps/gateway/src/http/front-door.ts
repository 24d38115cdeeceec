import type { IncomingMessage, ServerResponse } from 'node:http';
import { HEADER } from '@gw/contracts';
import { GatewayError, toGatewayError, uuidv7 } from '@gw/kernel';
import { Exchange } from '../pipeline/exchange';
import type { Pipeline } from '../pipeline/pipeline';
import { openApiDocument } from '../routes/openapi/document';
import { routeOf } from '../routes/route-table';
import type { Cors } from './cors';
import type { ControlPlaneProxy } from './control-plane-proxy';
import type { OwnLimits } from '../limits/own-limits';
import { errorBody } from './error-body';
import { destinationOf } from './paths';
import { checkRequest, targetOf } from './request-rules';

export interface Health {
  /** Never throws. */
  report(): { readonly status: 'ok' | 'degraded'; readonly [part: string]: unknown };
}

/** Decides whose a request is: the data plane's, the control plane's, or nobody's. Nest sees none of them. */
export class FrontDoor {
  constructor(
    private readonly pipeline: Pipeline,
    private readonly controlPlane: ControlPlaneProxy,
    private readonly health: Health,
    private readonly cors: Cors,
    private readonly ownLimits: OwnLimits,
  ) {}

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

  private route(id: string, req: IncomingMessage, res: ServerResponse): void {
    const url = req.url ?? '/';
    const { path, query } = targetOf(url);
    const method = req.method ?? 'GET';
    const destination = destinationOf(path, method);
    switch (destination.plane) {
      case 'data': {
        const route = routeOf(method, destination.path);
        if (route.kind === 'realtime')
          throw new GatewayError('upgrade_required', { headers: { upgrade: 'websocket' } });
        this.pipeline.run(new Exchange(id, req, res, method, path + query, query, route));
        return;
      }
      case 'control':
        this.controlPlane.forward(id, req, res, path + query);
        return;
      case 'limits':
        this.ownLimits.handle(id, req, res);
        return;
      case 'health':
        answerOwn(id, method, res, Buffer.from(JSON.stringify(this.health.report())));
        return;
      case 'openapi':
        answerOwn(id, method, res, OPEN_API);
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

/** What the gateway says of itself, to anyone. */
function answerOwn(id: string, method: string, res: ServerResponse, body: Buffer): void {
  if (method !== 'GET' && method !== 'HEAD')
    throw new GatewayError('method_not_allowed', { headers: { allow: 'GET, HEAD' } });
  res.writeHead(200, [
    'content-type',
    'application/json; charset=utf-8',
    'content-length',
    String(body.length),
    'cache-control',
    'no-store',
    HEADER.requestId,
    id,
  ]);
  res.end(method === 'HEAD' ? undefined : body);
}

/** A request that never became an exchange: nothing of it was read, so the connection ends with the answer. */
export function refuse(id: string, req: IncomingMessage, res: ServerResponse, error: GatewayError): void {
  const body = errorBody(error, 'openai', id);
  const headers = ['content-type', 'application/json; charset=utf-8', 'content-length', String(body.length)];
  headers.push(HEADER.requestId, id);
  for (const [name, value] of Object.entries(error.options.headers ?? {})) headers.push(name, value);
  if (!req.complete) headers.push('connection', 'close');
  res.writeHead(error.status, headers);
  res.end(req.method === 'HEAD' ? undefined : body);
}
