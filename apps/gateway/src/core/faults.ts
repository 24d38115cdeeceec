import { toGatewayError, type GatewayError } from '@gw/kernel';
import { describeFault, type Log } from '@gw/web';

interface FaultyRequest {
  readonly id: string;
}

/**
 * Reports exceptions that no code handles: mistakes of the gateway, and input that a parser does
 * not expect. Each is logged and counted.
 */
export class Faults {
  /** Exceptions of a known request, and all others. */
  readonly counts = new Map([
    ['request', 0],
    ['process', 0],
  ]);

  constructor(private readonly log: Pick<Log, 'error'>) {}

  /** Reports an exception of one request and returns the error that ends the request. */
  ofRequest({ id }: FaultyRequest, thrown: unknown): GatewayError {
    this.count('request');
    this.log.error({ requestId: id, ...describeFault(thrown) }, 'unhandled exception of a request');
    return toGatewayError(thrown);
  }

  /** Reports an exception whose request is not known. */
  ofProcess(thrown: unknown, message: string): void {
    this.count('process');
    this.log.error(describeFault(thrown), message);
  }

  /** Runs a step whose exception must not prevent later ones. Returns false if it threw. */
  contained<Request extends FaultyRequest>(request: Request, step: (request: Request) => void): boolean {
    try {
      step(request);
      return true;
    } catch (thrown) {
      this.ofRequest(request, thrown);
      return false;
    }
  }

  /**
   * Runs what ends a response; when it throws, the response is cut. The log record is durable by
   * then, because the client must not receive a response that may never be recorded. It keeps its
   * outcome, such as `ok`: rollups, metrics and the idempotency store have counted it, and a second
   * record (`amends`) can only add verdicts. The log line of the exception names the request.
   */
  endAfter(request: FaultyRequest & { readonly res: { destroy(): unknown } }, end: () => void): void {
    if (!this.contained(request, end)) request.res.destroy();
  }

  private count(origin: 'request' | 'process'): void {
    this.counts.set(origin, (this.counts.get(origin) ?? 0) + 1);
  }
}

/** Runs the code of one request. `RequestContext` implements it. */
export interface Guard {
  /**
   * Runs work that no stage waits for, such as that of an event or a timer. What it throws, or its
   * promise rejects with, ends this request and leaves the process and other requests alone.
   */
  guard(work: () => unknown): void;
  /** Reports an exception that does not end the request. */
  report(thrown: unknown): void;
}
