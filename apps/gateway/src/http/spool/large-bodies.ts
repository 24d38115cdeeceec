import { GatewayError } from '@gw/kernel';
import { BodySkim } from '@gw/providers';
import type { Exchange } from '../../pipeline/exchange';
import type { BodyBudget } from '../body-budget';
import { BodyPieces } from './body-pieces';
import type { Spool } from './spool';
import { noRoom, type SpooledBody } from './spooled-body';

export interface LargeBodyOptions {
  readonly maxBufferedBody: number;
  readonly maxBody: number;
  readonly bodyIdleMs: number;
  /** For a whole body that is kept in memory. */
  readonly bodyTotalMs: number;
  readonly budget: BodyBudget;
  readonly spool: Spool;
}

/** Memory that a spooled body takes at most: its skeleton for the scan, and the pieces on their way to and from the disk. */
const WORKING_BYTES = 1_048_576;

/** Receives bodies that are too large for memory, or may be. They are stored whole before they are sent, and read while stored. */
export class LargeBodies {
  private readonly maxBytes: number;

  constructor(private readonly options: LargeBodyOptions) {
    this.maxBytes = Math.min(options.maxBody, options.spool.maxBytes);
  }

  /**
   * Sets `exchange.spooled` and the scan; gives the body back instead when it turned out small enough for memory. `length` is null
   * when the client has not said it. What is held is left with the exchange, which gives it back when it is settled.
   */
  async receive(exchange: Exchange, length: number | null): Promise<Buffer | null> {
    const { budget, maxBufferedBody, bodyIdleMs, spool } = this.options;
    if (length !== null && length > this.maxBytes) throw new GatewayError('body_too_large');
    const reserved = length === null ? Math.max(maxBufferedBody, WORKING_BYTES) : WORKING_BYTES;
    if (!budget.take(reserved)) throw noRoom();
    exchange.heldBytes = reserved;
    const keep = (bytes: number): void => {
      budget.give(reserved - bytes);
      exchange.heldBytes = bytes;
    };
    const pieces = new BodyPieces(exchange.req, bodyIdleMs);
    try {
      const first = length === null ? await this.readFirst(pieces) : NOTHING;
      if (first.isWhole) {
        const whole = Buffer.concat(first.pieces);
        keep(whole.length);
        return whole;
      }
      const body = await spool.open(length ?? 0);
      exchange.release = () => {
        body.close();
      };
      exchange.scan = await this.store(exchange, first.pieces, pieces, body);
      keep(WORKING_BYTES);
      exchange.spooled = body;
      exchange.receivedBytes = body.length;
      return null;
    } finally {
      pieces.stop();
    }
  }

  /** As much as memory may hold, and the piece that is too much. */
  private async readFirst(pieces: BodyPieces): Promise<First> {
    const first: Buffer[] = [];
    let size = 0;
    const deadline = performance.now() + this.options.bodyTotalMs;
    while (size <= this.options.maxBufferedBody) {
      const leftMs = deadline - performance.now();
      if (leftMs <= 0) throw new GatewayError('request_incomplete');
      const piece = await pieces.next(leftMs);
      if (piece === null) return { pieces: first, isWhole: true };
      size += piece.length;
      first.push(piece);
    }
    return { pieces: first, isWhole: false };
  }

  private async store(exchange: Exchange, first: readonly Buffer[], rest: BodyPieces, body: SpooledBody) {
    const type = exchange.req.headers['content-type'];
    const skim = new BodySkim(exchange.route.kind === 'passthrough' ? undefined : type);
    const add = async (piece: Buffer): Promise<void> => {
      if (body.length + piece.length > this.maxBytes) throw new GatewayError('body_too_large');
      skim.add(piece);
      await body.append(piece);
    };
    for (const piece of first) await add(piece);
    for (let piece = await rest.next(); piece !== null; piece = await rest.next()) await add(piece);
    return skim.scan();
  }
}

interface First {
  readonly pieces: readonly Buffer[];
  readonly isWhole: boolean;
}

const NOTHING: First = { pieces: [], isWhole: false };
