import { Buffer, isUtf8 } from 'node:buffer';
import { GatewayError } from '@gw/kernel';
import {
  boundaryOf,
  PART_HEAD_MAX,
  PARTS_MAX,
  readPartHead,
  type JsonObject,
  type PartHead,
} from '@gw/providers';

/** Maximum UTF-8 bytes of all text fields of a form together. */
const TEXT_BYTES_MAX = 4_194_304;

interface Field extends PartHead {
  /** Value of a text field; null for a file. */
  readonly text: string | null;
  /** Position of the value in the body: `[start, end)`. */
  readonly start: number;
  readonly end: number;
}

/** The fields of a form: texts, and names of files without their contents. */
export class FormFields {
  constructor(
    private readonly fields: readonly Field[],
    private readonly delimiter: Buffer,
  ) {}

  /**
   * Returns the form as guardrails see it: texts by field name, a list when a name is repeated, and
   * file names instead of files.
   */
  value(): JsonObject {
    const values = new Map<string, unknown[]>();
    for (const { name, text, filename } of this.fields) {
      const known = values.get(name) ?? [];
      known.push(text ?? { filename });
      values.set(name, known);
    }
    return Object.fromEntries([...values].map(([name, all]) => [name, all.length === 1 ? all[0] : all]));
  }

  /**
   * Returns the form's bytes with the texts that guardrails changed. No field is added or removed.
   * Throws `body_invalid` when a changed text contains the boundary.
   */
  rewritten(body: Buffer, changed: JsonObject): Buffer {
    const seen = new Map<string, number>();
    const pieces: Buffer[] = [];
    let at = 0;
    for (const { name, text, start, end } of this.fields) {
      const nth = seen.get(name) ?? 0;
      seen.set(name, nth + 1);
      const value = Object.hasOwn(changed, name) ? changed[name] : undefined;
      const next = Array.isArray(value) ? (value as unknown[])[nth] : value;
      if (text === null || typeof next !== 'string' || next === text) continue;
      const bytes = Buffer.from(next);
      if (bytes.includes(this.delimiter)) throw unreadable('a changed text contains its boundary');
      pieces.push(body.subarray(at, start), bytes);
      at = end;
    }
    return Buffer.concat([...pieces, body.subarray(at)]);
  }
}

/**
 * Reads a form piece by piece and keeps its text fields. Refuses a form that two parsers could read
 * differently, so that no field escapes the guardrails.
 */
class FormReader {
  private readonly fields: Field[] = [];
  private readonly delimiter: Buffer;
  private pending: Buffer = EMPTY;
  /** Offset of `pending` in the body. */
  private at = 0;
  private part: { readonly head: PartHead; readonly start: number; readonly texts: Buffer[] } | null = null;
  private state: 'start' | 'head' | 'value' | 'end' = 'start';
  private textBytes = 0;

  constructor(boundary: string) {
    this.delimiter = Buffer.from(`\r\n--${boundary}`, 'latin1');
  }

  add(piece: Buffer): void {
    this.pending = this.pending.length === 0 ? piece : Buffer.concat([this.pending, piece]);
    while (this.step());
  }

  end(): FormFields {
    if (this.state !== 'end') throw unreadable('it has no closing boundary');
    return new FormFields(this.fields, this.delimiter);
  }

  /** Parses one step; returns false when it needs more bytes. */
  private step(): boolean {
    if (this.state === 'start') return this.opening();
    if (this.state === 'head') return this.head();
    return this.state === 'value' && this.value();
  }

  private opening(): boolean {
    const first = this.delimiter.subarray(2);
    if (this.pending.length < first.length) return false;
    if (!this.pending.subarray(0, first.length).equals(first))
      throw unreadable('it does not begin with its boundary');
    this.skip(first.length);
    this.state = 'head';
    return true;
  }

  private head(): boolean {
    if (this.pending.length < 2) return false;
    const mark = this.pending.toString('latin1', 0, 2);
    if (mark === '--') {
      this.state = 'end';
      return false;
    }
    if (mark !== '\r\n') throw unreadable('unexpected text follows a boundary');
    const end = this.pending.indexOf('\r\n\r\n');
    if (end === -1 ? this.pending.length > PART_HEAD_MAX : end > PART_HEAD_MAX)
      throw unreadable('the headers of a part are too long');
    if (end === -1) return false;
    const head = readPartHead(this.pending.toString('latin1', 2, end));
    if (head === null) throw unreadable('the content-disposition of a part has an unsupported form');
    if (this.fields.length >= PARTS_MAX) throw unreadable('it has too many parts');
    // Keep the line break, because a part without a value may end right after its headers.
    this.skip(end + 2);
    this.part = { head: decoded(head), start: this.at + 2, texts: [] };
    this.state = 'value';
    return true;
  }

  private value(): boolean {
    const end = this.pending.indexOf(this.delimiter);
    const complete = end === -1 ? this.pending.length - this.delimiter.length + 1 : end;
    if (complete > 0) this.keep(complete);
    if (end === -1) return false;
    this.close();
    this.skip(this.delimiter.length);
    this.state = 'head';
    return true;
  }

  private keep(bytes: number): void {
    const { part } = this;
    if (part?.head.filename === null) {
      this.textBytes += bytes;
      if (this.textBytes > TEXT_BYTES_MAX)
        throw new GatewayError('body_too_large', {
          message: 'The fields of the form are larger than guardrails can read.',
        });
      part.texts.push(this.pending.subarray(0, bytes));
    }
    this.skip(bytes);
  }

  private close(): void {
    const { part } = this;
    if (part === null) return;
    const { head, start, texts } = part;
    const bytes = Buffer.concat(texts).subarray(2);
    if (head.filename === null && !isUtf8(bytes)) throw unreadable('a field is not UTF-8');
    const text = head.filename === null ? bytes.toString('utf8') : null;
    this.fields.push({ ...head, text, start, end: Math.max(start, this.at) });
    this.part = null;
  }

  private skip(bytes: number): void {
    this.pending = this.pending.subarray(bytes);
    this.at += bytes;
  }
}

const EMPTY = Buffer.alloc(0);

/** Clients write field names in UTF-8, while the head is parsed as latin1. */
const decoded = ({ name, filename }: PartHead): PartHead => ({
  name: utf8(name),
  filename: filename === null ? null : utf8(filename),
});
const utf8 = (latin1: string): string => Buffer.from(latin1, 'latin1').toString('utf8');

const unreadable = (rule: string): GatewayError =>
  new GatewayError('body_invalid', { message: `Guardrails cannot read the form: ${rule}.` });

export const isForm = (contentType: string | undefined): boolean =>
  contentType !== undefined && /^\s*multipart\//i.test(contentType);

/**
 * Reads a form. Throws `body_invalid` for a form that parsers could read differently, and
 * `body_too_large`.
 */
export function readForm(body: Buffer, contentType: string | undefined): FormFields {
  const reader = readerFor(contentType);
  reader.add(body);
  return reader.end();
}

/** Reads a form that is not in memory. Rejects with the errors of `readForm`. */
export async function readLargeForm(
  body: AsyncIterable<Buffer>,
  contentType: string | undefined,
): Promise<FormFields> {
  const reader = readerFor(contentType);
  for await (const piece of body) reader.add(piece);
  return reader.end();
}

function readerFor(contentType: string | undefined): FormReader {
  const boundary = boundaryOf(contentType);
  if (boundary === null)
    throw unreadable('the boundary in its content type is missing or has an unsupported form');
  return new FormReader(boundary);
}
