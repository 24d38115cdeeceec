import { performance } from 'node:perf_hooks';
import { GatewayError } from '@gw/kernel';
import type { GatewayPrincipal, Principals } from '../auth/principals';
import type { RequestsInFlight } from './requests-in-flight';

/**
 * Interval in milliseconds between checks, and the age from which a request is checked. A check
 * costs a caller three lookups in memory.
 */
const EVERY_MS = 1_000;

export interface EndedCallersParts {
  readonly principals: Pick<Principals, 'hasEnded'>;
  readonly requestsInFlight: RequestsInFlight;
}

/**
 * Ends requests in flight, including streams, within a second after the read model shows that their
 * caller has ended. A document that cannot be read ends no request. WebSocket sessions have
 * `SessionRights`, which also check scopes and providers.
 */
export class EndedCallers {
  private readonly timer: NodeJS.Timeout;
  private isChecking = false;

  private constructor(private readonly parts: EndedCallersParts) {
    this.timer = setInterval(() => {
      void this.check();
    }, EVERY_MS).unref();
  }

  static start(parts: EndedCallersParts): EndedCallers {
    return new EndedCallers(parts);
  }

  close(): void {
    clearInterval(this.timer);
  }

  /**
   * Checks all requests, each caller once. Never rejects. A caller that waits for the control plane
   * delays the next check, not requests.
   */
  private async check(): Promise<void> {
    if (this.isChecking) return;
    this.isChecking = true;
    const { requestsInFlight } = this.parts;
    const judged = new Map<GatewayPrincipal, boolean>();
    try {
      for (const context of requestsInFlight.olderThan(performance.now() - EVERY_MS)) {
        const { principal, madeFor, upgrade, reply } = context;
        // A call of a check ends with its request.
        if (principal === null || madeFor !== null || upgrade !== null || reply.isCut) continue;
        const hasEnded = judged.get(principal) ?? (await this.parts.principals.hasEnded(principal));
        judged.set(principal, hasEnded);
        if (hasEnded && requestsInFlight.holds(context))
          context.containment?.interrupt(context, callerEnded());
      }
    } finally {
      this.isChecking = false;
    }
  }
}

export const callerEnded = (): GatewayError =>
  new GatewayError('api_key_invalid', {
    message: 'The key or token of this request, its user, workspace or organisation was withdrawn.',
  });
