import { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { GatewayConfig } from '@gw/config-schema';
import { compileConfig, type CompiledTarget } from '@gw/routing';
import { GatewayError } from '@gw/kernel';
import { OutboundError, type OutboundCall, type OutboundFailure } from '@gw/outbound';
import { PROVIDERS, type Provider } from '@gw/providers';
import { createPlan, createRoutingState } from '@gw/routing';
import fc from 'fast-check';
import { routeOf } from '../routes/route-table';
import { DiscardedBody } from '../usage/discarded-body';
import { GatewayResponse } from './gateway-response';
import { RequestContext } from '../core/request-context';
import { Attempts } from './attempts';
import { HedgeAround } from '../hedge/hedge.around';
import type { AttemptCall } from './attempt-call';
import { type AttemptMaker } from './attempt-maker';

/** The outcome of one call. */
type Act =
  | { readonly kind: 'answer'; readonly status: number }
  | { readonly kind: 'stream'; readonly end: 'begins' | 'breaks' | 'ends' | 'fails' }
  | { readonly kind: 'error'; readonly failure: OutboundFailure }
  | { readonly kind: 'refused'; readonly status: 'rate_limited' | 'budget_exhausted' };

interface Script {
  readonly act: Act;
  /** Approximate milliseconds. A refusal with 0 happens inside `begin`. */
  readonly turns: number;
  readonly clientLeaves: boolean;
}

const act: fc.Arbitrary<Act> = fc.oneof(
  fc.record({
    kind: fc.constant('answer' as const),
    status: fc.constantFrom(200, 201, 246, 400, 401, 404, 429, 446, 500, 502, 503),
  }),
  fc.record({
    kind: fc.constant('stream' as const),
    end: fc.constantFrom('begins' as const, 'breaks' as const, 'ends' as const, 'fails' as const),
  }),
  fc.record({
    kind: fc.constant('error' as const),
    failure: fc.constantFrom<OutboundFailure>('refused', 'unreachable', 'timeout', 'interrupted'),
  }),
  fc.record({
    kind: fc.constant('refused' as const),
    status: fc.constantFrom('rate_limited' as const, 'budget_exhausted' as const),
  }),
);
const scripts: fc.Arbitrary<readonly Script[]> = fc.array(
  fc.record({
    act,
    turns: fc.integer({ min: 0, max: 3 }),
    clientLeaves: fc.boolean().chain((leaves) => (leaves ? fc.boolean() : fc.constant(false))),
  }),
  { minLength: 1, maxLength: 12 },
);

const statuses = fc.array(fc.constantFrom(200, 246, 400, 429, 446, 500, 503), { maxLength: 4 });
const target: fc.Arbitrary<GatewayConfig> = fc.record(
  {
    provider: fc.constant('openai'),
    on_stream_failure: fc.constantFrom('fail' as const, 'restart' as const, 'continue' as const),
    retry: fc.record({ attempts: fc.integer({ min: 0, max: 3 }), on_status_codes: statuses }),
  },
  { requiredKeys: ['provider'] },
);
const hedge: fc.Arbitrary<GatewayConfig> = fc
  .array(target, { minLength: 1, maxLength: 2 })
  .map((targets) => ({ strategy: { mode: 'hedge', hedge_delay: 1, hedge_percentage: 100 }, targets }));
/** The cooldown is longer than any run, so an opened breaker stays open. */
const BREAKER = { consecutive_failures: 2, cooldown_interval: 3_600_000 };
const { node } = fc.letrec<{ node: GatewayConfig }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 3 },
    target,
    hedge,
    fc
      .tuple(fc.option(statuses), fc.array(tie('node'), { minLength: 1, maxLength: 3 }))
      .map(([codes, targets]): GatewayConfig => {
        return { strategy: { mode: 'fallback', ...(codes && { on_status_codes: codes }) }, targets };
      }),
    fc
      .tuple(
        fc.constantFrom('weighted' as const, 'highest_speed' as const, 'least_busy' as const),
        fc.array(tie('node'), { minLength: 1, maxLength: 3 }),
      )
      .map(([algorithm, targets]): GatewayConfig => {
        return { strategy: { mode: 'loadbalance', algorithm, cb_config: BREAKER }, targets };
      }),
    fc.tuple(tie('node'), tie('node')).map((targets): GatewayConfig => {
      return { strategy: { mode: 'canary', percentage: 50, cb_config: BREAKER }, targets };
    }),
    fc.tuple(fc.boolean(), tie('node')).map(([matches, then]): GatewayConfig => {
      const query = { 'metadata.a': { $exists: !matches } };
      const conditions = [{ query, then: 'one' }];
      return { strategy: { mode: 'conditional', conditions }, targets: [{ ...then, name: 'one' }] };
    }),
  ),
}));

