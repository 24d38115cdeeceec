import { AROUND_ORDER, type AroundName } from '../core/order';
import type { AroundStage, AttemptCall, Next } from './attempt-call';

export type AroundStages = Readonly<Record<AroundName, AroundStage>>;

/**
 * Chains of around stages that lead to the provider call: one for each set of stages that attempts
 * use, built at its first use. A chain omits the stages that the attempt does not use.
 */
export class AttemptWays implements Next {
  private readonly ordered: readonly AroundStage[];
  /**
   * Chains by the bit set of their stages. There are few, because most attempts use the same
   * stages.
   */
  private readonly ways = new Map<number, Next>();

  constructor(
    stages: AroundStages,
    /** Calls the provider. */
    private readonly last: Next,
  ) {
    this.ordered = AROUND_ORDER.map((name) => stages[name]);
  }

  begin(call: AttemptCall): void {
    let used = 0;
    for (let at = 0; at < this.ordered.length; at += 1) {
      const stage = this.ordered[at] as AroundStage;
      if (stage.isUsed === undefined || stage.isUsed(call)) used |= 1 << at;
    }
    let way = this.ways.get(used);
    if (way === undefined) this.ways.set(used, (way = this.wayOf(used)));
    way.begin(call);
  }

  private wayOf(used: number): Next {
    return this.ordered.reduceRight(
      (next: Next, stage, at) => ((used & (1 << at)) === 0 ? next : new Around(stage, next)),
      this.last,
    );
  }
}

class Around implements Next {
  constructor(
    private readonly stage: AroundStage,
    private readonly next: Next,
  ) {}

  begin(call: AttemptCall): void {
    this.stage.around(call, this.next);
  }
}
