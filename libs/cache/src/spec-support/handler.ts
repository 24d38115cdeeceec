import type { OutboundCall, OutboundError, OutboundHandler } from '@gw/outbound';

/** Records the calls of a handler. */
export class NotingHandler implements OutboundHandler {
  status: number | null = null;
  headers: readonly string[] = [];
  readonly chunks: Buffer[] = [];
  ended = false;
  error: OutboundError | null = null;
  /** Number of handler calls that came after the end or out of order. */
  violations = 0;

  get text(): string {
    return Buffer.concat(this.chunks).toString('utf8');
  }
  get over(): boolean {
    return this.ended || this.error !== null;
  }
  onHeaders(status: number, headers: readonly string[]): void {
    if (this.over || this.status !== null) this.violations += 1;
    this.status = status;
    this.headers = headers;
  }
  onData(chunk: Buffer): void {
    if (this.over || this.status === null) this.violations += 1;
    this.chunks.push(chunk);
  }
  onEnd(): void {
    if (this.over || this.status === null) this.violations += 1;
    this.ended = true;
  }
  onError(error: OutboundError): void {
    if (this.over) this.violations += 1;
    this.error = error;
  }
}

/** Provider calls that the test controls. */
export class ManualUpstream {
  readonly calls: { handler: OutboundHandler; paused: boolean; aborted: boolean }[] = [];

  readonly start = (handler: OutboundHandler): OutboundCall => {
    const call = { handler, paused: false, aborted: false };
    this.calls.push(call);
    return {
      pause: () => {
        call.paused = true;
      },
      resume: () => {
        call.paused = false;
      },
      abort: () => {
        call.aborted = true;
      },
    };
  };

  get last(): { handler: OutboundHandler; paused: boolean; aborted: boolean } {
    const call = this.calls.at(-1);
    if (!call) throw new Error('no call was made');
    return call;
  }
}

export const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
