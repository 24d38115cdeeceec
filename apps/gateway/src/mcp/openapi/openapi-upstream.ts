import { isOfUsers, type McpServerDocument } from '@gw/contracts';
import {
  MODERN_REVISIONS,
  OpenApiFault,
  openApiRequest,
  openApiResult,
  openApiUrl,
  own,
  ownObject,
  toolError,
  type HttpOperation,
  type JsonObject,
  type OpenApiRequest,
} from '@gw/mcp';
import {
  CALL_MS_MAX,
  CallClock,
  DEFAULT_TIMEOUTS,
  UpstreamError,
  UpstreamHttp,
  parsedResult,
  type CallEnd,
  type CallOptions,
  type UpstreamHttpResponse,
  type UpstreamNetwork,
} from '@gw/mcp-client';
import type { ResponseMemory } from '@gw/outbound';
import { setTimeout as delay } from 'node:timers/promises';
import type { CalledUpstream, UpstreamOwner } from '../called-upstream';
import { ruledHeaders } from '../../credentials/passed-headers';
import { poolClassOf } from '../pool-class';
import type { ServerCredentials } from '../../credentials/server-credentials';
import { readServiceResponse } from './service-response';
import { withoutSecrets } from './without-secrets';

export interface OpenApiUpstreamParts {
  readonly network: UpstreamNetwork;
  readonly credentials: Pick<ServerCredentials<McpServerDocument>, 'headersOf'>;
  /** Counts the bytes of responses while a call holds them. */
  readonly memory: ResponseMemory;
}

interface ServiceTool {
  readonly operation: HttpOperation;
  readonly promisesObject: boolean;
}

type Headers = Readonly<Record<string, string>>;

const JSON_TYPE = 'application/json';
/** Wait before a request is sent a second time, in milliseconds. */
const REPEAT_AFTER_MS = 250;

const toolsOf = new WeakMap<McpServerDocument, ReadonlyMap<string, ServiceTool>>();

/**
 * The HTTP service of an integration that was made from an OpenAPI document: each call of a tool is
 * one request. It has no session, sends no messages and asks for no input.
 */
export class OpenApiUpstream implements CalledUpstream {
  private readonly baseUrl: URL;

  constructor(
    private readonly server: McpServerDocument,
    private readonly owner: Pick<UpstreamOwner, 'binding' | 'caller'>,
    private readonly parts: OpenApiUpstreamParts,
  ) {
    this.baseUrl = new URL(server.url);
  }

  describe(): ReturnType<CalledUpstream['describe']> {
    const facts = { serverInfo: {}, capabilities: { tools: {} }, instructions: null };
    return Promise.resolve({ ...facts, era: 'modern', revision: MODERN_REVISIONS[0] });
  }

  connect(): 'modern' {
    return 'modern';
  }

  request(): Promise<never> {
    return Promise.reject(unsupported());
  }

  listen(): AsyncGenerator<never, void> {
    throw unsupported();
  }

  /** Carries out tools/call. Throws an `UpstreamError`; faults of arguments are tool errors. */
  async perform(method: string, params: JsonObject, options: CallOptions = {}): Promise<CallEnd> {
    const name = own(params, 'name');
    const tool = method === 'tools/call' ? serviceTools(this.server).get(String(name)) : undefined;
    if (tool === undefined) throw unsupported();
    const totalMs = Math.min(CALL_MS_MAX, this.server.timeoutMs ?? DEFAULT_TIMEOUTS.callMs);
    const limits = { totalMs, idleMs: DEFAULT_TIMEOUTS.idleMs };
    const clock = new CallClock(limits, options.signal, this.parts.memory);
    try {
      const request = openApiRequest(tool.operation, ownObject(params, 'arguments'));
      return await this.call(request, tool, options, clock);
    } catch (error) {
      if (!(error instanceof OpenApiFault)) throw error;
      // Nothing was sent: all faults come from the arguments.
      const value = { resultType: 'complete', ...toolError(error.message) };
      return { kind: 'result', result: parsedResult(value, null, { wasSent: false }) };
    } finally {
      clock.end();
    }
  }

