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
import { isOfSession, setOfSession } from './sessions/session-requests';
import { isAboutTasks, type TaskRequests } from './tasks/task-requests';
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

/** One list of this many gets a log record: clients list again and again. */
const LISTS_PER_RECORD = 10;

/** Carries out the requests that are not answered locally. */
export class Requests {
  private lists = 0;

  constructor(private readonly parts: RequestParts) {}

  /** Resolves when the response is sent, or a stream is open. Throws `McpFault`, `Denied` and `UpstreamError`. */
  async run(request: EndpointRequest): Promise<void> {
    const { message, reply } = request;
    const { method } = message;
    if (isList(method)) {
      noteRequest(request);
      request.reply.isRecorded = this.lists++ % LISTS_PER_RECORD === 0;
      reply.end(JSON.stringify(listBody(request, method, this.parts.ring)));
    } else if (method === 'tools/call') {
      record(request);
      const found = searchBody(request);
      if (found === null) await this.parts.tools.run(request);
      else reply.end(JSON.stringify(found));
    } else if (isAboutTasks(method)) {
      record(request);
      await this.parts.tasks.run(request, this.parts.calls);
    } else if (isForwarded(method)) {
      record(request);
      await forward(request, this.parts.calls, this.parts.guards);
    } else if (method === 'subscriptions/listen') await this.listen(request);
    else if (isOfSession(method)) await setOfSession(request);
    else throw new McpFault(CODES.methodNotFound, 'Method not found.', { id: message.id });
  }

  private async listen({ endpoint, reply, message }: EndpointRequest): Promise<void> {
    const { streams, endpoints, watches, lists } = this.parts;
    const now = (): Endpoint | null => endpoints.now(endpoint);
    await lists.during(endpoint, reply, now);
    if (reply.isOver) return;
    const uris = streams.listen(endpoint, reply, now, message);
    if (uris.length > 0) watches.ofListen({ now, reply, uris, id: message.id });
  }
}

/** Gives the request a record in the log. */
function record(request: EndpointRequest): void {
  request.reply.isRecorded = true;
  noteRequest(request);
}

/** Notes what is called, for the log, metrics and spans. */
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
