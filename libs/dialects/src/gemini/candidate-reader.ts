import type { JsonObject, MediaPart, Part, Seal } from '../call';
import type { Finish } from '../response';
import { BROKEN_STREAM, type EventWriter } from '../stream/decoder-base';
import { mediaType } from '../values/data-url';
import { asObject, asString, objectsOf, optional, writtenJson } from '../values/json';
import { callIdOf } from '../values/tool-ids';
import { ByteOffsets } from './byte-offsets';
import { mediaKind } from './decode-parts';
import { finishOf } from './finish';
import { citationsOf } from './grounding';
import { logprobsOf } from './logprobs';

type OpenKind = 'text' | 'reasoning';

/** Reads the parts of one candidate, which arrive whole or in pieces, and writes them as blocks. */
export class CandidateReader {
  private open: { readonly kind: OpenKind; readonly i: number } | null = null;
  /** Whether the open block has its signature, so that the following content is another part. */
  private isSealed = false;
  private calls = 0;
  private hasContent = false;
  private finishReason: string | null = null;
  private finishMessage: string | null = null;
  private readonly offsets = new ByteOffsets();
  /** Number of bytes of the message's text before each part of the current event. */
  private starts: number[] = [];

  constructor(
    private readonly out: EventWriter,
    private readonly index: number,
    private readonly responseId: string,
  ) {}

  get isFinished(): boolean {
    return this.finishReason !== null;
  }

  /** Takes a candidate of a response or of one event. */
  take(candidate: JsonObject): void {
    this.starts = [];
    for (const part of objectsOf(asObject(candidate['content'])?.['parts'])) {
      this.starts.push(this.offsets.byteLength);
      this.part(part);
    }
    this.cite(candidate);
    const logprobs = logprobsOf(candidate['logprobsResult']);
    if (logprobs.length > 0)
      this.out.push({ t: 'logprobs', c: this.index, i: this.open?.i ?? 0, items: logprobs });
    this.finishReason = asString(candidate['finishReason']) ?? this.finishReason;
    this.finishMessage = asString(candidate['finishMessage']) ?? this.finishMessage;
  }

  /** Handles a blocked prompt, for which there is no candidate. */
  block(reason: string, message: string | null): void {
    const i = this.out.open(this.index, { kind: 'refusal', text: '' });
    this.out.text(this.index, i, message ?? `Blocked: ${reason}`);
    this.out.close(i);
    this.out.finish(this.index, {
      reason: 'content_filter',
      raw: reason,
      ...(message === null ? {} : { detail: message }),
    });
  }

  /** Whether the candidate is an error without content. */
  get hasFailed(): boolean {
    return this.ending.reason === 'error' && !this.hasContent;
  }

  finish(): void {
    this.out.finish(this.index, this.ending);
  }

  private get ending(): Finish {
    return finishOf(this.finishReason, this.finishMessage, this.calls > 0);
  }

  private part(part: JsonObject): void {
    const seal = sealOf(part);
    const called = asObject(part['functionCall']);
    if (called !== null) this.call(called, seal);
    else if (asObject(part['inlineData']) !== null) this.media(part, seal);
    else if (typeof part['text'] === 'string' || seal !== undefined)
      this.text(part, asString(part['text']) ?? '', seal);
    else this.hosted(part);
  }

  private text(part: JsonObject, text: string, seal: Seal | undefined): void {
    if (text === '' && seal === undefined) return;
    const i = this.blockOf(part['thought'] === true, text === '');
    if (text !== '') this.add(i, text);
    if (seal === undefined) return;
    // The block stays open for citations.
    this.out.push({ t: 'seal', c: this.index, i, seal });
    this.isSealed = true;
  }

  /**
   * Returns the block of a part. A signature alone belongs to the text before it, else it is a
   * block of its own.
   */
  private blockOf(isThought: boolean, isEmpty: boolean): number {
    const open = this.isSealed ? null : this.open;
    const isCarrier = isEmpty && !isThought && open?.kind !== 'text';
    const kind = isThought || isCarrier ? 'reasoning' : 'text';
    return open?.kind === kind && !isCarrier ? open.i : this.begin(kind);
  }

  private add(i: number, text: string): void {
    if (this.open?.kind === 'text') {
      this.hasContent = true;
      this.offsets.add(text);
    }
    this.out.text(this.index, i, text);
  }

  private call(called: JsonObject, seal: Seal | undefined): void {
    const name = asString(called['name']);
    const args = called['args'] ?? {};
    // Google sends arguments in pieces only on request, and translated calls do not request it.
    const text = asObject(args) === null ? null : writtenJson(args);
    if (name === null || name === '' || text === null || called['willContinue'] === true) {
      this.out.fail(BROKEN_STREAM);
      return;
    }
    const given = asString(called['id']) ?? '';
    const id = callIdOf(given, this.responseId, this.index, this.calls);
    this.calls += 1;
    this.whole({ kind: 'tool_call', id, name, args: '', ...optional('seal', seal) }, (i) => {
      this.out.args(this.index, i, text);
    });
  }

  private media(part: JsonObject, seal: Seal | undefined): void {
    const inline = asObject(part['inlineData']) ?? {};
    const mime = mediaType(asString(inline['mimeType']) ?? 'application/octet-stream');
    const media: MediaPart = {
      kind: 'media',
      media: mediaKind(mime),
      mime,
      source: { at: 'base64', data: '' },
      ...optional('seal', seal),
    };
    this.whole(media, (i) => {
      this.out.push({ t: 'data', c: this.index, i, base64: asString(inline['data']) ?? '' });
    });
  }

  private hosted(part: JsonObject): void {
    if (asObject(part['executableCode']) !== null || asObject(part['toolCall']) !== null) {
      this.whole({ kind: 'hosted_call', tool: 'code_execution', data: part, dialect: 'gemini' });
    } else if (asObject(part['codeExecutionResult']) !== null || asObject(part['toolResponse']) !== null) {
      this.whole({ kind: 'hosted_result', tool: 'code_execution', data: part, dialect: 'gemini' });
    } else if (Object.keys(part).length > 0) this.whole({ kind: 'opaque', dialect: 'gemini', data: part });
  }

  /** Writes a block that arrives in one piece. */
  private whole(part: Part, fill?: (i: number) => void): void {
    this.end();
    this.hasContent = true;
    const i = this.out.open(this.index, part);
    fill?.(i);
    this.out.close(i);
  }

  private begin(kind: OpenKind): number {
    this.end();
    const i = this.out.open(this.index, { kind, text: '' });
    this.open = { kind, i };
    this.isSealed = false;
    return i;
  }

  private end(): void {
    if (this.open !== null) this.out.close(this.open.i);
    this.open = null;
  }

  /** Adds citations to the open text, which is the last one. */
  private cite(candidate: JsonObject): void {
    if (candidate['groundingMetadata'] === undefined && candidate['citationMetadata'] === undefined) return;
    const { open } = this;
    if (open?.kind !== 'text') return;
    for (const citation of citationsOf(candidate, this.offsets, (part) => this.starts[part] ?? 0)) {
      this.out.push({ t: 'cite', c: this.index, i: open.i, citation });
    }
  }
}

function sealOf(part: JsonObject): Seal | undefined {
  const value = asString(part['thoughtSignature']);
  return value === null || value === '' ? undefined : { by: 'google', value };
}
