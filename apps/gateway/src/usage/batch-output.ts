import type { PriceLine, Usage } from '@gw/contracts';
import type { JsonObject, Provider } from '@gw/providers';
import type { RequestContext } from '../core/request-context';
import { sumOf } from './use';
import type { BatchOutput, LinePricer } from './use';
import { plainPath } from '../routes/plain-path';
import { headOf, readLine, useOf, type LineHead, type LineUse } from './batch-lines';

/** File paths of OpenAI and of Gemini. */
const FILE = /\/files\/(?:([^/]+)\/content|([^/:]+):download)$/i;
const RESULTS = /\/messages\/batches\/([^/]+)\/results$/i;

/**
 * Returns the name under which a batch's output is charged, derived from the path of the request;
 * null when the path is not that of an output.
 */
export function outputOfBatch({ attempts, url }: Pick<RequestContext, 'attempts' | 'url'>): string | null {
  const path = plainPath(attempts.followed ?? url);
  const [, file, download] = FILE.exec(path) ?? [];
  const read = file ?? download;
  return read === undefined ? (RESULTS.exec(path)?.[1] ?? null) : `file:${read}`;
}

const LINE_FEED = 0x0a;
/** Longer lines, in bytes, are not parsed; their last usage is read. */
const LINE_BYTES_MAX = 262_144;
/** Bytes at the end of a longer line that are kept. */
const END_BYTES = 65_536;
/** Maximum number of price lines in the log. */
const PRICE_LINES_MAX = 64;

/**
 * Sums the usage that the lines of a batch's output report while they are forwarded. Each line is
 * priced by its own model.
 */
export class BatchOutputMeter {
  private held: Buffer[] = [];
  private heldBytes = 0;
  private lineBytes = 0;
  private head: LineHead | null = null;
  private lastModel: string | null = null;
  private sum: Usage | null = null;
  private cost: number | null = null;
  private isUnpriced = false;
  private isEstimate = false;
  private source: string | null = null;
  private readonly lines = new Map<string, PriceLine>();
  /** Undefined: no line was read. Null: the lines name several models, or none. */
  private named: string | null | undefined = undefined;

  constructor(
    private readonly provider: Pick<Provider, 'usage'>,
    private readonly price: LinePricer,
  ) {}

  /** Returns the usage so far. Like `output`, it ends the line that is being read. */
  usage(): Usage | null {
    return this.output()?.usage ?? null;
  }

  /** Null: the lines name several models, or none. */
  model(): string | null {
    return this.named ?? null;
  }

  /** Returns the output so far. Call `write` no more afterwards. */
  output(): BatchOutput | null {
    this.endLine(true);
    const { sum: usage, cost, isUnpriced, isEstimate, source } = this;
    if (usage === null) return null;
    const lines = [...this.lines.values()];
    const price = source === null ? null : { source, model: this.model(), lines };
    return { usage, cost, isUnpriced, isEstimate, price };
  }

  write(chunk: Buffer): void {
    let from = 0;
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, from)) {
      this.hold(chunk.subarray(from, end));
      this.endLine(false);
      from = end + 1;
    }
    this.hold(chunk.subarray(from));
  }

  private hold(piece: Buffer): void {
    if (piece.length === 0) return;
    this.held.push(piece);
    this.heldBytes += piece.length;
    this.lineBytes += piece.length;
    if (this.heldBytes <= LINE_BYTES_MAX) return;
    const all = Buffer.concat(this.held);
    this.head = headOf(all, this.head);
    const end = Buffer.from(all.subarray(-END_BYTES));
    this.held = [end];
    this.heldBytes = end.length;
  }

  private endLine(isLast: boolean): void {
    if (this.heldBytes > 0) {
      const { lineBytes: bytes, head } = this;
      const use = readLine(this.provider, { text: Buffer.concat(this.held), bytes, head, isLast });
      if (use !== null) this.addUse(use);
    }
    this.held = [];
    this.heldBytes = 0;
    this.lineBytes = 0;
    this.head = null;
  }

  /** Adds a line that was parsed elsewhere. */
  add(line: JsonObject): void {
    const use = useOf(this.provider, line);
    if (use !== null) this.addUse(use);
  }

  private addUse({ model: own, usage, isEstimate }: LineUse): void {
    // A line without a model is charged at the model of the line before it.
    const model = own ?? this.lastModel;
    this.lastModel = model;
    this.sum = this.sum === null ? usage : sumOf(this.sum, usage);
    this.named = this.named === undefined || this.named === model ? model : null;
    this.isEstimate ||= isEstimate;
    const priced = this.price(model, usage);
    if (priced === null) {
      this.isUnpriced = true;
      return;
    }
    this.cost = Math.min(Number.MAX_SAFE_INTEGER, (this.cost ?? 0) + priced.total);
    this.source ??= priced.source;
    for (const line of priced.lines) this.addLine(line);
  }

  /** Merges lines of the same unit and price. */
  private addLine(line: PriceLine): void {
    const key = `${line.unit} ${String(line.pricePerMillion)}`;
    const before = this.lines.get(key);
    if (before === undefined && this.lines.size >= PRICE_LINES_MAX) return;
    const quantity = line.quantity + (before?.quantity ?? 0);
    this.lines.set(key, { ...line, quantity, cost: line.cost + (before?.cost ?? 0) });
  }
}
