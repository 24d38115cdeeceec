import { performance } from 'node:perf_hooks';
import { EXTENSIONS_HEADER, type Members, type Operation } from '@gw/a2a';
import {
  AGENT_TIMEOUTS,
  AgentCallError,
  type AgentCall,
  type AgentCallErrorKind,
  type AgentClient,
  type AgentTarget,
} from '@gw/a2a-client';
import type { AgentServerDocument, AttemptEnd } from '@gw/contracts';
import type { ResponseMemory } from '@gw/outbound';
import type { BeforeCall } from '../attempt/sender';
import { passedHeaders } from '../credentials/passed-headers';
import type { CredentialHeaders, ServerCredentials, SignedInServer } from '../credentials/server-credentials';
import type { UpstreamBreakers } from '../limits/upstream-breakers';
import { agentDenied } from './denials';
import type { AgentRequest } from './agent-request';
import { upstreamOf } from './agent-upstream';

export interface AgentCallParts {
  readonly client: AgentClient;
  readonly credentials: ServerCredentials<SignedInServer>;
  readonly breakers: UpstreamBreakers;
  /**
   * Writes the request to the in-flight log. Throws under strict audit when that is not possible.
   */
  readonly beforeCall: BeforeCall;
}

/** Calls agents on behalf of callers. */
export class AgentCalls {
  constructor(private readonly parts: AgentCallParts) {}

  /**
   * Makes a call with one response and resolves to its result. `params` and the result have the
   * format of the agent's A2A version. Rejects with `AgentDenied`, `A2aError` or `GatewayError`.
   */
  async call(request: AgentRequest, operation: Operation, params: Members): Promise<unknown> {
    const call = await this.begin(request, operation, params);
    const attempt = async (current: AgentCall, retry: number): Promise<unknown> => {
      const ends = this.parts.breakers.enter(request.view.document);
      const startedMs = request.context.elapsedMs();
      try {
        const response = await this.parts.client.call(targetOf(request.view.document), current);
        ends(null);
        showExtensions(request, response.extensions);
        recordAttempt(request, { startedMs, retry }, null);
        return response.result;
      } catch (error) {
        ends(error);
        recordAttempt(request, { startedMs, retry }, error);
        const again = retry === 0 ? await this.withRenewedCredential(request, current, error) : null;
        if (again === null) throw denialOf(error);
        return attempt(again, 1);
      }
    };
    return attempt(call, 0);
  }

  /** Makes a call whose response is a stream, and yields its events. Throws as `call` does. */
  async *stream(request: AgentRequest, operation: Operation, params: Members): AsyncGenerator<unknown, void> {
    const call = await this.begin(request, operation, params);
    yield* this.streamAttempt(request, call, 0);
  }

  private async *streamAttempt(
    request: AgentRequest,
    call: AgentCall,
    retry: number,
  ): AsyncGenerator<unknown, void> {
    const ends = this.parts.breakers.enter(request.view.document);
    const startedMs = request.context.elapsedMs();
    let failure: unknown = null;
    let again: AgentCall | null = null;
    let isOpen = false;
    try {
      const opened = (extensions: string | null): void => {
        // The breaker records the success now, because a stream may last for an hour.
        ends(null);
        isOpen = true;
        showExtensions(request, extensions);
      };
      yield* this.parts.client.stream(targetOf(request.view.document), call, opened);
    } catch (error) {
      failure = error;
      again = retry === 0 ? await this.withRenewedCredential(request, call, error) : null;
      if (again === null) throw denialOf(error);
    } finally {
      if (!isOpen) ends(failure);
      recordAttempt(request, { startedMs, retry }, failure);
    }
    if (again !== null) yield* this.streamAttempt(request, again, 1);
  }

  /**
   * Returns the call with a renewed credential when the agent refused the call's credential;
   * otherwise null.
   */
  private async withRenewedCredential(
    { view, signal }: AgentRequest,
    call: AgentCall,
    error: unknown,
  ): Promise<AgentCall | null> {
    if (!isRefusal(error) || signal.aborted) return null;
    const upstream = upstreamOf(view.document);
    const credential = await this.parts.credentials.renewed(upstream, view.caller.access, call.credential);
    return credential && { ...call, credential };
  }

