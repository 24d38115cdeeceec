import { EXTENSIONS_HEADER, PROTOCOL_HEADERS, RESPONSE_BOUNDS, VERSION_HEADER } from '@gw/a2a';
import { isSendersHeader, type AddressPolicy } from '@gw/kernel';
import {
  endedBy,
  EventParser,
  layeredHeaders,
  openResponse,
  type OutboundClient,
  type StreamedResponse,
} from '@gw/outbound';
import type { AgentCall, Interface } from './agent-call';
import {
  AgentCallError,
  cancelled,
  fromOutbound,
  noMemory,
  protocolError,
  tooLarge,
} from './agent-call-error';
import { FORMS, resultIn, type BindingForm, type BoundRequest } from './bindings';

export interface AgentClientOptions {
  readonly client: Pick<OutboundClient, 'dispatch'>;
  readonly policy: AddressPolicy;
}

/** The interface that a call uses, and its connection pool. */
export interface AgentTarget extends Interface {
  /** Connections are shared only within a class: one per tenant and credential. */
  readonly poolClass: string;
}

/** A response of an agent. `result` has the shape of the version of its interface. */
export interface AgentResponse {
  readonly result: unknown;
  /** URIs of the extensions that the agent reports as activated; null for none. */
  readonly extensions: string | null;
}

const ERROR_BODY_MAX = 65_536;
const EXTENSIONS_LENGTH_MAX = 8_192;

/**
 * Calls agents under the address policy, in both versions and both bindings. Follows no redirects
 * and repeats no call.
 */
export class AgentClient {
  constructor(private readonly options: AgentClientOptions) {}

  /**
   * Makes a call with one response. Throws `AgentCallError`, and `A2aError` for parameters that the
   * binding cannot express.
   */
  async call(target: AgentTarget, call: AgentCall): Promise<AgentResponse> {
    const form = FORMS[target.binding];
    const response = await this.open(target, call, form, false);
    const body = await response.body.whole(RESPONSE_BOUNDS.bytesMax);
    // Counts the parsed form too, and what later steps build from it.
    if (call.memory?.take(2 * body.length) === false) throw noMemory();
    return { result: resultIn(body, call.operation, target), extensions: extensionsOf(target, response) };
  }

  /**
   * Makes a call whose response is a stream, and yields the result of each event. A single JSON
   * object is yielded alone. A reader that stops early closes the connection, but does not cancel
   * the task. Throws like `call`.
   */
  async *stream(
    target: AgentTarget,
    call: AgentCall,
    opened: (extensions: string | null) => void = () => undefined,
  ): AsyncGenerator<unknown, void> {
    const form = FORMS[target.binding];
    const response = await this.open(target, call, form, true);
    opened(extensionsOf(target, response));
    if (response.headers.mediaType !== 'text/event-stream') {
      yield resultIn(await response.body.whole(RESPONSE_BOUNDS.bytesMax), call.operation, target);
      return;
    }
    const { memory } = call;
    const parser = new EventParser(RESPONSE_BOUNDS.bytesMax, tooLarge, memory ? { memory, noMemory } : null);
    for await (const chunk of response.body)
      for (const { type, data } of parser.push(chunk)) {
        if (type === 'error') throw errorEvent(form, data);
        if (type !== 'message') continue;
        if (memory?.take(3 * data.length) === false) throw noMemory();
        try {
          yield resultIn(data, call.operation, target);
        } finally {
          memory?.give(3 * data.length);
        }
      }
  }

