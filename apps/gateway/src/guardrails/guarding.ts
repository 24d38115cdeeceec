import type { GuardrailRecord } from '@gw/contracts';
import {
  GuardrailRunner,
  PASSED,
  Subject,
  then,
  type CompiledGuardrail,
  type Eventually,
  type GuardrailResult,
  type GuardrailStage,
  type ModelCall,
  type RequestFacts,
  type StageVerdict,
} from '@gw/guardrails';
import { GatewayError, exactNumbers, hasDuplicateMembers, isObject } from '@gw/kernel';
import type { ResponseFacts, JsonObject } from '@gw/providers';
import type { GuardrailLists, GuardrailPlan } from './guardrails';
import type { GatewayResponse } from '../attempt/gateway-response';
import type { Upstream } from '../core/upstream';
import type { AttemptListener } from '../attempt/gateway-response';
import type { RequestContext } from '../core/request-context';
import { GuardrailDenial } from './guardrail-denial';
import { guardRecord } from './guard-record';
import { LateVerdicts } from './late-verdicts';
import { GuardedAttempt } from './guarded-attempt';
import { isAsync, type GuardedRequest, type GuardReports, type GuardTools } from './guarded-request';
import { sessionLists, type SessionGuarding } from './sessions/session-guarding';
import { bodyAfterRules, bytesOf, factsOf, requestBody, requestWith, type SeenBody } from './request-subject';
import { keepAsRuled } from '../attempt/request/request-body';
import type { RequestGuardrails, Send } from './request-guardrails';

/** Maximum number of verdicts that the log record of one request holds. */
const RECORDS_MAX = 100;

/** Attaches the guardrails of a plan to the request, if the plan has any. */
export function guard(context: RequestContext, plan: GuardrailPlan, tools: GuardTools): void {
  if (plan.size > 0) context.guardrails = new Guarding(context, plan, tools);
}

/** The request after its input guardrails. */
interface Judged extends SeenBody {
  readonly facts: RequestFacts;
  /** The request body to send. */
  readonly request: unknown;
  readonly verdict: StageVerdict;
}

/**
 * The guardrails of one request. Each list of input guardrails runs once for each provider, model
 * and result of parameter rules, however many attempts there are.
 */
export class Guarding implements RequestGuardrails, GuardReports {
  readonly records: GuardrailRecord[] = [];
  /**
   * The guardrails of the stream that is being forwarded; null when there is no stream or no
   * guardrail.
   */
  streamed: readonly CompiledGuardrail[] | null = null;
  /** The background runs of the request. */
  readonly late: LateVerdicts;
  private handshakes: Map<GuardrailLists, GuardrailLists> | null = null;
  /** Verdicts on a WebSocket handshake, by guardrail list, for the session that follows it. */
  private readonly verdicts = new Map<readonly CompiledGuardrail[], StageVerdict>();
  /** Verdicts by guardrail list, by body after parameter rules, and by provider and model. */
  private readonly judged = new Map<
    readonly CompiledGuardrail[],
    Map<unknown, Map<string, Eventually<Judged>>>
  >();

  constructor(
    private readonly context: RequestContext,
    private readonly plan: GuardrailPlan,
    private readonly tools: GuardTools,
  ) {
    this.late = new LateVerdicts(tools.background, (stage, results) => {
      this.note(stage, results);
    });
  }

  /** Returns the guardrails of a request to an MCP server or agent, which has no targets. */
  static ofTools(context: RequestContext, tools: GuardTools): Guarding {
    if (context.guardrails instanceof Guarding) return context.guardrails;
    const guarding = new Guarding(context, new Map(), tools);
    context.guardrails = guarding;
    return guarding;
  }

  /**
   * Runs the input guardrails. A denial is thrown or reported to the listener; otherwise `send` is
   * called with the request to send.
   */
  attempt(upstream: Upstream, listener: AttemptListener, send: Send): void {
    const lists = this.listsOf(upstream);
    if (lists === undefined) {
      send(this.context, listener);
      return;
    }
    const judged = this.judge(lists, upstream);
    if (!(judged instanceof Promise)) {
      this.proceed(lists, judged, listener, send);
      return;
    }
    judged
      .then((done) => {
        this.proceed(lists, done, listener, send);
      })
      .catch((thrown: unknown) => {
        listener.refused(thrown);
      });
  }

  /** Makes a model call for a check of this request. */
  ask(call: ModelCall): Promise<JsonObject> {
    return this.tools.models.ask(this.context, call);
  }

  /** Charges a response that the client does not receive, because the provider charges for it. */
  addUse({ upstream, cache }: GatewayResponse, { usage, model }: ResponseFacts): void {
    if (cache?.isFree === true || usage === null) return;
    this.context.usage.addExtra({ upstream, model, usage });
  }

  /** Runs asynchronous guardrails, whose verdicts only go to the log. */
  watch(stage: GuardrailStage, guardrails: readonly CompiledGuardrail[], subject: Subject): void {
    this.late.watch(stage, () => this.tools.runner.runBeside(guardrails, subject));
  }

  /**
   * Like `watch`, but starts once the last byte of the response is sent or the client has
   * disconnected.
   */
  judgeAtEnd(start: () => Promise<readonly GuardrailResult[]> | null): void {
    this.late.runAtEnd(start);
  }

