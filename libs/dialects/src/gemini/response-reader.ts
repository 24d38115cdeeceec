import type { JsonObject } from '../call';
import type { ProviderContext } from '../codec';
import type { TokenUsage } from '../response';
import { BROKEN_STREAM, type EventWriter } from '../stream/decoder-base';
import { asNumber, asObject, asString, objectsOf } from '../values/json';
import { CandidateReader } from './candidate-reader';
import { faultIn } from './errors';
import { usageOf } from './usage';

const CANDIDATES_MAX = 128;

/** Reads a response of Gemini, whole or as the events of a stream, which have the same form. */
export class ResponseReader {
  private readonly candidates = new Map<number, CandidateReader>();
  private isBlocked = false;
  private usage: TokenUsage | undefined;
  private grounding: unknown;

  constructor(
    private readonly out: EventWriter,
    private readonly context: ProviderContext,
  ) {}

  /** Whether all candidates have a finish reason. */
  get isFinished(): boolean {
    return (
      this.isBlocked ||
      (this.candidates.size > 0 && [...this.candidates.values()].every(({ isFinished }) => isFinished))
    );
  }

  get hasCandidates(): boolean {
    return this.isBlocked || this.candidates.size > 0;
  }

  take(body: JsonObject): void {
    const fault = faultIn(body);
    if (fault !== null) {
      this.out.fail(fault);
      return;
    }
    const id = asString(body['responseId']) ?? '';
    if (!this.out.isStarted) this.out.start(id, asString(body['modelVersion']) ?? '', this.created(body));
    const candidates = objectsOf(body['candidates']);
    for (const candidate of candidates) this.candidate(candidate, id);
    if (candidates.length === 0) this.feedback(body);
    this.usage = usageOf(body['usageMetadata'], this.grounding) ?? this.usage;
  }

  /**
   * Writes the ends of the candidates and the usage. A response whose candidates are all errors
   * without content is a failure of the provider.
   */
  finish(): void {
    const candidates = [...this.candidates.values()];
    if (candidates.length > 0 && candidates.every(({ hasFailed }) => hasFailed)) {
      this.out.fail(BROKEN_STREAM);
      return;
    }
    for (const candidate of candidates) candidate.finish();
    this.reportUsage();
    this.out.done();
  }

  reportUsage(): void {
    if (this.usage !== undefined) this.out.push({ t: 'usage', usage: this.usage });
  }

  private candidate(candidate: JsonObject, id: string): void {
    const index = asNumber(candidate['index']) ?? 0;
    if (!Number.isInteger(index) || index < 0 || index >= CANDIDATES_MAX) {
      this.out.fail(BROKEN_STREAM);
      return;
    }
    let reader = this.candidates.get(index);
    if (reader === undefined) {
      reader = new CandidateReader(this.out, index, id === '' ? this.context.requestId : id);
      this.candidates.set(index, reader);
    }
    this.grounding = candidate['groundingMetadata'] ?? this.grounding;
    reader.take(candidate);
  }

  private feedback(body: JsonObject): void {
    const feedback = asObject(body['promptFeedback']);
    const reason = asString(feedback?.['blockReason']);
    if (reason === null || this.hasCandidates) return;
    this.isBlocked = true;
    new CandidateReader(this.out, 0, '').block(reason, asString(feedback?.['blockReasonMessage']));
  }

  /** Returns the creation time in Unix seconds: Vertex's, else the time of the request. */
  private created(body: JsonObject): number {
    const time = Date.parse(asString(body['createTime']) ?? '');
    return Number.isNaN(time) ? this.context.createdAt : Math.floor(time / 1_000);
  }
}
