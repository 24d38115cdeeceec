import { addPiece, GatewayError } from '@gw/kernel';
import { BodySkim } from '@gw/providers';
import type { RequestContext } from '../../core/request-context';
import type { GatewayPrincipal } from '../../auth/principals';
import { allowedMs, bodyTooLarge, type BodyReaderOptions } from '../read-body';
import { BodyPieces } from './body-pieces';
import type { Spool } from './spool';
import type { SpooledBody } from './spooled-body';

export interface LargeBodyOptions {
  readonly maxBufferedBody: number;
  readonly maxBody: number;
  readonly bodyIdleMs: number;
  /** Milliseconds for a whole body that is kept in memory. */
  readonly bodyTotalMs: number;
  /** Milliseconds for a whole body that is spooled. */
  readonly spoolTotalMs: number;
  /** Minimum rate of a client, in bytes a second. */
  readonly bodyMinRate: number;
  readonly spool: Spool;
}

/**
 * Bytes of memory that are counted for a spooled body: its skeleton for the scan, and the chunks
 * that are being written or read.
 */
const WORKING_BYTES = 1_048_576;

/**
 * Receives bodies that are, or may be, too large for memory. A body is stored whole before it is
 * sent, and scanned while it is stored.
 */
export class LargeBodies {
  private readonly maxBytes: number;
  private readonly spooled: BodyReaderOptions;

  constructor(private readonly options: LargeBodyOptions) {
    this.maxBytes = Math.min(options.maxBody, options.spool.largest);
    this.spooled = {
      maxBytes: this.maxBytes,
      idleMs: options.bodyIdleMs,
      totalMs: options.spoolTotalMs,
      minRate: options.bodyMinRate,
    };
  }

  /**
   * Sets `context.spooled` and the scan, or returns the body when it turns out small enough for
   * memory. `length` is in bytes, null when the client announced none. The request holds the
   * reserved room and frees it at settlement.
   */
  async receive(context: RequestContext, length: number | null): Promise<Buffer | null> {
    const { bodyIdleMs, spool } = this.options;
    if (length !== null && length > this.maxBytes) throw this.tooLarge(length);
    const pieces = new BodyPieces(context.req, bodyIdleMs);
    context.whenClientGone(pieces);
    try {
      const first = length === null ? await this.readFirst(context, pieces) : NOTHING;
      if (first.isWhole) return Buffer.concat(first.pieces);
      const body = await spool.open((context.principal as GatewayPrincipal).workspace, length ?? 0);
      context.release = () => {
        body.close();
      };
      // The request may have been ended meanwhile; a closed body takes no bytes.
      if (context.settled) context.releaseBody();
      context.scan = await this.store(context, first.pieces, pieces, body);
      context.freeMemoryAbove(WORKING_BYTES);
      context.spooled = body;
      return null;
    } finally {
      pieces.stop();
    }
  }

  private tooLarge(size: number): GatewayError {
    const setting = this.maxBytes === this.options.maxBody ? 'MAX_BODY' : 'SPOOL_MAX_BYTES';
    return bodyTooLarge(setting, this.maxBytes, size);
  }

  /** Reads chunks until they exceed the maximum for a body in memory, or the body ends. */
  private async readFirst(context: RequestContext, pieces: BodyPieces): Promise<FirstPieces> {
    const first: Buffer[] = [];
    let size = 0;
    const startedAt = performance.now();
    const allowed = { ...this.spooled, totalMs: this.options.bodyTotalMs };
    while (size <= this.options.maxBufferedBody) {
      const piece = await pieces.next(leftMs(startedAt, size, allowed));
      if (piece === null) return { pieces: first, isWhole: true };
      context.reserveMemory(piece.length);
      size += piece.length;
      addPiece(first, piece);
    }
    return { pieces: first, isWhole: false };
  }

  private async store(
    context: RequestContext,
    first: readonly Buffer[],
    rest: BodyPieces,
    body: SpooledBody,
  ) {
    const type = context.req.headers['content-type'];
    const skim = new BodySkim(context.route.kind === 'passthrough' ? undefined : type);
    const add = async (piece: Buffer): Promise<void> => {
      if (body.length + piece.length > this.maxBytes) throw this.tooLarge(-1);
      skim.add(piece);
      await body.append(piece);
    };
    const startedAt = performance.now();
    const next = (): Promise<Buffer | null> => rest.next(leftMs(startedAt, body.length, this.spooled));
    for (const piece of first) await add(piece);
    for (let piece = await next(); piece !== null; piece = await next()) {
      context.reserveMemory(Math.min(piece.length, Math.max(0, WORKING_BYTES - context.heldBytes)));
      await add(piece);
    }
    return skim.scan();
  }
}

/**
 * Returns the milliseconds that the client may still take. Throws `request_incomplete` when it is
 * too slow.
 */
function leftMs(startedAt: number, bytes: number, options: BodyReaderOptions): number {
  const left = startedAt + allowedMs(bytes, options) - performance.now();
  if (left <= 0) throw new GatewayError('request_incomplete');
  return left;
}

interface FirstPieces {
  readonly pieces: readonly Buffer[];
  readonly isWhole: boolean;
}

const NOTHING: FirstPieces = { pieces: [], isWhole: false };
