import type { McpHealthEntity, McpIntegrationEntity, McpHealthState } from '@gw/entities';
import { ResponseField } from '@gw/web';

export const HEALTH_STATES: readonly McpHealthState[] = [
  'healthy',
  'degraded',
  'down',
  'unauthorised',
  'unknown',
];

/** The state of an upstream server at its last check. */
export class McpHealthSummary {
  @ResponseField.oneOf(HEALTH_STATES, {
    description: 'degraded: it responds slowly. unauthorised: it refuses the credential of the integration.',
  })
  readonly state!: McpHealthState;
  @ResponseField.time({ nullable: true, description: 'Since when the state has been the same.' })
  readonly since!: string | null;
  @ResponseField.time({ nullable: true }) readonly checked_at!: string | null;
  @ResponseField.integer({ nullable: true, example: 120 }) readonly response_time_ms!: number | null;
  @ResponseField.text({ nullable: true, example: 'The server was not reached.' })
  readonly error!: string | null;
}

class McpHealthCheckResponse {
  @ResponseField.time() readonly at!: string;
  @ResponseField.oneOf(HEALTH_STATES) readonly state!: McpHealthState;
  @ResponseField.integer({ nullable: true, example: 120 }) readonly response_time_ms!: number | null;
}

export class McpHealthResponse extends McpHealthSummary {
  @ResponseField.list(() => McpHealthCheckResponse, {
    description: 'Checks of the last 24 hours, oldest first.',
  })
  readonly strip!: readonly McpHealthCheckResponse[];
}

export const healthOf = (row: McpIntegrationEntity): McpHealthSummary => ({
  state: row.healthState,
  since: row.healthSince?.toISOString() ?? null,
  checked_at: row.healthCheckedAt?.toISOString() ?? null,
  response_time_ms: row.healthMs,
  error: row.healthError,
});

export const toMcpHealth = (
  row: McpIntegrationEntity,
  checks: readonly McpHealthEntity[],
): McpHealthResponse => ({
  ...healthOf(row),
  strip: checks.map(({ minute, state, ms }) => ({ at: minute.toISOString(), state, response_time_ms: ms })),
});
