import type { Simulation } from '@gw/routing';
import { ResponseField } from '@gw/web';

export class SimulatedHedgeResponse {
  @ResponseField.text({ example: 'config.targets[1]' }) readonly target!: string;
  @ResponseField.number({ example: 800 }) readonly delay_ms!: number;
}

export class SimulatedTryResponse {
  @ResponseField.text({ description: 'JSON path of the target.', example: 'config.targets[0]' })
  readonly target!: string;
  @ResponseField.text({ nullable: true, description: 'Label of the target.', example: 'premium' })
  readonly name!: string | null;
  @ResponseField.text({
    nullable: true,
    description: 'Null: the provider that the request names.',
    example: '@openai',
  })
  readonly provider!: string | null;
  @ResponseField.integer({ description: '0 is the first attempt.', example: 0 }) readonly retry!: number;
  @ResponseField.number({ description: 'Delay before the attempt.', example: 0 }) readonly wait_ms!: number;
  @ResponseField.one(() => SimulatedHedgeResponse, { nullable: true })
  readonly hedge!: SimulatedHedgeResponse | null;
}

export class SimulatedAttemptResponse extends SimulatedTryResponse {
  @ResponseField.integer({ nullable: true, example: 200 }) readonly status!: number | null;
  @ResponseField.text({ nullable: true, example: 'timeout' }) readonly failure!: string | null;
}

export class SimulatedEventResponse {
  @ResponseField.text({ example: 'config.targets[0]' }) readonly target!: string;
  @ResponseField.text({ example: 'breaker_open' }) readonly event!: string;
}

export class SimulatedDecisionResponse {
  @ResponseField.list(() => SimulatedAttemptResponse) readonly attempts!: readonly SimulatedAttemptResponse[];
  @ResponseField.oneOf(['answered', 'targets_exhausted', 'condition_unmatched'])
  readonly end!: Simulation['decision']['end'];
  @ResponseField.text({
    nullable: true,
    description: 'JSON path of the target whose response is returned; null without an attempt.',
    example: 'config.targets[1]',
  })
  readonly answered_by!: string | null;
  @ResponseField.texts({ example: ['config: fallback -> targets[0]'] }) readonly strategy!: readonly string[];
  @ResponseField.text({ nullable: true, example: 'config.strategy.conditions[0] -> premium' })
  readonly matched_condition!: string | null;
  @ResponseField.list(() => SimulatedEventResponse) readonly routing!: readonly SimulatedEventResponse[];
  @ResponseField.integer({ description: 'Retries of the target whose response is returned.', example: 0 })
  readonly retry_count!: number;
}

export class SimulationResponse {
  @ResponseField.kind('simulation') readonly object!: 'simulation';
  @ResponseField.list(() => SimulatedTryResponse, {
    description: 'The attempts if each of them fails with 503.',
  })
  readonly plan!: readonly SimulatedTryResponse[];
  @ResponseField.one(() => SimulatedDecisionResponse) readonly decision!: SimulatedDecisionResponse;
}

const toTry = ({
  target,
  name,
  provider,
  retry,
  waitMs,
  hedge,
}: Simulation['plan'][number]): SimulatedTryResponse => ({
  target,
  name,
  provider,
  retry,
  wait_ms: waitMs,
  hedge: hedge && { target: hedge.target, delay_ms: hedge.delayMs },
});

export const toSimulation = ({ plan, decision }: Simulation): SimulationResponse => ({
  object: 'simulation',
  plan: plan.map(toTry),
  decision: {
    attempts: decision.attempts.map((attempt) => ({
      ...toTry(attempt),
      status: attempt.status,
      failure: attempt.failure,
    })),
    end: decision.end,
    answered_by: decision.respondedBy,
    strategy: decision.strategy,
    matched_condition: decision.matchedCondition,
    routing: decision.routing,
    retry_count: decision.retryCount,
  },
});
