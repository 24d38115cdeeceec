import { readAnswer, type AnswerFacts } from '@gw/providers';
import { valueOf } from '../http/header-rules';
import type { Answer, BodySink } from '../pipeline/answer';
import { codingOf, decode, type Coding } from '../pipeline/decoding';

/** More of an answer that nobody wants is not read; its call is ended. */
const BYTES_MAX = 65_536;
const DECODED_BYTES_MAX = 1_048_576;

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
    const encoding = valueOf(this.answer.headers, 'content-encoding');
    const coding = codingOf(encoding);
    if (this.left < 0) this.finish(UNTOLD);
    else if (encoding === undefined || encoding === 'identity') this.finish(this.factsOf(this.chunks));
    else if (coding === null) this.finish(UNTOLD);
    else this.decode(coding);
  }

  fail(): void {
    this.finish(UNTOLD);
  }

  private decode(coding: Coding): void {
    const decoded: Buffer[] = [];
    void decode(this.chunks, coding, DECODED_BYTES_MAX, (chunk) => decoded.push(chunk)).then((isWhole) => {
      this.finish(isWhole ? this.factsOf(decoded) : UNTOLD);
    });
  }

  private factsOf(chunks: readonly Buffer[]): AnswerFacts {
    return readAnswer(this.answer.upstream.provider, Buffer.concat(chunks));
  }

  private finish(facts: AnswerFacts): void {
    if (this.told) return;
    this.told = true;
    this.chunks.length = 0;
    this.tell(facts);
  }
}

const UNTOLD: AnswerFacts = { usage: null, model: null };
