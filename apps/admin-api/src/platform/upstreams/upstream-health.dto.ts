import type { UpstreamCheck, UpstreamHealthState, UpstreamIntegration } from '@gw/entities';
import { ResponseField } from '@gw/web';

export const HEALTH_STATES: readonly UpstreamHealthState[] = [
  'healthy',
  'degraded',
  'down',
  'unauthorised',
  'unknown',
];

/** State of an upstream at its last health check. */
export class UpstreamHealthSummary {
  @ResponseField.oneOf(HEALTH_STATES, {
    description:
      'degraded: the upstream responds slowly or unexpectedly. unauthorised: it refuses the credential of the integration.',
  })
  readonly state!: UpstreamHealthState;
  @ResponseField.time({ nullable: true, description: 'Time since which the state is unchanged.' })
  readonly since!: string | null;
  @ResponseField.time({ nullable: true }) readonly checked_at!: string | null;
  @ResponseField.integer({ nullable: true, example: 120 }) readonly response_time_ms!: number | null;
  @ResponseField.text({ nullable: true, example: 'The server was not reached.' })
  readonly error!: string | null;
}

class UpstreamCheckResponse {
  @ResponseField.time() readonly at!: string;
  @ResponseField.oneOf(HEALTH_STATES) readonly state!: UpstreamHealthState;
  @ResponseField.integer({ nullable: true, example: 120 }) readonly response_time_ms!: number | null;
}

export class UpstreamHealthResponse extends UpstreamHealthSummary {
  @ResponseField.list(() => UpstreamCheckResponse, {
    description: 'Checks of the last 24 hours, oldest first.',
  })
  readonly strip!: readonly UpstreamCheckResponse[];
}

export const healthOf = (row: UpstreamIntegration): UpstreamHealthSummary => ({
  state: row.healthState,
  since: row.healthSince?.toISOString() ?? null,
  checked_at: row.healthCheckedAt?.toISOString() ?? null,
  response_time_ms: row.healthMs,
  error: row.healthError,
});

export const toHealth = (
  row: UpstreamIntegration,
  checks: readonly UpstreamCheck[],
): UpstreamHealthResponse => ({
  ...healthOf(row),
  strip: checks.map(({ minute, state, ms }) => ({ at: minute.toISOString(), state, response_time_ms: ms })),
});
