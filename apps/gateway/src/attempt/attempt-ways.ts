import { AROUND_ORDER, type AroundName } from '../core/order';
import type { AroundStage, AttemptCall, Next } from './attempt-call';

export type AroundStages = Readonly<Record<AroundName, AroundStage>>;

/**
 * The ways that attempts take to a provider: one for each set of around stages that requests use, put together when the first attempt
 * needs it. A stage that an attempt does not use is not on its way.
 */
export class AttemptWays implements Next {
  private readonly ordered: readonly AroundStage[];
  /** By the bits of the stages on them; few, since most stages are on all of them. */
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
