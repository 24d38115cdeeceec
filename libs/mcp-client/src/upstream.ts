import {
  isKnownResultType,
  writtenCapabilities,
  type ClientCapabilities,
  type Era,
  type JsonObject,
} from '@gw/mcp';
import type { AddressPolicy } from '@gw/kernel';
import type { OutboundClient, ResponseMemory } from '@gw/outbound';
import type { CallEnd, CallEvent, CallNotice, CallOptions } from './calls/call-event';
import { callEvents } from './calls/call-events';
import { exchange, type Exchange } from './calls/exchange';
import { pause, recoveryFor, type FailedCall } from './calls/recovery';
import { withInput } from './calls/input-rounds';
import { SessionLevels } from './calls/session-levels';
import type { Channel, ServerFacts } from './channels/channel';
import {
  contradictsEra,
  DISCOVER,
  discoveredFacts,
  openChannel,
  type UpstreamProtocol,
} from './connect/open-channel';
import type { EraVerdicts } from './connect/era-verdicts';
import { beforeAbort } from './http/before-abort';
import { eitherOf, type EndSignal } from './http/call-ending';
import { CallClock, type CallClockLimits } from './http/call-clock';
import type { HeaderSource } from './http/headers';
import { UpstreamHttp } from './http/upstream-http';
import { CALL_MS_MAX, DEFAULT_TIMEOUTS, UPSTREAM_BOUNDS, type UpstreamTimeouts } from './limits';
import { collectList, type ListKind, type UpstreamList } from './lists';
import { rpcFault } from './rpc/response-fault';
import { busy, closed, protocolError, UpstreamError } from './upstream-error';

export interface McpUpstreamOptions {
  readonly client: Pick<OutboundClient, 'dispatch'>;
  readonly policy: AddressPolicy;
  readonly url: URL;
  /** Connections are shared only within a class: one per tenant and credential. */
  readonly poolClass: string;
  /**
   * Headers of every request, such as credentials. Called for each request, so that tokens may
   * change.
   */
  readonly headers: HeaderSource;
  /** Capabilities that are declared to the upstream: `relayedCapabilities` of the caller. */
  readonly capabilities: ClientCapabilities;
  /** Name and version of this client. */
  readonly clientInfo: JsonObject;
  readonly protocol: UpstreamProtocol;
  readonly verdicts: EraVerdicts;
  /** Names the upstream and the class of its credential in `verdicts`. */
  readonly eraKey: string;
  readonly timeouts?: Partial<UpstreamTimeouts>;
  /** Counts the bytes of responses while calls and streams hold them; absent to count none. */
  readonly memory?: ResponseMemory;
}

type Notification = Extract<CallEvent, { readonly kind: 'notification' }>;
type Result = Extract<CallEvent, { readonly kind: 'result' }>;

const LISTEN_MS = 3_600_000;
/** Requests that last until their tool ends. */
const ENDS_WITH_TOOL: ReadonlySet<string> = new Set(['tools/call', 'tasks/result']);

/**
 * A client of one upstream MCP server, for one credential and one set of capabilities. It
 * determines the era, opens a session if the upstream has sessions, and opens it again if the
 * upstream forgot it. It sends a tools/call once, unless the first one certainly did not reach the
 * tool or the tool may be repeated (`isRepeatable`).
 *
 * The pool of `client` needs at least two connections for each upstream, because HTTP+SSE uses one
 * for its stream.
 */
export class McpUpstream {
  private readonly timeouts: UpstreamTimeouts;
  private readonly http: UpstreamHttp;
  private channel: Channel | null = null;
  private connecting: Promise<Channel> | null = null;
  private lastId = 0;
  private inFlight = 0;
  private listening = 0;
  /** Number of exchanges in flight on a channel with a session. */
  private inSession = 0;
  private isClosed = false;
  private discovered: ServerFacts | null = null;
  private readonly levels = new SessionLevels();

