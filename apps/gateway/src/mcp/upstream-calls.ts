import { isOfUsers, type McpApprovalRound, type McpServerDocument } from '@gw/contracts';
import type { Keyring, Shares } from '@gw/kernel';
import {
  CODES,
  inputRequired,
  readRetry,
  sealState,
  type InputRequests,
  type JsonObject,
  type RequestState,
  type RpcError,
  type StateOwner,
} from '@gw/mcp';
import { noMemory, UpstreamError, type ReceivedResult } from '@gw/mcp-client';
import { ServerPlaces } from './server-places';
import { callNote, relayTo, type CallNote } from './call-notes';
import type { BeforeCall } from '../attempt/sender';
import { endWithResponse, requestMemory } from '../bodies/held-responses';
import type { ClientInputs } from './client-inputs';
import { relayedError, upstreamDenied } from './denials';
import type { McpRequest } from './mcp-request';
import { shownInput, shownInPlace } from './aggregate/shown';
import { endedWithoutInput, relayedInput } from './relayed-input';
import { callOptions, sentParams, type ForwardedCall } from './forwarded-call';
import { interrupted } from './parked/interrupted';
import type { Parking } from './parked/parking';
import { inputHandling } from './sampling/call-input';
import { samplingModel, type Sampling } from './sampling/sampling';
import { sendReceived, sendResult } from './sent-results';
import { upstreamCapabilities } from './tasks/task-support';
import { traceContext } from './trace-headers';
import { CallGone, newCall, type CallInProgress, type UpstreamCall } from './upstream-call';
import type { UpstreamConnections } from './upstream-connections';
import { isRefusedCredential, isRefusedToken, scopesDenial } from './upstream-refusals';
import type { CredentialHeaders, ServerCredentials } from '../credentials/server-credentials';
import type { UpstreamBreakers } from '../limits/upstream-breakers';
import type { McpUpstreams } from './upstreams';

export interface UpstreamCallParts {
  readonly upstreams: McpUpstreams;
  readonly inputs: ClientInputs;
  readonly sampling: Sampling;
  readonly parking: Parking;
  /**
   * Writes the request to the in-flight log. Throws under strict audit when that is not possible.
   */
  readonly beforeCall: BeforeCall;
  readonly credentials: ServerCredentials<McpServerDocument>;
  readonly connections: UpstreamConnections;
  readonly breakers: UpstreamBreakers;
  readonly ring: Keyring;
  /** Memory for results until clients have received them; workspaces share it. */
  readonly memory: Shares;
  /** Hosts of this installation; no upstream may send users to a page on them. */
  readonly ownHosts: readonly string[];
}

/** A round of a call: the params that it adds, and the approval that the previous round used. */
interface Round {
  readonly kind: 'sent';
  readonly more: JsonObject;
  readonly approval: McpApprovalRound | null;
}

/** One of at most two attempts of a call. */
interface Attempt {
  readonly isSecond: boolean;
  /** Headers of the credential that the call uses. */
  credential: CredentialHeaders;
}

/**
 * Minimum bytes of a result that is counted; smaller ones are bounded by the number of calls in
 * flight.
 */
const COUNTED_BYTES_MIN = 16_384;

/** Status of a round that ends with a request for input: the server has responded. */
const INPUT_REQUIRED = { status: 200, wasSent: true };

const FIRST_ROUND: Round = { kind: 'sent', more: {}, approval: null };

/** A parked call of an earlier round. */
interface ParkedRound {
  readonly kind: 'parked';
  readonly call: CallInProgress;
}

/** Reference of a request to an earlier one. */
type RetryReference = Exclude<ReturnType<typeof readRetry>, { readonly kind: 'new' }>;

/** How a request continues an earlier one. */
type Resumed = { readonly kind: 'answered'; readonly result: JsonObject } | ParkedRound | Round;

/**
 * Makes calls at upstreams, and translates requests for input when client and upstream are of
 * different eras.
 */
export class UpstreamCalls {
  private readonly places = new ServerPlaces();

  constructor(private readonly parts: UpstreamCallParts) {}

  /** Makes the call and sends the response. Rejects with `McpFault`, `Denied` or `GatewayError`. */
  run(request: McpRequest, forwarded: ForwardedCall): Promise<void> {
    return this.places.within(request.view, () => this.attempt(request, forwarded));
  }

  private async attempt(request: McpRequest, forwarded: ForwardedCall, isSecond = false): Promise<void> {
    const retry = request.era === 'modern' ? this.retryOf(request) : null;
    const resumed = retry === null ? null : await this.resume(request, retry);
    if (resumed?.kind === 'answered') return sendResult(request, resumed.result);
    const round = resumed ?? FIRST_ROUND;
    const attempt: Attempt = { isSecond, credential: {} };
    const ends = round.kind === 'parked' ? null : this.parts.breakers.enter(request.view.document);
    try {
      await this.carryOut(request, forwarded, round, attempt);
      ends?.(null);
    } catch (error) {
      ends?.(error);
      if (await this.renewToken(request, error, attempt)) return await this.attempt(request, forwarded, true);
      await this.handleFailure(request, forwarded, error);
    }
  }