const provider = PROVIDERS.get('openai') as Provider;
const turn = (): Promise<unknown> => new Promise((done) => setTimeout(done, 1));

/** Plays the script, one entry for each call; the last entry repeats. */
class ScriptedMaker implements AttemptMaker {
  readonly calls: { readonly target: CompiledTarget; readonly response: GatewayResponse | null }[] = [];
  readonly aborted = new Set<GatewayResponse>();
  private readonly hedge = new HedgeAround();

  constructor(
    private readonly script: readonly Script[],
    private readonly leave: () => void,
  ) {}

  mayCall(): boolean {
    return true;
  }

  timeoutOf(): number {
    return 60_000;
  }

  begin(call: AttemptCall): void {
    const { target: own, listener, context } = call;
    if (this.hedge.isUsed(call)) {
      this.hedge.around(call);
      return;
    }
    const line = this.script[Math.min(this.calls.length, this.script.length - 1)] as Script;
    if (line.act.kind === 'refused') {
      const error = new GatewayError(line.act.status);
      this.calls.push({ target: own, response: null });
      if (line.turns === 0) throw error;
      void this.later(line, () => listener.refused(error));
      return;
    }
    const support = { via: 'native', prefix: '' } as const;
    const credential = { apiKey: null, configurations: {} };
    const response = new GatewayResponse(
      { target: own, provider, saved: null, credential, support, model: null, isModelInPath: false },
      listener,
      context,
    );
    response.call = this.callOf(response);
    this.calls.push({ target: own, response });
    listener.callStarted(response);
    void this.later({ ...line, turns: line.turns + 1 }, () => {
      if (!this.aborted.has(response)) this.play(line.act, response);
    });
  }

  discard(_: RequestContext, response: GatewayResponse): void {
    DiscardedBody.read(response, () => undefined);
  }

  private callOf(response: GatewayResponse): OutboundCall {
    return {
      pause: () => undefined,
      resume: () => undefined,
      abort: () => {
        if (this.aborted.has(response) || response.ended || response.error !== null) return;
        this.aborted.add(response);
        response.onError(new OutboundError('aborted', 'aborted'));
      },
    };
  }

  private async later({ turns, clientLeaves }: Script, then: () => void): Promise<void> {
    for (let left = turns; left > 0; left -= 1) await turn();
    if (clientLeaves) this.leave();
    then();
  }

  private play(own: Act, response: GatewayResponse): void {
    if (own.kind === 'error') response.onError(new OutboundError(own.failure, own.failure));
    else if (own.kind === 'answer') {
      response.onHeaders(own.status, ['content-type', 'application/json']);
      response.onEnd();
    } else if (own.kind === 'stream') this.stream(own.end, response);
  }

  private stream(end: string, response: GatewayResponse): void {
    response.onHeaders(200, ['content-type', 'text/event-stream']);
    if (end === 'begins') response.onData(Buffer.from('data: {"choices":[]}\n\n'));
    if (end === 'fails') response.onData(Buffer.from('data: {"error":{"message":"x"}}\n\n'));
    if (end === 'ends') response.onEnd();
    if (end === 'breaks') response.onError(new OutboundError('interrupted', 'broken'));
  }
}

