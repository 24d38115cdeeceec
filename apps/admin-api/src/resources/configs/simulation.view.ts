import type { Simulation } from '@gw/routing';
import { LOSS_CODES } from '@gw/kernel';
import { ResponseField } from '@gw/web';

export class SimulatedHedgeResponse {
  @ResponseField.text({ example: 'config.targets[1]' }) readonly target!: string;
  @ResponseField.number({ example: 800 }) readonly delay_ms!: number;
}

/** An attempt of the plan, which has no result yet. */
export class SimulatedStepResponse {
  @ResponseField.text({ description: 'JSON path of the target.', example: 'config.targets[0]' })
  readonly target!: string;
  @ResponseField.text({ nullable: true, description: 'Label of the target.', example: 'premium' })
  readonly name!: string | null;
  @ResponseField.text({
    nullable: true,
    description: 'Provider of the target; null when the request names the provider.',
    example: '@openai',
  })
  readonly provider!: string | null;
  @ResponseField.integer({ description: 'Number of the attempt at this target, from 0.', example: 0 })
  readonly retry!: number;
  @ResponseField.number({ description: 'Delay before the attempt.', example: 0 }) readonly wait_ms!: number;
  @ResponseField.one(() => SimulatedHedgeResponse, { nullable: true })
  readonly hedge!: SimulatedHedgeResponse | null;
}

export class SimulatedAttemptResponse extends SimulatedStepResponse {
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
    description: 'JSON path of the target whose response is returned; null when there was no attempt.',
    example: 'config.targets[1]',
  })
  readonly answered_by!: string | null;
  @ResponseField.texts({ example: ['config: fallback -> targets[0]'] }) readonly strategy!: readonly string[];
  @ResponseField.text({ nullable: true, example: 'config.strategy.conditions[0] -> premium' })
  readonly matched_condition!: string | null;
  @ResponseField.list(() => SimulatedEventResponse) readonly routing!: readonly SimulatedEventResponse[];
  @ResponseField.integer({
    description:
      'Number of retries of the target whose response is returned; -1 when all retries failed or none could be made.',
    example: 0,
  })
  readonly retry_count!: number;
}

export class SimulatedLossResponse {
  @ResponseField.text({ description: 'Path of the member in the body.', example: 'seed' })
  readonly path!: string;
  @ResponseField.oneOf(LOSS_CODES) readonly code!: string;
  @ResponseField.text({ nullable: true, description: 'Value that is sent instead.', example: '1' })
  readonly to!: string | null;
}

export class SimulatedRefusalResponse {
  @ResponseField.text({ example: 'unsupported_by_provider' }) readonly type!: string;
  @ResponseField.text({ nullable: true, example: 'temperature' }) readonly param!: string | null;
  @ResponseField.text({ example: 'The provider does not support the parameter temperature.' })
  readonly message!: string;
}

export class SimulatedTranslationResponse {
  @ResponseField.text({ example: 'config.targets[1]' }) readonly target!: string;
  @ResponseField.text({ nullable: true, example: '@anthropic' }) readonly provider!: string | null;
  @ResponseField.text({
    nullable: true,
    description: 'The two dialects of the translation; null when the provider gets the request unchanged.',
    example: 'openai-chat>anthropic-messages',
  })
  readonly translation!: string | null;
  @ResponseField.list(() => SimulatedLossResponse) readonly losses!: readonly SimulatedLossResponse[];
  @ResponseField.integer({ description: 'Number of losses beyond the first 100.', example: 0 })
  readonly more_losses!: number;
  @ResponseField.one(() => SimulatedRefusalResponse, {
    nullable: true,
    description:
      'The error, with status 400, that the gateway returns instead of calling this target; a fallback continues with the next target.',
  })
  readonly refused!: SimulatedRefusalResponse | null;
}

export class SimulationResponse {
  @ResponseField.kind('simulation') readonly object!: 'simulation';
  @ResponseField.list(() => SimulatedStepResponse, {
    description: 'The attempts that would be made if each of them failed with 503.',
  })
  readonly plan!: readonly SimulatedStepResponse[];
  @ResponseField.one(() => SimulatedDecisionResponse) readonly decision!: SimulatedDecisionResponse;
  @ResponseField.list(() => SimulatedTranslationResponse, {
    description:
      'What a translation for each target would lose of the body. There are no entries for targets with an unknown provider, and none at all for a request without a body or with a path that calls no model.',
  })
  readonly translations!: readonly SimulatedTranslationResponse[];
}

const toStep = ({
  target,
  name,
  provider,
  retry,
  waitMs,
  hedge,
}: Simulation['plan'][number]): SimulatedStepResponse => ({
  target,
  name,
  provider,
  retry,
  wait_ms: waitMs,
  hedge: hedge && { target: hedge.target, delay_ms: hedge.delayMs },
});

export const toSimulation = (
  { plan, decision }: Simulation,
  translations: readonly SimulatedTranslationResponse[],
): SimulationResponse => ({
  translations,
  object: 'simulation',
  plan: plan.map(toStep),
  decision: {
    attempts: decision.attempts.map((attempt) => ({
      ...toStep(attempt),
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
