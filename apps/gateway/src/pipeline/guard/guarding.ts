import type { GuardrailRecord } from '@gw/contracts';
import {
  GuardrailRunner,
  Subject,
  type CompiledGuardrail,
  type Eventually,
  type GuardrailResult,
  type GuardrailStage,
  type GuardrailWorld,
  type RequestFacts,
  type StageVerdict,
} from '@gw/guardrails';
import type { AnswerFacts, JsonObject } from '@gw/providers';
import type { GuardrailLists, GuardrailPlan } from '../../guardrails/guardrails';
import type { Answer, Upstream } from '../answer';
import type { AttemptListener } from '../attempt/sender';
import type { Asked, Exchange } from '../exchange';
import type { Beside } from './beside';
import { Denial } from './denial';
import { guardRecord } from './guard-record';
import { GuardedAttempt, type GuardedRequest } from './guarded-attempt';
import { askedWith, bytesOf, factsOf, requestBody } from './request-subject';

/** What runs guardrails, for all requests. */
export interface GuardTools {
  readonly world: GuardrailWorld;
  readonly runner: GuardrailRunner;
  readonly beside: Beside;
}

/** Verdicts that the log of one request keeps. */
const RECORDS_MAX = 100;

/** What the input guardrails have decided about a request on its way to a provider. */
interface Judged {
  readonly facts: RequestFacts;
  readonly request: unknown;
  readonly isText: boolean;
  readonly verdict: StageVerdict;
}

/** Sends an attempt, as the guardrails have left it. */
export type Send = (asked: Asked, listener: AttemptListener) => void;

/** The guardrails of one request. Each list of input guardrails judges once for each provider, however often it is tried. */
export class Guarding {
  readonly records: GuardrailRecord[] = [];
  /** What judges the stream that is handed on; null: nothing does, or there is none. */
  streamed: readonly CompiledGuardrail[] | null = null;
  private isWatched = false;
  /** The log has the verdicts that there were; later ones come too late for it. */
  private isRecorded = false;
  private readonly judged = new Map<readonly CompiledGuardrail[], Map<string, Eventually<Judged>>>();

  constructor(
    private readonly exchange: Exchange,
    private readonly plan: GuardrailPlan,
    private readonly tools: GuardTools,
  ) {}

  /** Throws, or tells the listener, what the input guardrails deny. What is sent otherwise, `send` is given. */
  attempt(upstream: Upstream, listener: AttemptListener, send: Send): void {
    const lists = this.plan.get(upstream.target);
    if (lists === undefined) {
      send(this.exchange, listener);
      return;
    }
    const judged = this.judge(lists, upstream);
    if (!(judged instanceof Promise)) {
      this.goOn(lists, judged, listener, send);
      return;
    }
    judged
      .then((done) => {
        this.goOn(lists, done, listener, send);
      })
      .catch((thrown: unknown) => {
        listener.refused(thrown);
      });
  }

  /** An answer that nobody gets has been paid for all the same. */
  noteUse({ upstream, cache }: Answer, { usage, model }: AnswerFacts): void {
    if (cache?.isFree === true || usage === null) return;
    (this.exchange.extraUse ??= []).push({ upstream, model, usage });
  }

  /** Runs the asynchronous guardrails, whose verdicts are for the log alone. */
  watch(stage: GuardrailStage, guardrails: readonly CompiledGuardrail[], subject: Subject): void {
    const { exchange, tools } = this;
    const running = tools.beside.run(
      () => tools.runner.runBeside(guardrails, subject),
      (results) => {
        if (this.isRecorded) return false;
        this.note(stage, results);
        return true;
      },
      exchange.id,
    );
    if (running !== null) this.isWatched = true;
  }

  /** Gives what runs beside one turn of the event loop, which is all that checks need that ask nobody; null: nothing runs. */
  prepare(): Promise<void> | undefined {
    if (!this.isWatched) return undefined;
    return new Promise((resolve) => {
      setImmediate(() => {
        this.isRecorded = true;
        resolve();
      });
    });
  }

  note(stage: GuardrailStage, results: readonly GuardrailResult[]): void {
    for (const result of results) {
      if (this.records.length < RECORDS_MAX) this.records.push(guardRecord(stage, result));
    }
  }

  private judge(lists: GuardrailLists, upstream: Upstream): Eventually<Judged> {
    const byProvider = this.judged.get(lists.input) ?? new Map<string, Eventually<Judged>>();
    this.judged.set(lists.input, byProvider);
    const facts = factsOf(this.exchange, upstream);
    const provider = facts.savedProvider ?? facts.provider ?? '';
    const known = byProvider.get(provider);
    if (known) return known;
    const judged = this.run(lists, facts);
    byProvider.set(provider, judged);
    if (judged instanceof Promise)
      judged.then((done) => byProvider.set(provider, done)).catch(() => undefined);
    return judged;
  }

  private run({ input }: GuardrailLists, facts: RequestFacts): Eventually<Judged> {
    const { value, isText } = requestBody(this.exchange);
    const subject = Subject.input(facts, value);
    if (input.some(isAsync)) this.watch('input', input, subject);
    const verdict = this.tools.runner.run(input, subject);
    const done = (settled: StageVerdict): Judged => {
      this.note('input', settled.results);
      return { facts, request: settled.body ?? value, isText, verdict: settled };
    };
    return verdict instanceof Promise ? verdict.then(done) : done(verdict);
  }

  private goOn(lists: GuardrailLists, judged: Judged, listener: AttemptListener, send: Send): void {
    const { verdict, isText, request } = judged;
    if (verdict.outcome === 'deny') throw new Denial(verdict, verdict.results, []);
    const judges = GuardrailRunner.concerns(lists.output, 'output');
    const isPlain = judges || verdict.placeholders !== null;
    const body = verdict.body === undefined ? null : bytesOf(request, isText);
    const asked =
      body === null && !isPlain
        ? this.exchange
        : askedWith(this.exchange, body, isText ? null : (request as JsonObject), isPlain);
    const guarded: GuardedRequest = { ...judged, output: lists.output, judges };
    const isWatched = judges || verdict.results.length > 0 || lists.output.some(isAsync);
    send(
      asked,
      isWatched ? new GuardedAttempt(this.exchange, this, this.tools, guarded, listener) : listener,
    );
  }
}

export const isAsync = ({ actions }: CompiledGuardrail): boolean => actions.async === true;
