import type { AroundStage, AttemptCall } from '../attempt/attempt-call';
import { HedgedAttempt, isHedgeable } from './hedged-attempt';

/** Makes an attempt as two calls where the plan offers a second one. */
export class HedgeAround implements AroundStage {
  isUsed({ hedge, context }: AttemptCall): boolean {
    return hedge !== null && isHedgeable(context);
  }

  /** Each call goes its own way, since the targets of the two may differ. */
  around({ context, target, hedge }: AttemptCall): void {
    if (hedge !== null) new HedgedAttempt(context, target, hedge).begin();
  }
}
