import type { CompiledCheck, CompiledGuardrail } from './compile';
import { then, together, type Eventually } from './eventually';
import { judgeCheck, resultOf, undecidedAs, type JudgedCheck } from './judge';
import { GUARDRAIL_LIMITS } from './bounds';
import type { GuardrailPort } from './port';
import { PASSED, type GuardrailResult, type StageVerdict } from './results';
import { checksFor, outcomeOf, undecidedInBackground, type GuardrailRunner } from './runner';
import { channelKey, memberKey, StreamResponse, textOfChannel, type StreamChannel } from './stream-response';
import { StreamWindow } from './stream-window';
import { Subject, type RequestFacts } from './subject';
import { judgedOf, judgesPieces, scansOf, type Windowed } from './windowed-checks';
import { Work } from './work';

/** Text that may be sent after a piece of a stream has arrived. */
export interface StreamStep {
  /** Text for the channel of the piece; empty while it is held back. */
  readonly text: string;
  /** Present when the stream is denied: nothing more may be sent, and the rest need not be read. */
  readonly denial: StageVerdict | null;
}

export interface StreamEnd {
  /** The held text of each channel, in order of appearance; empty when the stream is denied. */
  readonly rest: readonly { readonly channel: StreamChannel; readonly text: string }[];
  readonly verdict: StageVerdict;
}

export interface StreamOptions {
  readonly port: GuardrailPort;
  readonly runner: GuardrailRunner;
  readonly guardrails: readonly CompiledGuardrail[];
  readonly facts: RequestFacts;
  /** The request's body, for webhooks. */
  readonly request: unknown;
  readonly signal?: AbortSignal;
}

/** Maximum channels of a response; each call and each result of a hosted tool has its own. */
const CHANNELS_MAX = 2_048;

/**
 * Runs the output guardrails on one streamed response.
 * Checks with a window judge it as it arrives. Checks that need the whole response hold it back
 * until they have judged it, or only mark it, by `on_stream` of their guardrail; by default a
 * guardrail that denies holds it. Denied text is never returned. Not usable after `end` or a
 * denial.
 */
export class StreamGuard {
  private readonly windowed: readonly Windowed[];
  private readonly whole: readonly { readonly guardrail: CompiledGuardrail; readonly check: CompiledCheck }[];
  private readonly channels = new Map<
    string,
    { readonly channel: StreamChannel; readonly window: StreamWindow }
  >();
  private readonly response = new StreamResponse();
  /** Position of the member of each channel among those of its choice and kind. */
  private readonly positions = new Map<string, number>();
  private readonly counts = new Map<string, number>();
  private readonly keepsResponse: boolean;
  private readonly startedAt: number;
  private readonly work: Work;
  private isHolding: boolean;
  private length = 0;
  private isOver = false;

  constructor(private readonly options: StreamOptions) {
    this.startedAt = options.port.elapsed();
    this.work = options.facts.work ?? new Work('');
    // A stream is judged as a chat completion, whatever its dialect.
    const probe = Subject.output({ ...options.facts, dialect: 'chat' }, options.request, null, 200);
    const all = options.guardrails
      .filter(({ actions }) => actions.async !== true)
      .flatMap((guardrail) => checksFor(guardrail, probe).map((check) => ({ guardrail, check })));
    this.windowed = all
      .filter(judgesPieces)
      .map((each) => ({ ...each, findings: [], error: undefined, count: 0, isRefused: false }));
    this.whole = all.filter((each) => !judgesPieces(each));
    this.keepsResponse =
      this.whole.length > 0 || options.guardrails.some(({ actions }) => actions.async === true);
    this.isHolding = this.whole.some(({ guardrail }) => holds(guardrail));
  }

  /** Adds a piece of text. Never throws. */
  push(channel: StreamChannel, delta: string): StreamStep {
    if (this.isOver) return { text: '', denial: null };
    const state = this.stateOf(channel);
    this.length += delta.length;
    const isTooLong = this.length > GUARDRAIL_LIMITS.heldLengthMax;
    if (this.keepsResponse && !isTooLong) this.response.add(channel, delta);
    if (!state) return this.overflow();
    if (this.isHolding) return isTooLong ? this.overflow() : { text: '', denial: null };
    const step = state.window.push(delta);
    return step.isDenied ? { text: step.text, denial: this.deny([]) } : { text: step.text, denial: null };
  }

  /** Whether the whole response is held back until it has been judged. */
  get holdsAll(): boolean {
    return this.isHolding;
  }

  /** Returns the number of held characters of a channel. */
  heldLength(channel: StreamChannel): number {
    return this.channels.get(channelKey(channel))?.window.heldLength ?? 0;
  }

  /**
   * Returns the held text of a channel of which no more is expected for now; text that arrives
   * later is judged together with it.
   */
  flush(channel: StreamChannel): StreamStep {
    const state = this.channels.get(channelKey(channel));
    if (this.isOver || this.isHolding || !state) return { text: '', denial: null };
    const { text, isDenied } = state.window.end();
    return { text, denial: isDenied ? this.deny([]) : null };
  }

