import type { Usage } from '@gw/contracts';
import { isObject } from '@gw/kernel';
import type { JsonObject, Provider } from '@gw/providers';
import { NO_USAGE } from '../../usage/use';
import {
  readProviderEvent,
  textAt,
  transcriberOf,
  type ClientEvent,
  type EventKind,
  type ProviderEvent,
} from './socket-events';
import { Traffic } from './traffic';

/** A part of a session's usage that is charged separately, such as one response. */
export interface SessionPart {
  readonly usage: Usage;
  /** The usage is an estimate, because the provider did not report it. */
  readonly isEstimate: boolean;
  /** For an estimate: the output is unknown, so the model's likely output is charged. */
  readonly isOutputUnknown: boolean;
  /**
   * The model that the session requests for this part, such as a transcription model; null for the
   * model of the session.
   */
  readonly requested: string | null;
  /** The model that the provider names, or otherwise the client; null when neither names one. */
  readonly model: string | null;
}

/** Maximum number of responses that are open at the same time. */
const OPEN_MAX = 64;
/** Number of ids whose reported usage is stored; the oldest is removed. */
const REPORTED_MAX = 256;
const NAME_MAX = 256;
/**
 * Output that no protocol event attributes to a response is charged each time it reaches this many
 * tokens.
 */
const STEP_TOKENS = 350_000;
const TRANSCRIPTION = 'conversation.item.input_audio_transcription.';
const NOTHING: readonly SessionPart[] = Object.freeze([]);

/**
 * Measures a session's usage from its messages: the usage that the provider reports, each response
 * once, and an estimate where it reports none. Stores only numbers and ids, whatever the size of
 * the messages.
 */
export class SessionMeter {
  /** Responses that the provider has begun and not ended. */
  private readonly open = new Set<string>();
  private readonly reported = new Map<string, Usage>();
  private readonly responses = new Traffic();
  private readonly transcripts = new Traffic();
  /** Number of responses that the client has requested and the provider has not begun. */
  private requested = 0;
  /**
   * True when the client has sent a message since the provider's last one, so that a response may
   * begin.
   */
  private mayBegin = false;
  /** True when the provider uses a protocol with an event at the end of each response. */
  private hasEnds = false;
  /** Number of generations that have ended, in protocols without response ids. */
  private turn = 0;
  /** Tokens of the conversation so far. */
  private context = 0;
  private namedByProvider: string | null = null;
  private namedByClient: string | null = null;
  private transcriber: string | null = null;

  constructor(private readonly provider: Pick<Provider, 'usage'>) {}

  /** Returns the model of the session that the provider names, or otherwise the client. */
  model(): string | null {
    return this.namedByProvider ?? this.namedByClient;
  }

  /** True if a response is open or may be about to begin. */
  get isResponseOpen(): boolean {
    return (
      this.isAwaited ||
      this.mayBegin ||
      (this.hasEnds && (this.responses.hasOutput || this.transcripts.hasOutput))
    );
  }

  /** True if a response is open whose end will be reported. */
  get isAwaited(): boolean {
    return this.open.size > 0 || this.requested > 0;
  }

  /** Counts a message that is sent to the provider. */
  fromClient(bytes: number, event: ClientEvent): void {
    this.mayBegin = true;
    if (event.usesOwnInputOnly) {
      this.context = 0;
      this.responses.clearInput();
    }
    this.responses.addInput(bytes, event.isSound);
    if (event.isSound) this.transcripts.addInput(bytes, true);
    if (event.requestsResponse) this.requested = Math.min(this.requested + 1, OPEN_MAX);
    const model = event.models?.[0];
    if (model !== undefined) this.namedByClient = model.slice(0, NAME_MAX);
  }

  /** Counts a message of the provider, and returns the parts that it ends; usually none. */
  fromProvider(message: Buffer, isBinary: boolean): readonly SessionPart[] {
    this.mayBegin = false;
    const event = readProviderEvent(this.provider, message, isBinary);
    this.hasEnds ||= event.type !== '' || event.kind === 'quiet' || event.usage !== null;
    const parts = event.type.startsWith(TRANSCRIPTION) ? this.transcript(event) : this.response(event);
    if (event.endsTurn) this.nextTurn();
    return parts;
  }

  /** Returns the additional parts to charge if the session ends now. */
  rest(): readonly SessionPart[] {
    const { responses, transcripts } = this;
    const parts: SessionPart[] = [];
    const count = Math.min(this.open.size + this.requested, OPEN_MAX) || Number(responses.hasOutput);
    // The received output is counted once; the output of the other responses is unknown.
    for (let at = 0; at < count; at += 1) parts.push(this.estimate(responses, at === 0));
    if (transcripts.hasOutput) parts.push(this.estimateOfTranscript());
    return parts;
  }

  /**
   * Like `unchargedParts`, and clears the state. When the provider ends the session, responses that
   * it has not announced have not begun.
   */
  close(byProvider: boolean): readonly SessionPart[] {
    if (byProvider) this.requested = 0;
    const rest = this.rest();
    this.open.clear();
    this.requested = 0;
    this.responses.clear();
    this.transcripts.clear();
    return rest;
  }

  private response(event: ProviderEvent): readonly SessionPart[] {
    const { kind, body, usage } = event;
    const response = objectAt(body, 'response');
    const id = response && textAt(response, 'id');
    this.note(kind, body, response);
    if (kind === 'created' && id !== null) this.begin(id);
    if (kind === 'end') return this.end(id, usage, response?.['status'] === 'failed');
    if (usage !== null) return this.report(id ?? keyIn(body) ?? `turn ${String(this.turn)}`, usage);
    this.responses.addOutput(event.text, event.sound);
    return this.unattributed();
  }