  constructor(private readonly options: McpUpstreamOptions) {
    this.timeouts = { ...DEFAULT_TIMEOUTS, ...options.timeouts };
    const { client, policy, url, poolClass, headers, memory } = options;
    const { connectMs } = this.timeouts;
    this.http = new UpstreamHttp({
      ...{ client, policy, url, poolClass, headers, connectMs },
      ...(memory && { memory }),
    });
  }

  /** Number of calls in flight. */
  get calls(): number {
    return this.inFlight;
  }

  /** Number of readers of `listen`. */
  get listeners(): number {
    return this.listening;
  }

  /** Connects if needed. Returns the era that the server speaks. */
  connect(options: Pick<CallOptions, 'signal'> = {}): Era | Promise<Era> {
    this.assertOpen();
    return this.channel?.isOpen === true ? this.channel.era : this.connectNow(options);
  }

  /**
   * Returns the facts that the server reports about itself, with its revision. Connects if needed.
   */
  async describe(
    options: Pick<CallOptions, 'signal'> = {},
  ): Promise<ServerFacts & { readonly era: Channel['era']; readonly revision: string }> {
    this.assertOpen();
    const { timeouts } = this;
    const clock = this.clock({ totalMs: timeouts.requestMs, idleMs: timeouts.idleMs }, options.signal);
    try {
      const channel = await this.connected(clock);
      const { era, revision } = channel;
      const facts = channel.facts ?? this.discovered ?? (await this.discover(options));
      return { ...facts, era, revision };
    } finally {
      clock.end();
    }
  }

  /**
   * Returns all items of a list over its pages: at most 5,000 items, 100 pages and 32 MiB. `isCut`
   * tells whether a bound ended the list early. The list of a server that does not support it is
   * empty.
   */
  list(kind: ListKind, options: Pick<CallOptions, 'signal' | 'headers'> = {}): Promise<UpstreamList> {
    return collectList(kind, this.timeouts.listMs, options, (method, params, pageOptions) =>
      this.request(method, params, pageOptions),
    );
  }

  /**
   * Calls a tool. Yields events of the upstream until the result. Leaving the loop cancels the
   * call.
   */
  call(
    params: { readonly name: string; readonly arguments?: JsonObject; readonly _meta?: JsonObject },
    options: CallOptions = {},
  ): AsyncGenerator<CallEvent, void> {
    return this.stream('tools/call', { ...params }, options);
  }

  /** Makes a request and returns its result. Notifications are dropped. */
  async request(method: string, params: JsonObject, options: CallOptions = {}): Promise<JsonObject> {
    const end = await this.perform(method, params, options);
    return end.kind === 'result' ? end.result.value : end.result;
  }

  /**
   * Makes a request of any method. Yields events of the upstream until the result. Leaving the loop
   * cancels the request.
   */
  stream(method: string, params: JsonObject, options: CallOptions = {}): AsyncGenerator<CallEvent, void> {
    return callEvents((left, onNotice) => {
      const signal = options.signal === undefined ? left : eitherOf(options.signal, left);
      return this.perform(method, params, { ...options, signal }, onNotice);
    });
  }

  /**
   * Makes a request of any method and returns its end. `onNotice` receives earlier notifications.
   * Rejects with an `UpstreamError`.
   */
  async perform(
    method: string,
    params: JsonObject,
    options: CallOptions = {},
    onNotice: (notice: CallNotice) => void = ignore,
  ): Promise<CallEnd> {
    this.enter();
    const clock = this.clockOf(method, options);
    try {
      const round = (of: JsonObject): Promise<Result> => this.attempts(method, of, options, clock, onNotice);
      return await withInput(round, { method, params }, options.input ?? null, clock);
    } finally {
      clock.end();
      this.leave();
    }
  }

