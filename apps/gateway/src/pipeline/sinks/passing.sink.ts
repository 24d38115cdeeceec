import type { Usage } from '@gw/contracts';
import { GatewayError } from '@gw/kernel';
import type { OutboundError } from '@gw/outbound';
import { readAnswerModel, readUsage, type Provider } from '@gw/providers';
import { valueOf } from '../../http/header-rules';
import type { Answer, BodySink } from '../answer';
import { codingOf } from '../decoding';
import { EncodedMeter } from '../encoded-meter';
import type { Exchange } from '../exchange';
import type { Reply } from '../reply';

/** Passes a body on as it comes, byte for byte. The piece that completes a body of known length waits for its end. */
export class PassingSink implements BodySink {
  private left: number;
  private last: Buffer | null = null;

  constructor(
    private readonly exchange: Exchange,
    private readonly reply: Reply,
    answer: Answer,
  ) {
    const length = valueOf(answer.headers, 'content-length');
    this.left = length === undefined ? Infinity : Number(length);
    const coding = codingOf(valueOf(answer.headers, 'content-encoding'));
    exchange.meter =
      coding === null ? new BodyMeter(reply, answer) : new EncodedMeter(exchange, reply, answer, coding);
  }

  data(chunk: Buffer): void {
    this.left -= chunk.length;
    if (this.left > 0) this.reply.write(chunk);
    else this.last = chunk;
  }

  end(): void {
    this.reply.end(this.last);
  }

  fail(error: OutboundError): void {
    if (this.exchange.clientGone) {
      this.exchange.outcome = 'client_closed';
      this.reply.end(null);
      return;
    }
    this.exchange.outcome = 'interrupted';
    this.exchange.failure = new GatewayError('stream_interrupted', { cause: error });
    this.reply.break();
  }
}

/** Reads usage from a whole JSON answer once it has gone by. */
class BodyMeter {
  private bytes: Buffer | null = null;
  private readonly provider: Provider;
  private readonly readable: boolean;

  constructor(
    private readonly reply: Reply,
    { upstream, headers, status }: Answer,
  ) {
    this.provider = upstream.provider;
    const type = valueOf(headers, 'content-type');
    const encoding = valueOf(headers, 'content-encoding');
    const identity = encoding === undefined || encoding === 'identity';
    this.readable = status < 400 && identity && type !== undefined && type.includes('json');
  }

  usage(): Usage | null {
    const body = this.body();
    return body ? readUsage(this.provider, body) : null;
  }

  model(): string | null {
    const body = this.body();
    return body ? readAnswerModel(body) : null;
  }

  /** Of an answer that was not kept whole its end, where a long one has its usage. */
  private body(): Buffer | null {
    const { kept, keptBytes, truncated, tail } = this.reply;
    if (!this.readable || keptBytes === 0) return null;
    if (truncated) return tail;
    this.bytes ??= kept.length === 1 ? (kept[0] as Buffer) : Buffer.concat(kept);
    return this.bytes;
  }
}