async function execute(config: GatewayConfig, script: readonly Script[]) {
  const res = new EventEmitter();
  const req = { headers: {} } as IncomingMessage;
  const path = '/v1/chat/completions';
  const route = routeOf('POST', '/chat/completions');
  const context = new RequestContext('id', req, res as ServerResponse, 'POST', path, '', route);
  context.gw = { provider: null, requestTimeoutMs: null } as RequestContext['gw'];
  const maker = new ScriptedMaker(script, () => res.emit('close'));
  const compiled = compileConfig(config);
  const facts = {
    metadata: {},
    params: () => undefined,
    header: () => undefined,
    pathname: path,
    model: () => null,
    caller: () => '',
    workspace: () => '',
    endpoint: (own: CompiledTarget) => own.path,
  };
  const state = createRoutingState();
  // This random value gives the shortest waits.
  const cursor = createPlan(compiled, facts, { random: () => 0.999_999_9, now: Date.now, state });
  const failure = await new Promise<GatewayError | null>((resolve) => {
    const done = (thrown?: unknown): void => resolve((thrown as GatewayError | undefined) ?? null);
    new Attempts(maker, context, cursor, done, done).takeStep();
  });
  return { context, maker, failure, compiled, state };
}

/** More bytes than are read of an unwanted response. */
const FLOOD = Buffer.alloc(70_000);

type Executed = Awaited<ReturnType<typeof execute>>;

/**
 * Expects at most the allowed number of calls, one record for each, and the last one's response or
 * failure as the result.
 */
function expectEnd({ context, maker: { calls }, failure, compiled }: Executed): void {
  for (const { path, retry } of compiled.targets) {
    const second = path.includes('targets') ? 1 : 0;
    const own = calls.filter(({ target: { path: called } }) => called === path);
    expect(own.length).toBeLessThanOrEqual(1 + retry.attempts + second);
  }
  const {
    attempts: { records: attempts },
    response,
  } = context;
  expect(attempts.length).toBe(calls.length);
  const last = attempts.at(-1);
  if (context.clientGone) expect(response).toBeNull();
  else if (failure !== null) expect([last?.status, last?.reason]).toEqual([null, failure.message]);
  else expect([response?.upstream.target.path, response?.status]).toEqual([last?.target, last?.status]);
}

/**
 * Expects that every call has ended and no endpoint counts as busy, except for the chosen response.
 */
function expectNothingOpen({ context, maker, compiled, state }: Executed): void {
  const others = maker.calls.flatMap(({ response }) =>
    response && response !== context.response ? [response] : [],
  );
  for (const response of others) {
    if (!response.ended && response.error === null) response.onData(FLOOD);
    expect(response.ended || response.error !== null || maker.aborted.has(response)).toBe(true);
  }
  const paths = new Set(compiled.targets.map(({ path }) => path));
  const under = [...paths].reduce((sum, path) => sum + state.statistics.busyOf(path), 0);
  expect(under).toBe(context.attempts.busyEndpoint === null ? 0 : 1);
}

describe('attempts of a random config with random outcomes', () => {
  it('stays within the allowed number of calls, returns the last result, records each call once and leaves none open', async () => {
    let [hedged, paced] = [0, 0];
    await fc.assert(
      fc.asyncProperty(node, scripts, async (config, script) => {
        const executed = await execute(config, script);
        if (executed.failure?.type === 'condition_unmatched') expect(executed.maker.calls).toEqual([]);
        else expectEnd(executed);
        expectNothingOpen(executed);
        if (executed.context.attempts.records.some(({ hedge }) => hedge === 'second')) hedged += 1;
        if (executed.context.attempts.pace !== null) paced += 1;
        executed.context.attempts.pace?.report(null);
        expect(executed.context.attempts.events.length).toBeLessThanOrEqual(50);
      }),
      { seed: 5, numRuns: 200 },
    );
    expect(Math.min(hedged, paced)).toBeGreaterThan(0);
  });
});
