import type { Usage } from '@gw/contracts';
import { lastUsageObject, type JsonObject, type Provider } from '@gw/providers';
import { isObject } from '../http/json-body';
import { sumOf } from '../pipeline/extra-use';

const FILE = /\/files\/([^/?]+)\/content(?:\?|$)/;
const RESULTS = /\/messages\/batches\/([^/?]+)\/results(?:\?|$)/;

/** What the output of a batch is charged as, by the address it is read from; null: it is none. */
export function outputOfBatch(url: string): string | null {
  const file = FILE.exec(url)?.[1];
  return file === undefined ? (RESULTS.exec(url)?.[1] ?? null) : `file:${file}`;
}

const LINE_FEED = 0x0a;
/** A longer line is not parsed: its last usage counts. */
const LINE_BYTES_MAX = 262_144;
/** So much is kept of the end of such a line. */
const END_BYTES = 65_536;

/** Adds up what the lines of a batch's output say was used, as they go by. */
export class BatchOutputMeter {
  private held: Buffer[] = [];
  private heldBytes = 0;
  private isLong = false;
  private sum: Usage | null = null;
  private named: string | null = null;

  constructor(private readonly provider: Pick<Provider, 'usage'>) {}

  usage(): Usage | null {
    this.endLine();
    return this.sum;
  }

  model(): string | null {
    return this.named;
  }

  write(chunk: Buffer): void {
    let from = 0;
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, from)) {
      this.hold(chunk.subarray(from, end));
      this.endLine();
      from = end + 1;
    }
    this.hold(chunk.subarray(from));
  }

  private hold(piece: Buffer): void {
    if (piece.length === 0) return;
    this.held.push(piece);
    this.heldBytes += piece.length;
    if (this.heldBytes <= LINE_BYTES_MAX) return;
    this.isLong = true;
    const end = Buffer.concat(this.held).subarray(-END_BYTES);
    this.held = [Buffer.from(end)];
    this.heldBytes = end.length;
  }

  private endLine(): void {
    if (this.heldBytes > 0) this.read(Buffer.concat(this.held));
    this.held = [];
    this.heldBytes = 0;
    this.isLong = false;
  }

  private read(line: Buffer): void {
    const body = this.isLong ? endOf(line) : bodyOf(line);
    if (body === null) return;
    const used = this.provider.usage(body);
    const { model } = body;
    if (typeof model === 'string') this.named ??= model.slice(0, 256);
    if (used !== null) this.sum = this.sum === null ? used : sumOf(this.sum, used);
  }
}

function endOf(line: Buffer): JsonObject | null {
  const usage = lastUsageObject(line);
  return usage && { usage };
}

/** The answer in a line of OpenAI's output (`response.body`) or of Anthropic's results (`result.message`). */
function bodyOf(line: Buffer): JsonObject | null {
  try {
    const told: unknown = JSON.parse(line.toString('utf8'));
    if (!isObject(told)) return null;
    const { response, result } = told;
    const body = isObject(response) ? response['body'] : isObject(result) ? result['message'] : null;
    return isObject(body) ? body : null;
  } catch {
    return null;
  }
}