  private note(kind: EventKind, body: JsonObject | null, response: JsonObject | null): void {
    if (kind === 'error') this.requested = Math.max(0, this.requested - 1);
    const session = kind === 'session' ? objectAt(body, 'session') : null;
    if (session !== null) this.transcriber = transcriberOf(session)?.slice(0, NAME_MAX) ?? this.transcriber;
    const holder = session ?? response;
    this.namedByProvider = (holder && textAt(holder, 'model'))?.slice(0, NAME_MAX) ?? this.namedByProvider;
  }

  private begin(id: string): void {
    this.requested = Math.max(0, this.requested - 1);
    if (this.open.size < OPEN_MAX) this.open.add(id.slice(0, NAME_MAX));
  }

  private end(stated: string | null, usage: Usage | null, hasFailed: boolean): readonly SessionPart[] {
    const id = stated?.slice(0, NAME_MAX) ?? this.nextTurn();
    const isKnown = this.reported.has(id);
    if (!this.open.delete(id) && !isKnown) this.requested = Math.max(0, this.requested - 1);
    const parts = usage === null ? this.endUnreported(id, isKnown, hasFailed) : this.report(id, usage);
    if (this.open.size === 0) this.responses.clear();
    return parts;
  }

  /**
   * Charges a response that ends without a report as an estimate, unless usage was reported before
   * or the response failed without output.
   */
  private endUnreported(id: string, isKnown: boolean, hasFailed: boolean): readonly SessionPart[] {
    if (isKnown) return NOTHING;
    const isFree = hasFailed && !this.responses.hasOutput;
    const parts = isFree ? NOTHING : [this.estimate(this.responses, true)];
    this.remember(id, parts[0]?.usage ?? NO_USAGE);
    return parts;
  }

  /** Returns the name of the generation that ends. */
  private nextTurn(): string {
    this.turn += 1;
    return `turn ${String(this.turn - 1)}`;
  }

  /** Charges the usage that exceeds the maximum reported under the key before. */
  private report(key: string, usage: Usage): readonly SessionPart[] {
    const known = this.reported.get(key);
    const isNext = known !== undefined && isLess(usage, known) && key.startsWith('turn ');
    const more = known === undefined || isNext ? usage : excessOf(usage, known);
    this.remember(key, known === undefined || isNext ? usage : maximumOf(usage, known));
    this.context = usage.inputTokens + usage.outputTokens;
    if (this.open.size === 0) this.responses.clear();
    return isNothing(more) ? NOTHING : [this.part(more)];
  }

  private remember(key: string, usage: Usage): void {
    this.reported.delete(key);
    this.reported.set(key, usage);
    if (this.reported.size <= REPORTED_MAX) return;
    for (const oldest of this.reported.keys()) {
      this.reported.delete(oldest);
      return;
    }
  }

  private unattributed(): readonly SessionPart[] {
    const { responses } = this;
    if (this.open.size > 0 || responses.outputTokens < STEP_TOKENS) return NOTHING;
    const part = this.estimate(responses, true);
    responses.clear();
    return [part];
  }

  private transcript(event: ProviderEvent): readonly SessionPart[] {
    this.transcripts.addOutput(event.text, event.sound);
    if (event.type !== `${TRANSCRIPTION}completed`) return NOTHING;
    const { body, usage } = event;
    const key = `transcript ${JSON.stringify([body?.['item_id'], body?.['content_index']]).slice(0, NAME_MAX)}`;
    const isKnown = this.reported.has(key);
    const used = usage ?? this.transcripts.estimate(0);
    const parts = isKnown
      ? NOTHING
      : [{ ...this.estimateOfTranscript(), usage: used, isEstimate: usage === null }];
    this.remember(key, used);
    this.transcripts.clear();
    return parts;
  }

  private part(usage: Usage): SessionPart {
    return { usage, isEstimate: false, isOutputUnknown: false, requested: null, model: this.model() };
  }

  private estimate(of: Traffic, withOutput: boolean): SessionPart {
    const usage = of.estimate(this.context, withOutput);
    return { ...this.part(usage), isEstimate: true, isOutputUnknown: usage.outputTokens === 0 };
  }

  private estimateOfTranscript(): SessionPart {
    const usage = this.transcripts.estimate(0);
    const { transcriber } = this;
    return {
      ...this.part(usage),
      isEstimate: true,
      requested: transcriber,
      model: transcriber ?? this.model(),
    };
  }
}

function objectAt(body: JsonObject | null, key: string): JsonObject | null {
  const value = body?.[key];
  return isObject(value) ? value : null;
}

/** Returns the id under which an event of an unknown protocol reports usage. */
function keyIn(body: JsonObject | null): string | null {
  const id = body === null ? null : (textAt(body, 'response_id') ?? textAt(body, 'id'));
  return id === null ? null : `id ${id.slice(0, NAME_MAX)}`;
}

const FIELDS = [
  'inputTokens',
  'outputTokens',
  'cacheReadTokens',
  'cacheWriteTokens',
  'reasoningTokens',
  'inputAudioTokens',
  'outputAudioTokens',
] as const;

const combined = (one: Usage, other: Usage, by: (a: number, b: number) => number): Usage => ({
  ...one,
  ...Object.fromEntries(FIELDS.map((field) => [field, by(one[field], other[field])])),
});

const excessOf = (usage: Usage, known: Usage): Usage => combined(usage, known, (a, b) => Math.max(0, a - b));
const maximumOf = (usage: Usage, known: Usage): Usage => combined(usage, known, Math.max);
const isNothing = ({ inputTokens, outputTokens }: Usage): boolean => inputTokens === 0 && outputTokens === 0;
const isLess = (usage: Usage, known: Usage): boolean =>
  usage.inputTokens < known.inputTokens || usage.outputTokens < known.outputTokens;