  /** Ends the stream. Returns a promise only if a check must wait. */
  end(): Eventually<StreamEnd> {
    if (this.isOver) return { rest: [], verdict: PASSED };
    this.isOver = true;
    if (this.isHolding) return this.endHeld();
    const rest: { channel: StreamChannel; text: string }[] = [];
    for (const { channel, window } of this.channels.values()) {
      const { text, isDenied } = window.end();
      if (isDenied) return { rest: [], verdict: this.verdict([]) };
      if (text !== '') rest.push({ channel, text });
    }
    return then(this.judgeWhole(), (judged) => ({ rest, verdict: marked(this.verdict(judged)) }));
  }

  /** Runs the asynchronous guardrails on the whole text; null when there are none. */
  judgeBeside(): Promise<readonly GuardrailResult[]> | null {
    const { runner, guardrails, facts, request, port } = this.options;
    const subject = this.response.subject(facts, request);
    return this.length <= GUARDRAIL_LIMITS.heldLengthMax
      ? runner.runBeside(guardrails, subject)
      : undecidedInBackground(guardrails, subject, TOO_LONG, port);
  }

  /** Returns the window of a channel, created for a new one; null above the maximum of channels. */
  private stateOf(channel: StreamChannel): { readonly window: StreamWindow } | null {
    const key = channelKey(channel);
    const existing = this.channels.get(key);
    if (existing || this.channels.size >= CHANNELS_MAX) return existing ?? null;
    this.place(channel);
    const added = { channel, window: new StreamWindow(scansOf(this.windowed, channel), this.work) };
    this.channels.set(key, added);
    return added;
  }

  /** Notes the position of the member of a new channel. */
  private place(channel: StreamChannel): void {
    const key = memberKey(channel);
    if (this.positions.has(key)) return;
    const list = memberKey({ ...channel, index: 0 });
    const position = this.counts.get(list) ?? 0;
    this.counts.set(list, position + 1);
    this.positions.set(key, position);
  }

  /**
   * Denies a stream with more held text or more channels than allowed, because the rest would be
   * unjudged.
   */
  private overflow(): StreamStep {
    return {
      text: '',
      denial: this.deny(this.whole.map(({ check }) => tooLong(check, false, this.options.port))),
    };
  }

  private deny(judged: readonly JudgedCheck[]): StageVerdict {
    this.isOver = true;
    return { ...this.verdict(judged), outcome: 'deny' };
  }

  private endHeld(): Eventually<StreamEnd> {
    const { runner, guardrails, facts, request, signal } = this.options;
    const subject = this.response.subject(facts, request);
    return then(runner.run(guardrails, subject, signal), (verdict) => {
      if (verdict.outcome === 'deny') return { rest: [], verdict };
      const body = verdict.body ?? subject.response;
      const rest = [...this.channels.values()].map(({ channel }) => ({
        channel,
        text: textOfChannel(body, channel, this.positions),
      }));
      return { rest: rest.filter(({ text }) => text !== ''), verdict };
    });
  }

  private judgeWhole(): Eventually<readonly JudgedCheck[]> {
    const { port, facts, request, signal } = this.options;
    if (this.length > GUARDRAIL_LIMITS.heldLengthMax) {
      return this.whole.map(({ check }) => tooLong(check, !check.failOnError, port));
    }
    const subject = this.response.subject(facts, request);
    return together(this.whole.map(({ check }) => judgeCheck(port, check, subject, signal)));
  }

  /** Returns the verdict of every guardrail that has judged something. */
  private verdict(whole: readonly JudgedCheck[]): StageVerdict {
    const { port, guardrails } = this.options;
    const judged = [...this.windowed.map((each) => judgedOf(each, port)), ...whole];
    const results = guardrails.flatMap((guardrail) => {
      const verdicts = judged.filter(({ check }) => guardrail.output.includes(check));
      return verdicts.length === 0 ? [] : [resultOf(guardrail, verdicts, this.startedAt, port)];
    });
    const denying = guardrails.find(({ id, actions }) =>
      results.some((result) => result.id === id && !result.verdict && actions.deny === true),
    );
    return {
      outcome: outcomeOf(results),
      results,
      message: denying?.actions.message ?? null,
      placeholders: null,
    };
  }
}

const holds = ({ actions }: CompiledGuardrail): boolean =>
  actions.monitor !== true && (actions.on_stream ?? (actions.deny === true ? 'hold' : 'mark')) === 'hold';

const tooLong = (check: CompiledCheck, passed: boolean, port: GuardrailPort): JudgedCheck =>
  undecidedAs(check, passed, TOO_LONG, port);

const TOO_LONG = 'The response is longer than guardrails can hold back.';

/** Returns `mark` instead of `deny`, because text that was sent can no longer be denied. */
const marked = (verdict: StageVerdict): StageVerdict =>
  verdict.outcome === 'deny' ? { ...verdict, outcome: 'mark' } : verdict;
