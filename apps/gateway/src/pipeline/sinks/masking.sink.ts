import { Buffer } from 'node:buffer';
import type { OutboundError } from '@gw/outbound';
import type { BodySink } from '../answer';
import { CREDENTIAL_MARK } from '../credential-echo';

const MARK = Buffer.from(CREDENTIAL_MARK);
const NOTHING = Buffer.alloc(0);

/**
 * Hands a body on without the texts of a credential, also where one is cut between two pieces. It holds back as many bytes as the
 * beginning of a text may have, and no more. The body's length changes with it.
 */
export class MaskingSink implements BodySink {
  private readonly texts: readonly Buffer[];
  private readonly heldMax: number;
  private held: Buffer = NOTHING;

  constructor(
    private readonly inner: BodySink,
    texts: readonly string[],
  ) {
    this.texts = texts.map((text) => Buffer.from(text));
    this.heldMax = Math.max(...this.texts.map(({ length }) => length)) - 1;
  }

  data(chunk: Buffer): void {
    const bytes = this.held.length === 0 ? chunk : Buffer.concat([this.held, chunk]);
    const pieces: Buffer[] = [];
    let from = 0;
    for (let next = this.first(bytes, from); next !== null; next = this.first(bytes, from)) {
      pieces.push(bytes.subarray(from, next.at), MARK);
      from = next.at + next.length;
    }
    const until = Math.max(from, bytes.length - this.heldMax);
    pieces.push(bytes.subarray(from, until));
    this.held = bytes.subarray(until);
    const passed = Buffer.concat(pieces);
    if (passed.length > 0) this.inner.data(passed);
  }

  end(): void {
    if (this.held.length > 0) this.inner.data(this.held);
    this.inner.end();
  }

  fail(error: OutboundError): void {
    this.inner.fail(error);
  }

  private first(bytes: Buffer, from: number): { readonly at: number; readonly length: number } | null {
    let found: { at: number; length: number } | null = null;
    for (const text of this.texts) {
      const at = bytes.indexOf(text, from);
      if (at !== -1 && (found === null || at < found.at)) found = { at, length: text.length };
    }
    return found;
  }
}