  private async carryOut(
    request: McpRequest,
    forwarded: ForwardedCall,
    round: Round | ParkedRound,
    attempt: Attempt,
  ): Promise<void> {
    const note = callNote(request, request.context.elapsedMs());
    let call: CallInProgress | null = null;
    const stop = (): void => call?.cancel();
    try {
      request.reply.streamLater();
      if (round.kind === 'parked') request.context.mcp?.callSent();
      call = round.kind === 'parked' ? round.call : await this.begin(request, forwarded, round, attempt);
      call.listener = relayTo(request);
      if (call.outlivesRequest) request.signal.addEventListener('abort', stop, { once: true });
      // The client may have disconnected while the era of the upstream was determined.
      if (request.signal.aborted) call.cancel();
      await this.follow(request, forwarded, call, note);
    } catch (error) {
      // A request that was refused before it was sent is not recorded as a call.
      if (call !== null || error instanceof UpstreamError) note(error);
      throw error;
    } finally {
      if (call !== null) call.listener = null;
      if (call?.outlivesRequest === true) request.signal.removeEventListener('abort', stop);
    }
  }

  /**
   * Waits for the end of a call. A legacy client answers requests for input during the call; a
   * modern client sends the call again with its responses.
   */
  private async follow(
    request: McpRequest,
    forwarded: ForwardedCall,
    call: CallInProgress,
    note: CallNote,
  ): Promise<void> {
    for (;;) {
      const outcome = await call.next();
      if (outcome.kind === 'result') this.countUntilSent(request, outcome.result);
      const { status, wasSent } = outcome.kind === 'result' ? outcome.result : INPUT_REQUIRED;
      if (wasSent && (outcome.kind !== 'input' || request.era === 'modern')) note(status);
      if (outcome.kind === 'result') {
        const changed = await forwarded.onResult(outcome.result);
        return sendReceived(request, outcome.result, shownInPlace(request, outcome.result, changed));
      }
      if (outcome.kind === 'input_required') {
        forwarded.onInputRequired();
        return this.relayInput(request, outcome.result);
      }
      if (request.era === 'modern') {
        forwarded.onInputRequired();
        return this.park(request, call, shownInput(request, outcome.requests));
      }
      for (const [key, asked] of Object.entries(shownInput(request, outcome.requests))) {
        if (request.context.mcp !== null) request.context.mcp.inputs += 1;
        call.answer({ [key]: await this.parts.inputs.request(request, asked, outcome.until) });
      }
    }
  }

  /**
   * Counts the memory of a result and of its serialised form until the client has received it.
   * Throws `no_memory` when there is no room.
   */
  private countUntilSent({ view, context }: McpRequest, { bytes }: ReceivedResult): void {
    if (bytes < COUNTED_BYTES_MIN) return;
    const held = requestMemory(this.parts.memory, view.document);
    if (!held.take(2 * bytes)) throw noMemory();
    endWithResponse(held, context.res);
  }

  private async begin(
    request: McpRequest,
    forwarded: ForwardedCall,
    { more, approval }: Round,
    attempt: Attempt,
  ): Promise<UpstreamCall> {
    const { view, message, session } = request;
    // This is only a check: a call whose credentials cannot be read is denied here, before anything
    // is sent. The upstream reads the credentials again.
    const headers = this.parts.credentials.headersOf(view.document, view.caller.access);
    attempt.credential = headers instanceof Promise ? await headers : headers;
    const upstream = this.parts.upstreams.of(view.document, {
      binding: view.caller.binding,
      caller: view.caller.access,
      session: forwarded.session === undefined ? (session?.nonce ?? null) : forwarded.session,
      capabilities: forwarded.capabilities ?? upstreamCapabilities(request),
    });
    const mayRelay = request.era === 'modern' && samplingModel(view.document) === null;
    const era = mayRelay ? upstream.connect({ signal: request.signal }) : 'legacy';
    // The client itself makes the rounds of input when both it and the upstream are modern.
    const relays = (era instanceof Promise ? await era : era) === 'modern';
    const { call, signal } = newCall(request, relays);
    // This check is the last, because it consumes the approval.
    if (forwarded.requireApproval !== undefined) await forwarded.requireApproval(approval);
    const trace = traceContext(request);
    const { capabilities } = forwarded;
    const asked = capabilities === undefined ? request : { ...request, capabilities };
    const input = relays ? 'relay' : inputHandling(asked, call.respond, this.parts);
    const params = sentParams(request, forwarded, { more, relays, trace });
    const options = callOptions(request, forwarded, { signal, input, trace });
    this.noteSent(request);
    call.start(upstream.perform(message.method, params, options, call.notice));
    return call;
  }

  private noteSent({ context }: McpRequest): void {
    context.mcp?.callSent();
    this.parts.beforeCall(context, null);
  }

  /** Reads the reference of a modern request to an earlier one; null for a first request. */
  private retryOf(request: McpRequest): RetryReference | null {
    const { capabilities } = request;
    const owner = stateOwner(request);
    const retry = readRetry({ ring: this.parts.ring, owner, capabilities, now: Date.now() });
    return retry.kind === 'new' ? null : retry;
  }