  note(stage: GuardrailStage, results: readonly GuardrailResult[]): void {
    for (const result of results) {
      if (this.records.length < RECORDS_MAX) this.records.push(guardRecord(stage, result));
    }
  }

  /**
   * Returns the guardrails of the request and its responses with their versions, as parts of a
   * cache key.
   */
  versions(): readonly string[] {
    return [...this.plan].flatMap(([{ path }, lists]) =>
      STAGES.flatMap((stage) => [path, stage, ...lists[stage].map(versionOf)]),
    );
  }

  /**
   * Returns the guardrails for the messages of a session with this upstream; null when there are
   * none.
   */
  session(upstream: Upstream): SessionGuarding | null {
    const lists = this.plan.get(upstream.target);
    const handshake = this.listsOf(upstream);
    if (lists === undefined || handshake === undefined) return null;
    return {
      ...sessionLists(lists),
      tools: this.tools,
      facts: factsOf(this.context, upstream),
      before: this.verdicts.get(handshake.input) ?? PASSED,
      note: (stage, results) => this.note(stage, results),
      watch: (stage, guardrails, subject) => this.watch(stage, guardrails, subject),
      watchStream: (start) => this.late.watch('output', start),
    };
  }

  /**
   * Returns the guardrail lists of an attempt. A handshake has no texts, so only guardrails on
   * parameters judge it; the others judge the session's messages.
   */
  private listsOf({ target }: Upstream): GuardrailLists | undefined {
    const lists = this.plan.get(target);
    if (lists === undefined || this.context.upgrade === null) return lists;
    this.handshakes ??= new Map();
    const known = this.handshakes.get(lists) ?? { input: sessionLists(lists).parameters, output: [] };
    this.handshakes.set(lists, known);
    return known;
  }

  private judge(lists: GuardrailLists, upstream: Upstream): Eventually<Judged> {
    const facts = factsOf(this.context, upstream);
    const ruled = bodyAfterRules(this.context, upstream.target);
    const known = this.known(lists.input, ruled);
    const key = JSON.stringify([facts.savedProvider ?? facts.provider, facts.model]);
    const before = known.get(key);
    if (before) return before;
    const judged = this.run(lists, facts, ruled);
    known.set(key, judged);
    if (judged instanceof Promise) judged.then((done) => known.set(key, done)).catch(() => undefined);
    return judged;
  }

  private known(input: readonly CompiledGuardrail[], ruled: unknown): Map<string, Eventually<Judged>> {
    const byBody = this.judged.get(input) ?? new Map<unknown, Map<string, Eventually<Judged>>>();
    this.judged.set(input, byBody);
    const known = byBody.get(ruled) ?? new Map<string, Eventually<Judged>>();
    byBody.set(ruled, known);
    return known;
  }

  /** `ruled` is the body after the parameter rules of the target; null when none applies. */
  private run({ input }: GuardrailLists, facts: RequestFacts, ruled: JsonObject | null): Eventually<Judged> {
    return then(requestBody(this.context), (seen) => {
      const subject = Subject.input(facts, ruled ?? seen.value);
      if (input.some(isAsync)) this.watch('input', input, subject);
      return then(this.tools.runner.run(input, subject), (verdict) => {
        this.note('input', verdict.results);
        if (ruled !== null && isObject(verdict.body)) keepAsRuled(verdict.body);
        return { ...seen, facts, request: verdict.body ?? seen.value, verdict };
      });
    });
  }

  /**
   * Returns the body after changes by guardrails, or the parsed body when another parser could read
   * the received bytes differently; null when the received body is sent unchanged.
   */
  private changedBody({ input }: GuardrailLists, { verdict, request, isText, form }: Judged): Buffer | null {
    const { body, spooled } = this.context;
    if (verdict.body === undefined) {
      const isJson = request !== null && !isText && form === undefined && body.length > 0;
      if (!isJson || input.length === 0 || !hasDuplicateMembers(body)) return null;
    }
    if (form === undefined) return bytesOf(request, isText, isText ? null : exactNumbers(body));
    if (spooled === null) return form.rewritten(body, request as JsonObject);
    throw new GatewayError('body_too_large', {
      message: 'The form is too large to be changed by guardrails.',
    });
  }

  private proceed(lists: GuardrailLists, judged: Judged, listener: AttemptListener, send: Send): void {
    const { verdict, isText, request, form } = judged;
    if (this.context.upgrade !== null) this.verdicts.set(lists.input, verdict);
    if (verdict.outcome === 'deny') throw new GuardrailDenial(verdict, verdict.results, []);
    const judgesOutput = GuardrailRunner.concerns(lists.output, 'output');
    const isPlain = judgesOutput || verdict.placeholders !== null || lists.output.some(isAsync);
    const body = this.changedBody(lists, judged);
    const requested =
      body === null && !isPlain
        ? this.context
        : requestWith(this.context, body, isText || form ? null : (request as JsonObject), isPlain);
    const guarded: GuardedRequest = { ...judged, output: lists.output, judgesOutput };
    const isWatched = judgesOutput || verdict.results.length > 0 || lists.output.some(isAsync);
    send(
      requested,
      isWatched ? new GuardedAttempt(this.context, this, this.tools, guarded, listener) : listener,
    );
  }
}

const STAGES = ['input', 'output'] as const;
const versionOf = ({ id, versionId }: CompiledGuardrail): string => `${id}@${versionId ?? ''}`;