  /**
   * Yields notifications that belong to no call: changed lists, updated resources and log messages.
   * `filter` holds the `notifications` of `subscriptions/listen` for modern upstreams; legacy ones
   * send all. Ends after an hour with a `timeout`, and with an error when the upstream offers no
   * such stream.
   */
  async *listen(
    filter: JsonObject,
    options: Pick<CallOptions, 'signal'> = {},
  ): AsyncGenerator<Notification, void> {
    this.assertOpen();
    const idleMs = LISTEN_MS;
    const clock = this.clock({ totalMs: LISTEN_MS, idleMs }, options.signal);
    this.listening += 1;
    try {
      const channel = await this.connected(clock);
      const messages = channel.listen({ notifications: filter }, this.nextId(), clock);
      for await (const { message } of messages)
        if (message.kind === 'notification')
          yield { kind: 'notification', method: message.method, params: message.params };
        else if (message.kind === 'response' && message.error !== null) throw rpcFault(message.error);
    } finally {
      this.listening -= 1;
      clock.end();
    }
  }

  /**
   * Ends the session at the upstream and refuses further calls. Over HTTP+SSE, calls in flight
   * fail; otherwise they continue, and a session that they open again ends with the last of them.
   * Never rejects.
   */
  async close(): Promise<void> {
    this.isClosed = true;
    if (this.channel === null) await this.connecting?.catch(() => null);
    await this.endSession();
  }

  private async endSession(): Promise<void> {
    const { channel } = this;
    this.channel = null;
    await channel?.close();
  }

  private async connectNow({ signal }: Pick<CallOptions, 'signal'>): Promise<Era> {
    const { requestMs, idleMs } = this.timeouts;
    const clock = this.clock({ totalMs: requestMs, idleMs }, signal);
    try {
      return (await this.connected(clock)).era;
    } finally {
      clock.end();
    }
  }

  private assertOpen(): void {
    if (this.isClosed) throw closed(false);
  }

  private enter(): void {
    this.assertOpen();
    if (this.inFlight >= UPSTREAM_BOUNDS.callsMax) throw busy(UPSTREAM_BOUNDS.callsMax);
    this.inFlight += 1;
  }

  private leave(): void {
    this.inFlight -= 1;
    if (this.isClosed && this.inFlight === 0) void this.endSession();
  }

  /**
   * Makes one exchange within the bound of its session. Exchanges are counted here, because a call
   * that waits for the channel to open does not know yet whether it will have a session.
   */
  private bounded(call: Exchange, onNotice: (notice: CallNotice) => void): Promise<Result> {
    return call.channel.hasSession ? this.inSessionBounds(call, onNotice) : exchange(call, onNotice);
  }

  private async inSessionBounds(call: Exchange, onNotice: (notice: CallNotice) => void): Promise<Result> {
    const { sessionCallsMax } = UPSTREAM_BOUNDS;
    if (this.inSession >= sessionCallsMax) throw busy(sessionCallsMax);
    this.inSession += 1;
    try {
      return await exchange(call, onNotice);
    } finally {
      this.inSession -= 1;
    }
  }

  private clockOf(method: string, { timeoutMs, signal }: CallOptions): CallClock {
    const { callMs, requestMs, idleMs, inputMs } = this.timeouts;
    const totalMs = Math.min(CALL_MS_MAX, timeoutMs ?? (ENDS_WITH_TOOL.has(method) ? callMs : requestMs));
    return this.clock({ totalMs, idleMs, inputMs }, signal);
  }

  private clock(limits: CallClockLimits, signal: EndSignal | undefined): CallClock {
    return new CallClock(limits, signal ?? null, this.http.memory);
  }