  private async resume(request: McpRequest, retry: RetryReference): Promise<Resumed> {
    const { message, view } = request;
    if (retry.kind === 'require_again') return { kind: 'answered', result: retry.result };
    const { state, responses } = retry;
    if (request.context.mcp !== null) request.context.mcp.inputs += Object.keys(responses).length;
    const { upstreamState, parked } = state;
    if (state.kind !== 'parked' || parked === null)
      return {
        kind: 'sent',
        approval: state.approval ?? null,
        more: { inputResponses: responses, ...(upstreamState !== null && { requestState: upstreamState }) },
      };
    const answers = responses as Readonly<Record<string, JsonObject>>;
    const found = await this.parts.parking.redeem(parked, view.caller.binding, answers);
    if (found.kind !== 'found') return { kind: 'answered', result: interrupted(message.method, found.kind) };
    return { kind: 'parked', call: found.call };
  }

  private park(request: McpRequest, call: CallInProgress, requests: InputRequests): void {
    const parked = call.park(request.view.caller.binding, this.parts.parking);
    const state =
      parked === null
        ? null
        : this.sealRequestState(request, { kind: 'parked', requests, upstreamState: null, parked });
    if (state === null) call.cancel();
    const result =
      state === null
        ? endedWithoutInput(request, 'Too many calls wait for input; call the tool again later.')
        : inputRequired(requests, state);
    sendResult(request, result);
  }

  /**
   * Relays a modern upstream's request for input to a modern client. The gateway's request state
   * contains the upstream's state.
   */
  private relayInput(request: McpRequest, result: JsonObject): void {
    const relayed = relayedInput(request, result, this.parts.ownHosts);
    if ('refusal' in relayed) return sendResult(request, relayed.refusal);
    const { requests, upstreamState } = relayed.input;
    const approval = request.context.mcp?.approval ?? null;
    const facts = { kind: 'relay', requests, parked: null, approval, upstreamState } as const;
    const state = this.sealRequestState(request, facts);
    const shown = Object.keys(requests).length > 0 ? { inputRequests: requests } : {};
    sendResult(
      request,
      state === null
        ? endedWithoutInput(request, 'The state of the server is too large.')
        : { resultType: 'input_required', ...shown, requestState: state },
    );
  }

  private sealRequestState(request: McpRequest, state: RequestState): string | null {
    return sealState(this.parts.ring, stateOwner(request), state, Date.now());
  }

  /**
   * Renews the token that the server refused. Resolves to whether the call can be made once more.
   * Rejects with a denial that links to a sign-in when the token belongs to the user.
   */
  private async renewToken(
    request: McpRequest,
    error: unknown,
    { isSecond, credential }: Attempt,
  ): Promise<boolean> {
    const { connections, credentials } = this.parts;
    const { document, caller } = request.view;
    if (isRefusedCredential(error) && !isOfUsers(document.authType))
      return !isSecond && (await credentials.renewed(document, caller.access, credential)) !== null;
    const denied = await scopesDenial(connections, request, error);
    if (denied === 'granted') return !isSecond;
    if (denied !== null) throw denied;
    if (!isRefusedToken(request, error)) return false;
    const { userId } = caller.access;
    if (isSecond || !(await connections.renew(document, userId)))
      throw await connections.missingDenial(document, userId);
    return true;
  }

  /** Sends an error of the upstream to the client; throws every other failure. */
  private async handleFailure(request: McpRequest, forwarded: ForwardedCall, error: unknown): Promise<void> {
    if (error instanceof CallGone) {
      sendResult(request, interrupted(request.message.method, 'gone'));
      return;
    }
    if (!(error instanceof UpstreamError)) throw error;
    if (error.kind === 'cancelled' && request.signal.aborted) {
      request.reply.cancelled();
      return;
    }
    const denied = upstreamDenied(error);
    if (denied !== null) throw denied;
    await this.sendError(request, forwarded, error.rpc as NonNullable<typeof error.rpc>);
  }

  private async sendError(request: McpRequest, forwarded: ForwardedCall, rpc: RpcError): Promise<void> {
    const relayed = relayedError((await forwarded.onError?.(rpc)) ?? rpc, request, this.parts.ownHosts);
    request.context.reply.providerFailed();
    if (relayed.kind === 'error' && request.context.mcp !== null)
      request.context.mcp.errorCode = relayed.error.code;
    if (relayed.kind === 'input_required') {
      this.relayInput(request, { resultType: 'input_required', inputRequests: relayed.requests });
      return;
    }
    const { id } = request.message;
    const status = request.era === 'modern' && relayed.error.code === CODES.missingCapability ? 400 : 200;
    request.reply.end(JSON.stringify({ jsonrpc: '2.0', id, error: relayed.error }), status);
  }
}

/**
 * Returns the owner of a request state. Under an aggregate address it includes the server, because
 * the same name may later refer to another server.
 */
const stateOwner = ({ endpoint, view, message }: McpRequest): StateOwner => ({
  principal: view.caller.binding,
  serverId: endpoint === view ? view.id : `${endpoint.id}/${view.id}`,
  method: message.method,
  params: message.params,
});
