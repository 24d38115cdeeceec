import type { GatewayError } from '@gw/kernel';
import { gatewayStopping } from '../attempt/broken-response';
import type { Faults } from './faults';
import type { Containment, RequestContext } from './request-context';

/** Ends the response to one kind of requests, while a stage or a call may still work for them. */
export interface EarlyEnd {
  /** Sends the error, or cuts a response that has begun and cannot carry it. */
  end(context: RequestContext, error: GatewayError): void;
  /** Settles a request whose response cannot be written, and closes its connection. Never throws. */
  drop(context: RequestContext, error: GatewayError): void;
}

/** Ends requests early: those whose code threw, and those that are interrupted. */
export class Endings implements Containment {
  constructor(
    readonly faults: Pick<Faults, 'ofRequest'>,
    private readonly response: EarlyEnd,
  ) {}

  interrupt(context: RequestContext, error = gatewayStopping()): void {
    context.reply.cut(error);
    this.end(context, error);
  }

  contain(context: RequestContext, thrown: unknown): void {
    const error = this.faults.ofRequest(context, thrown);
    // A call of a check ends with its request.
    if (context.madeFor === null) this.end(context, error);
  }

  /** Ends a request that is not settled. Never throws. */
  end(context: RequestContext, error: GatewayError): void {
    if (context.settled) return;
    try {
      // Work for the request has no client to serve any more.
      const abandon = (): void => context.guard(() => context.abandon());
      if (!context.isPart) context.res.once('finish', abandon);
      this.response.end(context, error);
      if (context.isPart) abandon();
    } catch (thrown) {
      this.response.drop(context, this.faults.ofRequest(context, thrown));
    }
  }
}

/** A request that runs through no pipeline. */
export interface ContainedRequest extends EarlyEnd {
  readonly context: RequestContext;
  /** `leave` settles the request after its client has disconnected. */
  readonly reply: { leave(): void };
  /** Sends the response to a failure, and throws every error that is none. */
  refuse(thrown: unknown): void;
}

/**
 * Runs the code of a request that runs through no pipeline. A failure is refused; any other error
 * ends the request. Never rejects.
 */
export async function runContained(
  request: ContainedRequest,
  faults: Pick<Faults, 'ofRequest'>,
  work: () => Promise<void>,
): Promise<void> {
  const { context } = request;
  context.containment = new Endings(faults, request);
  try {
    await work();
  } catch (thrown) {
    context.guard(() => request.refuse(thrown));
  }
  if (context.clientGone) context.guard(() => request.reply.leave());
}
