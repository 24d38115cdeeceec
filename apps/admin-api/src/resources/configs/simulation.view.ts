import type { Simulation } from '@gw/routing';
import { Answer } from '@gw/web';

export class SimulatedHedgeAnswer {
  @Answer.text({ example: 'config.targets[1]' }) readonly target!: string;
  @Answer.number({ example: 800 }) readonly delay_ms!: number;
}

export class SimulatedTryAnswer {
  @Answer.text({ description: 'JSON path of the target.', example: 'config.targets[0]' })
  readonly target!: string;
  @Answer.text({ nullable: true, description: 'Label of the target.', example: 'premium' })
  readonly name!: string | null;
  @Answer.text({ nullable: true, description: 'Null: the one that the request names.', example: '@openai' })
  readonly provider!: string | null;
  @Answer.integer({ description: '0 is a first try.', example: 0 }) readonly retry!: number;
  @Answer.number({ description: 'Waited before the try.', example: 0 }) readonly wait_ms!: number;
  @Answer.one(() => SimulatedHedgeAnswer, { nullable: true }) readonly hedge!: SimulatedHedgeAnswer | null;
}

export class SimulatedAttemptAnswer extends SimulatedTryAnswer {
  @Answer.integer({ nullable: true, example: 200 }) readonly status!: number | null;
  @Answer.text({ nullable: true, example: 'timeout' }) readonly failure!: string | null;
}

export class SimulatedEventAnswer {
  @Answer.text({ example: 'config.targets[0]' }) readonly target!: string;
  @Answer.text({ example: 'breaker_open' }) readonly event!: string;
}

export class SimulatedDecisionAnswer {
  @Answer.list(() => SimulatedAttemptAnswer) readonly attempts!: readonly SimulatedAttemptAnswer[];
  @Answer.oneOf(['answered', 'targets_exhausted', 'condition_unmatched'])
  readonly end!: Simulation['decision']['end'];
  @Answer.text({
    nullable: true,
    description: 'JSON path of the target whose answer is the reply; null when none was tried.',
    example: 'config.targets[1]',
  })
  readonly answered_by!: string | null;
  @Answer.texts({ example: ['config: fallback -> targets[0]'] }) readonly strategy!: readonly string[];
  @Answer.text({ nullable: true, example: 'config.strategy.conditions[0] -> premium' })
  readonly matched_condition!: string | null;
  @Answer.list(() => SimulatedEventAnswer) readonly routing!: readonly SimulatedEventAnswer[];
  @Answer.integer({ description: 'Retries of the target that answered.', example: 0 })
  readonly retry_count!: number;
}

export class SimulationAnswer {
  @Answer.kind('simulation') readonly object!: 'simulation';
  @Answer.list(() => SimulatedTryAnswer, {
    description: 'The way that the request takes while every try fails with 503.',
  })
  readonly plan!: readonly SimulatedTryAnswer[];
  @Answer.one(() => SimulatedDecisionAnswer) readonly decision!: SimulatedDecisionAnswer;
}

const toTry = ({
  target,
  name,
  provider,
  retry,
  waitMs,
  hedge,
}: Simulation['plan'][number]): SimulatedTryAnswer => ({
  target,
  name,
  provider,
  retry,
  wait_ms: waitMs,
  hedge: hedge && { target: hedge.target, delay_ms: hedge.delayMs },
});

export const toSimulation = ({ plan, decision }: Simulation): SimulationAnswer => ({
  object: 'simulation',
  plan: plan.map(toTry),
  decision: {
    attempts: decision.attempts.map((attempt) => ({
      ...toTry(attempt),
      status: attempt.status,
      failure: attempt.failure,
    })),
    end: decision.end,
    answered_by: decision.answeredBy,
    strategy: decision.strategy,
    matched_condition: decision.matchedCondition,
    routing: decision.routing,
    retry_count: decision.retryCount,
  },
});
