import { CODES, McpFault, own, ownObject, type JsonObject } from '@gw/mcp';
import { adoptTrace, traceParentOf } from '../accept/trace-context';
import type { ToolGuards } from '../guardrails/tool-guards';
import { RequestMcp } from './request-mcp';
import type { ClientStreams } from './client-streams';
import type { ListWatches } from './list-watches/list-watches';
import { isList, listBody } from './lists';
import { searchBody } from './aggregate/search-tools';
import type { Endpoint } from './endpoint';
import type { Endpoints } from './endpoints';
import type { EndpointRequest } from './mcp-request';
import { routeOfMethod } from './mcp-route';
import { forward, isForwarded } from './other-requests';
import type { ResourceWatches } from './resource-watches/resource-watches';
import { setsInSession, setInSession } from './sessions/session-requests';
import { isTaskMethod, type TaskRequests } from './tasks/task-requests';
import type { ToolCalls } from './tool-calls';
import type { UpstreamCalls } from './upstream-calls';
import type { Keyring } from '@gw/kernel';

export interface RequestParts {
  readonly ring: Keyring;
  readonly endpoints: Endpoints;
  readonly tools: ToolCalls;
  readonly tasks: TaskRequests;
  readonly calls: UpstreamCalls;
  readonly guards: ToolGuards;
  readonly streams: ClientStreams;
  readonly watches: ResourceWatches;
  readonly lists: ListWatches;
}

/** One in this many list requests gets a log record, because clients repeat them often. */
const LISTS_PER_RECORD = 10;

/** Carries out the requests that `localResponse` does not answer. */
export class Requests {
  private lists = 0;

  constructor(private readonly parts: RequestParts) {}

  /**
   * Carries out a request. Resolves when the response is sent or a stream is open. Rejects with
   * `McpFault`, `Denied` or `UpstreamError`.
   */
  async run(request: EndpointRequest): Promise<void> {
    const { message, reply } = request;
    const { method } = message;
    if (isList(method)) {
      noteRequest(request);
      request.reply.isRecorded = this.lists++ % LISTS_PER_RECORD === 0;
      reply.end(JSON.stringify(listBody(request, method, this.parts.ring)));
    } else if (method === 'tools/call') {
      recordRequest(request);
      const found = searchBody(request);
      if (found === null) await this.parts.tools.run(request);
      else reply.end(JSON.stringify(found));
    } else if (isTaskMethod(method)) {
      recordRequest(request);
      await this.parts.tasks.run(request, this.parts.calls);
    } else if (isForwarded(method)) {
      recordRequest(request);
      await forward(request, this.parts.calls, this.parts.guards);
    } else if (method === 'subscriptions/listen') await this.listen(request);
    else if (setsInSession(method)) await setInSession(request);
    else throw new McpFault(CODES.methodNotFound, 'Method not found.', { id: message.id });
  }

  private async listen({ endpoint, reply, message }: EndpointRequest): Promise<void> {
    const { streams, endpoints, watches, lists } = this.parts;
    const current = (): Endpoint | null => endpoints.current(endpoint);
    await lists.watchDuring(endpoint, reply, current);
    if (reply.hasEnded) return;
    const uris = streams.listen(endpoint, reply, current, message);
    if (uris.length > 0) watches.ofListen({ current, reply, uris, id: message.id });
  }
}

/** Marks the request for the log and stores its facts. */
function recordRequest(request: EndpointRequest): void {
  request.reply.isRecorded = true;
  noteRequest(request);
}

/** Stores the facts of the request for the log, metrics and spans. */
function noteRequest({ context, endpoint, message, revision, client, session }: EndpointRequest): void {
  const { slug: server, integrationId } = endpoint;
  const { method } = message;
  context.route = routeOfMethod(method);
  context.mcp = new RequestMcp(
    {
      ...{ server, method, revision, client: nameOf(client) },
      requestId: String(message.id).slice(0, REQUEST_ID_MAX),
      ...(session !== null && { session: session.nonce }),
    },
    integrationId,
  );
  const parent = traceParentOf(own(ownObject(message.params, '_meta'), 'traceparent'));
  if (parent !== null) adoptTrace(context, parent);
}

const REQUEST_ID_MAX = 128;

function nameOf(client: JsonObject): string | null {
  const [name, version] = [own(client, 'name'), own(client, 'version')];
  if (typeof name !== 'string') return null;
  return `${name} ${typeof version === 'string' ? version : ''}`.trim().slice(0, 128);
}
