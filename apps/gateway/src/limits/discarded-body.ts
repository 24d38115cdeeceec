import { readAnswer, type AnswerFacts } from '@gw/providers';
import { valueOf } from '../http/header-rules';
import type { Answer, BodySink } from '../pipeline/answer';

/** More of an answer that nobody wants is not read; its call is ended. */
const BYTES_MAX = 65_536;

/** Reads an answer that the client does not get, for what it says was used, so that its connection can be used again too. */
export class DiscardedBody implements BodySink {
  private readonly chunks: Buffer[] = [];
  private left = BYTES_MAX;
  private told = false;

  private constructor(
    private readonly answer: Answer,
    private readonly tell: (facts: AnswerFacts) => void,
  ) {}

  /** Tells once, as soon as it is known. */
  static read(answer: Answer, tell: (facts: AnswerFacts) => void): void {
    answer.discard(new DiscardedBody(answer, tell));
  }

  data(chunk: Buffer): void {
    this.left -= chunk.length;
    if (this.left >= 0) this.chunks.push(chunk);
    else this.answer.call?.abort();
  }

  end(): void {
    this.finish(this.left >= 0 && isJson(this.answer) ? this.facts() : UNTOLD);
  }

  fail(): void {
    this.finish(UNTOLD);
  }

  private facts(): AnswerFacts {
    return readAnswer(this.answer.upstream.provider, Buffer.concat(this.chunks));
  }

  private finish(facts: AnswerFacts): void {
    if (this.told) return;
    this.told = true;
    this.chunks.length = 0;
    this.tell(facts);
  }
}

const UNTOLD: AnswerFacts = { usage: null, model: null };

const isJson = ({ headers }: Answer): boolean =>
  valueOf(headers, 'content-encoding') === undefined &&
  valueOf(headers, 'content-type')?.includes('json') === true;