  private async call(
    request: OpenApiRequest,
    { promisesObject }: ServiceTool,
    options: CallOptions,
    clock: CallClock,
  ): Promise<CallEnd> {
    const url = openApiUrl(this.baseUrl, request);
    const credential = await this.parts.credentials.headersOf(this.server, this.owner.caller);
    const passed = options.headers ?? {};
    const given = argumentHeaders(request, { ...credential, ...passed }, this.server);
    const response = await this.send(
      this.with(credential),
      url,
      { ...request, headers: { ...given, ...passed } },
      clock,
    );
    if (response.status === 401 && isOfUsers(this.server.authType)) {
      response.body.discard();
      throw new UpstreamError('unauthorized', 'The service refused the token of the user.', {
        ...{ status: 401, mayHaveExecuted: false },
      });
    }
    const read = await readServiceResponse(response);
    const shown = { ...read, body: withoutSecrets(read.body, credential) };
    const { result, numbers } = openApiResult(shown, {
      era: 'modern',
      // Clients need not know where the service is.
      uri: `openapi:${request.target.split('?', 1).join('')}`,
      promisesObject,
    });
    const { status, body } = shown;
    return { kind: 'result', result: parsedResult(result, numbers, { status, bytes: body.length }) };
  }

  private with(credential: Headers): UpstreamHttp {
    const poolClass = poolClassOf(this.server, this.owner.binding);
    const { connectMs } = DEFAULT_TIMEOUTS;
    return new UpstreamHttp({
      ...this.parts.network,
      url: this.baseUrl,
      poolClass,
      headers: () => credential,
      connectMs,
    });
  }

  /** Sends the request, and a second time when the first one surely did not reach the service. */
  private async send(
    http: UpstreamHttp,
    url: URL,
    { method, headers: extra, body }: OpenApiRequest,
    clock: CallClock,
  ): Promise<UpstreamHttpResponse> {
    const headers = {
      accept: 'application/json, */*;q=0.5',
      ...(body !== null && { 'content-type': JSON_TYPE }),
    };
    const request = { method, url, extra, headers, body: body === null ? null : Buffer.from(body) };
    try {
      return await http.send(request, clock);
    } catch (error) {
      const isRepeatable =
        error instanceof UpstreamError && error.kind === 'unreachable' && !error.mayHaveExecuted;
      if (!isRepeatable || !(await waited(clock))) throw error;
      return http.send(request, clock);
    }
  }
}

/** Headers that arguments fill. Throws an `OpenApiFault` for those of the credential and of the integration's rules. */
function argumentHeaders({ headers }: OpenApiRequest, set: Headers, server: McpServerDocument): Headers {
  const taken = new Set([...Object.keys(set).map((name) => name.toLowerCase()), ...ruledHeaders(server)]);
  const [conflict] = Object.keys(headers).filter((name) => taken.has(name));
  if (conflict === undefined) return headers;
  throw new OpenApiFault(`The header ${conflict} is set by the integration; leave the argument out.`);
}

/** The tools of a service by their names. */
function serviceTools(server: McpServerDocument): ReadonlyMap<string, ServiceTool> {
  let tools = toolsOf.get(server);
  if (tools === undefined) {
    const found = server.capabilities.flatMap(({ name, operation, definition }) => {
      const promisesObject = own(ownObject(definition, 'outputSchema'), 'type') === 'object';
      const tool = { operation: operation as unknown as HttpOperation, promisesObject };
      return operation === undefined ? [] : [[name, tool] as const];
    });
    toolsOf.set(server, (tools = new Map(found)));
  }
  return tools;
}

/** Waits before a repetition; false when the call ended meanwhile. */
async function waited({ signal }: CallClock): Promise<boolean> {
  await delay(REPEAT_AFTER_MS, undefined, { signal }).catch(() => undefined);
  return !signal.aborted;
}

const unsupported = (): UpstreamError =>
  new UpstreamError('unsupported', 'The HTTP service has tools only.', { mayHaveExecuted: false });
