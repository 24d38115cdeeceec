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
  type OpenApiResponse,
} from '@gw/mcp';
import {
  CALL_MS_MAX,
  CallClock,
  DEFAULT_TIMEOUTS,
  UpstreamError,
  UpstreamHttp,
  parsedResult,
  pause,
  recoveryFor,
  type CallEnd,
  type CallOptions,
  type HeaderSource,
  type UpstreamNetwork,
} from '@gw/mcp-client';
import type { ResponseMemory } from '@gw/outbound';
import type { CalledUpstream, UpstreamOwner } from '../called-upstream';
import { ruledHeaders } from '../../credentials/passed-headers';
import { poolClassOf } from '../pool-class';
import { isOfOneRequest, type ServerCredentials } from '../../credentials/server-credentials';
import { readServiceResponse } from './service-response';
import { withoutSecrets } from './without-secrets';

export interface OpenApiUpstreamParts {
  readonly network: UpstreamNetwork;
  readonly credentials: Pick<ServerCredentials<McpServerDocument>, 'headersOf' | 'renew'>;
  /** Counts the bytes of responses while a call holds them. */
  readonly memory: ResponseMemory;
}

interface ServiceTool {
  readonly operation: HttpOperation;
  readonly promisesObject: boolean;
}

type Headers = Readonly<Record<string, string>>;

const toolsOf = new WeakMap<McpServerDocument, ReadonlyMap<string, ServiceTool>>();

/**
 * The HTTP service of an integration that was created from an OpenAPI document: each call of a tool
 * is one HTTP request. The service has no session, sends no notifications and requests no input.
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

  /**
   * Carries out tools/call. Throws an `UpstreamError`; returns a tool error for arguments that are
   * not valid.
   */
  async perform(method: string, params: JsonObject, options: CallOptions = {}): Promise<CallEnd> {
    const name = own(params, 'name');
    const tool = method === 'tools/call' ? serviceTools(this.server).get(String(name)) : undefined;
    if (tool === undefined) throw unsupported();
    const totalMs = Math.min(CALL_MS_MAX, this.server.timeoutMs ?? DEFAULT_TIMEOUTS.callMs);
    const limits = { totalMs, idleMs: DEFAULT_TIMEOUTS.idleMs };
    const clock = new CallClock(limits, options.signal, this.parts.memory);
    try {
      const args = ownObject(params, 'arguments');
      const request = openApiRequest(tool.operation, args, options.argumentBytes ?? null);
      return await this.call(request, tool, options, clock);
    } catch (error) {
      if (!(error instanceof OpenApiFault)) throw error;
      // No request was sent: an `OpenApiFault` is always a fault of the arguments.
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
    const { server, owner, parts } = this;
    const { href: url } = openApiUrl(this.baseUrl, request);
    const at = { method: request.method, url, body: null, nonce: null };
    const credential = await parts.credentials.headersOf(server, owner.caller, at);
    let received = await this.sendAndRead(request, credential, options, clock);
    if (received.response.status === 401) {
      if (isOfUsers(server.authType)) throw refusedToken();
      const renewed = await this.renewedCredential(credential);
      if (renewed !== null) received = await this.sendAndRead(request, renewed, options, clock);
    }
    const { response, sentWith } = received;
    const shown = { ...response, body: withoutSecrets(response.body, sentWith) };
    const { result, numbers } = openApiResult(shown, {
      era: 'modern',
      // The URI names the path only, because clients need not know the address of the service.
      uri: `openapi:${request.target.split('?', 1).join('')}`,
      promisesObject,
    });
    const { status, body } = shown;
    return { kind: 'result', result: parsedResult(result, numbers, { status, bytes: body.length }) };
  }

  /**
   * Returns a new credential in place of one that the service refused; null when there is no other.
   */
  private async renewedCredential(refused: Headers): Promise<Headers | null> {
    const { server, owner, parts } = this;
    // A new signature by the same key would be refused as well.
    if (isOfOneRequest(refused)) return null;
    await parts.credentials.renew(server);
    // Another call may have renewed the credential meanwhile.
    const headers = await parts.credentials.headersOf(server, owner.caller);
    return headers['authorization'] === refused['authorization'] ? null : headers;
  }

  /**
   * Sends the request and reads the response. Sends it a second time when the first attempt failed
   * and may be repeated.
   */
  private async sendAndRead(
    request: OpenApiRequest,
    credential: Headers,
    options: CallOptions,
    clock: CallClock,
  ): Promise<Received> {
    const passed = options.headers ?? {};
    const given = argumentHeaders(request, { ...credential, ...passed }, this.server);
    const { method, body } = request;
    const sent = {
      ...{ method, url: openApiUrl(this.baseUrl, request), extra: { ...given, ...passed } },
      headers: { accept: 'application/json, */*;q=0.5', ...(body !== null && { 'content-type': body.type }) },
      body: body === null ? null : body.bytes,
    };
    let sentWith = credential;
    // Each request has its own signature or proof.
    const signed: HeaderSource = async (at) => {
      sentWith = await this.parts.credentials.headersOf(this.server, this.owner.caller, at);
      return sentWith;
    };
    const http = this.httpWith(isOfOneRequest(credential) ? signed : () => credential);
    const once = async (): Promise<Received> => {
      const response = await readServiceResponse(await http.send(sent, clock));
      return { response, sentWith };
    };
    try {
      return await once();
    } catch (error) {
      if (!(error instanceof UpstreamError)) throw error;
      const call = { method: 'tools/call', channel: null, attempts: 0, options, clock };
      const recovery = recoveryFor(error, call);
      if (recovery.kind !== 'repeat' || !(await pause(recovery.afterMs, clock))) throw error;
      return once();
    }
  }

  private httpWith(headers: HeaderSource): UpstreamHttp {
    const poolClass = poolClassOf(this.server, this.owner.binding);
    const { connectMs } = DEFAULT_TIMEOUTS;
    return new UpstreamHttp({
      ...this.parts.network,
      url: this.baseUrl,
      poolClass,
      headers,
      connectMs,
    });
  }
}

/** A response, and the credential headers of the request that it answers. */
interface Received {
  readonly response: OpenApiResponse;
  readonly sentWith: Headers;
}

const refusedToken = (): UpstreamError =>
  new UpstreamError('unauthorized', 'The service refused the token of the user.', {
    ...{ status: 401, mayHaveExecuted: false },
  });

/**
 * Returns the headers that arguments set. Throws an `OpenApiFault` when an argument sets a header
 * of the credential or of the integration's rules.
 */
function argumentHeaders({ headers }: OpenApiRequest, set: Headers, server: McpServerDocument): Headers {
  const taken = new Set([...Object.keys(set).map((name) => name.toLowerCase()), ...ruledHeaders(server)]);
  const [conflict] = Object.keys(headers).filter((name) => taken.has(name));
  if (conflict === undefined) return headers;
  throw new OpenApiFault(`The header ${conflict} is set by the integration; leave the argument out.`);
}

/** Returns the tools of a service by name. */
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

const unsupported = (): UpstreamError =>
  new UpstreamError('unsupported', 'The HTTP service has tools only.', { mayHaveExecuted: false });