  /**
   * Reads a task without a client's request. The result has the format of the agent's A2A version,
   * and its bytes are counted in `memory`. Rejects with `AgentCallError`, or with the error of
   * obtaining the credential.
   */
  async readTask(document: AgentServerDocument, taskId: string, memory: ResponseMemory): Promise<unknown> {
    const upstream = upstreamOf(document);
    const signal = AbortSignal.timeout(POLL_MS);
    const read = async (credential: CredentialHeaders): Promise<unknown> => {
      const { result } = await this.parts.client.call(targetOf(document), {
        ...{ operation: 'getTask', params: { id: taskId }, credential, passed: {}, extensions: [], signal },
        memory,
        timeouts: { ...AGENT_TIMEOUTS, responseMs: POLL_MS },
      });
      return result;
    };
    const credential = await this.parts.credentials.headersOf(upstream, null);
    try {
      return await read(credential);
    } catch (error) {
      const renewed = isRefusal(error) && (await this.parts.credentials.renewed(upstream, null, credential));
      if (!renewed) throw error;
      return read(renewed);
    }
  }

  private async begin(request: AgentRequest, operation: Operation, params: Members): Promise<AgentCall> {
    const { view, context, extensions, signal, memory, reply } = request;
    const { document } = view;
    // A request whose credential cannot be obtained is denied before anything is sent, and is not
    // recorded as an attempt.
    const upstream = upstreamOf(document);
    const credential = await this.parts.credentials.headersOf(upstream, view.caller.access);
    const { timeoutMs } = document.limits;
    context.agent?.callSent();
    if (reply.isRecorded) this.parts.beforeCall(context, null);
    return {
      ...{ operation, params, credential, extensions, signal, memory },
      passed: passedHeaders(context, upstream, view.caller.principal),
      timeouts: timeoutMs === null ? AGENT_TIMEOUTS : { ...AGENT_TIMEOUTS, responseMs: timeoutMs },
    };
  }
}

/**
 * Sets the response header that lists the extensions which the client requested and the agent
 * activated.
 */
function showExtensions({ reply, form, extensions }: AgentRequest, activated: string | null): void {
  const known = (activated ?? '').split(',').map((uri) => uri.trim());
  const shown = extensions.filter((uri) => known.includes(uri));
  if (shown.length > 0) reply.addHeaders({ [EXTENSIONS_HEADER[form.version]]: shown.join(', ') });
}

/** Maximum milliseconds for reading a task without a client's request. */
const POLL_MS = 30_000;

const targetOf = (document: AgentServerDocument): AgentTarget => ({
  ...document.endpoint,
  poolClass: `a2a/${document.organisationId}/${document.integrationId}/${document.version}`,
});

/**
 * Whether the agent refused the credential. A 403 is a refusal of the operation, which a new token
 * of the same client would not change.
 */
const isRefusal = (error: unknown): boolean => error instanceof AgentCallError && error.status === 401;

const denialOf = (error: unknown): unknown => (error instanceof AgentCallError ? agentDenied(error) : error);

/**
 * Adds the call to the attempts in the request's log record. `error` is null for a call with a
 * result.
 */
function recordAttempt(
  { context, view }: AgentRequest,
  { startedMs, retry }: { readonly startedMs: number; readonly retry: number },
  error: unknown,
): void {
  const failure = error instanceof AgentCallError ? error : null;
  context.attempts.addRecord({
    target: view.document.slug,
    provider: 'a2a',
    credential: view.document.slug,
    model: null,
    retry,
    status: failure?.status ?? (error === null ? 200 : null),
    end: error === null ? 'answered' : ((failure && ENDS[failure.kind]) ?? 'interrupted'),
    reason: failure?.message ?? null,
    startedMs,
    durationMs: Math.max(0, performance.now() - context.startedAt - startedMs),
  });
}

const ENDS: Partial<Record<AgentCallErrorKind, AttemptEnd>> = {
  timeout: 'timeout',
  cancelled: 'client_closed',
  unreachable: 'unreachable',
  refused_address: 'unreachable',
  agent_error: 'answered',
  unauthorized: 'status',
  http_status: 'status',
  redirected: 'redirected',
};