  /** Makes one request, with the repetitions that the rules allow. */
  private async attempts(
    method: string,
    params: JsonObject,
    options: CallOptions,
    clock: CallClock,
    onNotice: (notice: CallNotice) => void,
  ): Promise<Result> {
    let mayHaveExecuted = false;
    for (let attempts = 0; ; attempts += 1) {
      let channel: Channel | null = null;
      try {
        // Awaited only if the channel is not open, because each await costs a turn of the microtask
        // queue.
        channel = this.channel?.isOpen === true ? this.channel : await this.connected(clock);
        if (options.sessionLogLevel !== undefined)
          await this.setLevel(channel, options.sessionLogLevel, clock);
        const call = { channel, id: this.nextId(), method, params, options, clock };
        const event = await this.bounded(call, onNotice);
        this.assertKnownType(event.result.type);
        return event;
      } catch (error) {
        if (!(error instanceof UpstreamError)) throw error;
        mayHaveExecuted ||= error.mayHaveExecuted;
        const call = { method, channel, attempts, options, clock };
        if (clock.aborted !== null || !(await this.recovers(error, call)))
          throw error.withExecution(mayHaveExecuted);
      }
    }
  }

  private async setLevel(channel: Channel, wanted: string, clock: CallClock): Promise<void> {
    await this.levels.ensure(channel, wanted, clock, (level) => {
      const request = { method: 'logging/setLevel', params: { level }, options: {} };
      return this.bounded({ ...request, channel, id: this.nextId(), clock }, ignore);
    });
  }

  /** Prepares the repetition of a failed call. Returns false if it must not be repeated. */
  private async recovers(error: UpstreamError, call: FailedCall): Promise<boolean> {
    const recovery = recoveryFor(error, call);
    switch (recovery.kind) {
      case 'initialize_and_repeat':
        this.drop(call.channel);
        return true;
      case 'renew_verdict':
        this.drop(call.channel);
        if (recovery.verdict.kind !== 'modern' && recovery.verdict.kind !== 'legacy') return false;
        this.options.verdicts.keep(this.options.eraKey, recovery.verdict);
        return true;
      case 'repeat':
        return pause(recovery.afterMs, call.clock);
      case 'resume':
        return false;
      case 'fail':
        return this.changesEra(error, call);
    }
  }

  /**
   * Determines the era again after a server refused a modern request in a way that contradicts its
   * era. Returns whether the call is repeated, because the server has become a legacy one.
   */
  private async changesEra(error: UpstreamError, { channel, attempts, clock }: FailedCall): Promise<boolean> {
    const isKept = this.options.protocol === 'auto' && channel?.era === 'modern' && attempts === 0;
    if (!isKept || !contradictsEra(error)) return false;
    this.options.verdicts.forget(this.options.eraKey);
    this.drop(channel);
    const next = await this.connected(clock).catch(() => null);
    return next?.era === 'legacy';
  }

  private drop(channel: Channel | null): void {
    if (this.channel === channel) this.channel = null;
  }

  /**
   * Returns the open channel, or opens one. Concurrent calls share the opening, and none waits
   * longer than its own deadline.
   */
  private connected(clock: CallClock): Promise<Channel> {
    if (this.channel?.isOpen === true) return Promise.resolve(this.channel);
    this.connecting ??= this.open().finally(() => (this.connecting = null));
    return beforeAbort(this.connecting, clock);
  }

  private async open(): Promise<Channel> {
    const { protocol, verdicts, eraKey, capabilities, clientInfo } = this.options;
    const client = { capabilities: writtenCapabilities(capabilities), clientInfo };
    const { http, timeouts } = this;
    const channel = await openChannel({ http, client, protocol, verdicts, eraKey, timeouts });
    this.channel = channel;
    if (this.isClosed && this.inFlight === 0) await this.endSession();
    return channel;
  }

  private async discover(options: Pick<CallOptions, 'signal'>): Promise<ServerFacts> {
    this.discovered = discoveredFacts(await this.request(DISCOVER, {}, options));
    return this.discovered;
  }

  private assertKnownType(type: string): void {
    if (!isKnownResultType(type, { tasks: this.options.capabilities.tasks }))
      throw protocolError('The upstream sent a result of a kind that is not known.');
  }

  private nextId(): number {
    this.lastId += 1;
    return this.lastId;
  }
}

const ignore = (): void => undefined;