  /** Sends the request and resolves with a successful response. */
  private async open(
    target: AgentTarget,
    call: AgentCall,
    form: BindingForm,
    isStream: boolean,
  ): Promise<StreamedResponse> {
    const request = form.request(target, call.operation, call.params);
    const verdict = this.options.policy.checkUrl(request.url.href);
    if (!verdict.ok) throw new AgentCallError('refused_address', verdict.rule);
    if (call.signal.aborted) throw cancelled();
    const { connectMs, responseMs, idleMs, streamMs } = call.timeouts;
    const response = await openResponse(
      this.options.client,
      {
        origin: request.url.origin,
        path: request.url.pathname + request.url.search,
        method: request.method,
        headers: headersOf(target, call, request, isStream),
        body: request.body,
        poolClass: target.poolClass,
        connectTimeoutMs: connectMs,
        headersTimeoutMs: responseMs,
        idleTimeoutMs: isStream ? idleMs : responseMs,
        totalTimeoutMs: isStream ? streamMs : responseMs,
      },
      endedBy(call.signal, call.memory ?? null),
      ERRORS,
    );
    await assertSuccess(form, response);
    assertReadable(response);
    return response;
  }
}

const ERRORS = { errorOf: fromOutbound, tooLarge, noMemory };

/**
 * Returns whether the protocol defines this header of requests to agents, so that callers and
 * integrations must not set it. `name` is in lower case.
 */
const isReserved = (name: string): boolean => PROTOCOL_HEADERS.has(name) || isSendersHeader(name);

function headersOf(
  { version }: Interface,
  { credential, passed, extensions }: AgentCall,
  { contentType, accept }: BoundRequest,
  isStream: boolean,
): readonly string[] {
  const protocol = {
    accept: isStream ? `text/event-stream, ${accept}` : accept,
    ...(contentType !== null && { 'content-type': contentType }),
    ...(version !== '0.3' && { [VERSION_HEADER]: version }),
    ...(extensions.length > 0 && { [EXTENSIONS_HEADER[version]]: extensions.join(', ') }),
  };
  return layeredHeaders(
    { configured: credential, ofCall: passed, protocol },
    {
      isReserved,
      refused: (name) => protocolError(`The header ${name} cannot be sent to an agent.`),
    },
  );
}

async function assertSuccess(form: BindingForm, response: StreamedResponse): Promise<void> {
  const { status, body, headers } = response;
  if (status >= 200 && status < 300) return;
  if (status < 400) {
    body.discard();
    throw new AgentCallError('redirected', 'The agent redirects, and redirects are not followed.', {
      status,
    });
  }
  const error = await errorOf(form, response);
  if (status === 401 || status === 403)
    throw new AgentCallError('unauthorized', `The agent refuses the credentials (${String(status)}).`, {
      status,
    });
  if (error !== null)
    throw new AgentCallError('agent_error', 'The agent responded with an error.', { status, error });
  throw new AgentCallError('http_status', `The agent responded with status ${String(status)}.`, {
    status,
    retryAfterMs: headers.retryAfterMs,
  });
}

/** Returns the error in a JSON body; null if there is none. */
async function errorOf(form: BindingForm, response: StreamedResponse): Promise<unknown> {
  if (!isJson(response.headers.mediaType)) {
    response.body.discard();
    return null;
  }
  try {
    return form.errorIn(await response.body.whole(ERROR_BODY_MAX));
  } catch {
    return null;
  }
}

function assertReadable(response: StreamedResponse): void {
  const type = response.headers.mediaType;
  const encoding = response.headers.get('content-encoding') ?? 'identity';
  const isEmpty = response.status === 204 || response.headers.get('content-length') === '0';
  if (encoding === 'identity' && (isEmpty || type === 'text/event-stream' || isJson(type))) return;
  response.body.discard();
  throw protocolError('The response is neither JSON nor an event stream.', { status: response.status });
}

const isJson = (type: string): boolean => type === 'application/json' || type === 'application/a2a+json';

const errorEvent = (form: BindingForm, data: Buffer): AgentCallError => {
  const error = form.errorIn(data);
  return error === null
    ? protocolError('The stream ended with an event that is no error of A2A.')
    : new AgentCallError('agent_error', 'The agent responded with an error.', { error });
};

function extensionsOf({ version }: Interface, { headers }: StreamedResponse): string | null {
  const activated = headers.get(EXTENSIONS_HEADER[version]) ?? null;
  return activated !== null && activated.length <= EXTENSIONS_LENGTH_MAX ? activated : null;
}
