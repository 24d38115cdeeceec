import type { AroundStage, AttemptCall } from '../attempt/attempt-call';
import { HedgedAttempt, isHedgeable } from './hedged-attempt';

/** Makes an attempt as two parallel calls if the plan offers a second one. */
export class HedgeAround implements AroundStage {
  isUsed({ hedge, context }: AttemptCall): boolean {
    return hedge !== null && isHedgeable(context);
  }

  /**
   * Ends the chain for this call: each of the two calls runs through the around stages itself,
   * because their targets may differ.
   */
  around({ context, target, hedge }: AttemptCall): void {
    if (hedge !== null) new HedgedAttempt(context, target, hedge).begin();
  }
}
