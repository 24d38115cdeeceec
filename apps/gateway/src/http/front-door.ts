import type { IncomingMessage, ServerResponse } from 'node:http';
import { GatewayError, toGatewayError, uuidv7 } from '@gw/kernel';
import { gatewayStopping } from '../attempt/broken-response';
import { RequestContext } from '../core/request-context';
import type { Pipeline } from '../core/pipeline';
import { openApiDocument } from '../routes/openapi/document';
import { routeOf } from '../routes/route-table';
import type { Cors } from './cors';
import type { ControlPlaneProxy } from './control-plane/control-plane-proxy';
import { ssePlaceOf } from '@gw/oauth';
import type { AgentDestination } from '../agents/agent-destination';
import type { AgentsDoor } from '../agents/agents-door';
import type { McpDoor } from '../mcp/mcp-door';
import type { OwnLimits } from '../limits/own-limits';
import type { HealthDoor } from '../health/health-door';
import { sendOwn, refuse } from './own-responses';
import { withoutKeys } from './query-keys';
import { destinationOf, type Destination } from './paths';
import { checkRequest, targetOf } from './request-rules';

/**
 * Sends each request to the data plane or the control plane, or refuses it. Nest sees none of them.
 */
export class FrontDoor {
  private stopped = false;

  constructor(
    private readonly pipeline: Pipeline,
    private readonly controlPlane: ControlPlaneProxy,
    private readonly health: HealthDoor,
    private readonly cors: Cors,
    private readonly ownLimits: OwnLimits,
    private readonly mcp: Pick<McpDoor, 'handle'>,
    private readonly agents: Pick<AgentsDoor, 'handle'>,
  ) {}

  /**
   * Refuses all further requests: the process is stopping, and its last requests were interrupted.
   */
  stop(): void {
    this.stopped = true;
  }

  readonly handle = (req: IncomingMessage, res: ServerResponse): void => {
    const id = uuidv7();
    try {
      checkRequest(req);
      if (!isOfMcp(req) && this.cors.apply(req, res)) return;
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
      case 'data':
        this.toDataPlane(id, req, res, destination);
        return;
      case 'control':
        this.controlPlane.forward(id, req, res, path + query);
        return;
      case 'limits':
        this.ownLimits.handle(id, req, res);
        return;
      case 'health':
        this.health.handle(destination.view, id, req, res);
        return;
      case 'mcp':
        this.mcp.handle(id, req, res, destination);
        return;
      case 'agents':
        this.agents.handle(id, req, res, assertAgentRoute(destination));
        return;
      case 'openapi':
        sendOwn(id, req, res, OPEN_API);
        return;
      case 'refused':
      case 'none':
        throw noRoute(destination);
    }
  }

  private toDataPlane(
    id: string,
    req: IncomingMessage,
    res: ServerResponse,
    { path: below, base }: Extract<Destination, { plane: 'data' }>,
  ): void {
    const { path, query } = targetOf(req.url ?? '/');
    const method = req.method ?? 'GET';
    const route = routeOf(method, below, base);
    if (route.kind === 'realtime')
      throw new GatewayError('upgrade_required', { headers: { upgrade: 'websocket' } });
    const { query: own, key } = route.dialect === 'gemini' ? withoutKeys(query) : { query, key: null };
    const context = new RequestContext(id, req, res, method, path + own, own, route);
    context.queryKey = key;
    this.pipeline.run(context);
  }
}

function assertAgentRoute({ to }: Extract<Destination, { plane: 'agents' }>): AgentDestination {
  if (to.kind !== 'refused') return to;
  if (to.status === 404) throw new GatewayError('route_not_found');
  throw new GatewayError('method_not_allowed', { headers: { allow: to.allow.join(', ') } });
}

const noRoute = (destination: Extract<Destination, { plane: 'refused' | 'none' }>): GatewayError =>
  destination.plane === 'none'
    ? new GatewayError('route_not_found')
    : new GatewayError('request_malformed', { param: 'path', message: `The path ${destination.rule}.` });

const OPEN_API = Buffer.from(JSON.stringify(openApiDocument));

/** MCP servers have their own rules for pages of browsers. */
const isOfMcp = ({ url = '' }: IncomingMessage): boolean => {
  const end = url.indexOf('?');
  const path = end === -1 ? url : url.slice(0, end);
  return path.endsWith('/mcp') || ssePlaceOf(path) !== undefined;
};
