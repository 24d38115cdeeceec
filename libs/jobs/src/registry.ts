import { GatewayError } from '@gw/kernel';
import { agentCardSyncJob } from './agent-card-sync.job';
import { agentHealthJob } from './agent-health.job';
import { alertsJob } from './alerts.job';
import { budgetsJob } from './budgets.job';
import { domainRecheckJob } from './domain-recheck.job';
import { expiryJob } from './expiry.job';
import type { JobProcessor, JobSpec } from './job';
import { logExportsJob } from './log-exports.job';
import { logPartitionsJob } from './log-partitions.job';
import { logRetentionJob } from './log-retention.job';
import { zoneMapsJob } from './log-zones.job';
import { mailJob } from './mail.job';
import { loginExpiryJob } from './login-expiry.job';
import { oauthExpiryJob } from './oauth-expiry.job';
import { repricingsJob } from './repricings.job';
import { resealJob } from './reseal.job';
import { rollupsJob } from './rollups.job';
import { rotationJob } from './rotation.job';
import { signingKeysJob } from './signing-keys.job';
import { mcpHealthJob } from './mcp-health.job';
import { mcpSyncJob } from './mcp-sync.job';
import { scimSyncJob } from './scim-sync.job';
import { ssoMetadataJob } from './sso-metadata.job';

export const JOBS: readonly JobSpec[] = [
  logPartitionsJob,
  logRetentionJob,
  zoneMapsJob,
  logExportsJob,
  expiryJob,
  budgetsJob,
  mailJob,
  alertsJob,
  rotationJob,
  rollupsJob,
  repricingsJob,
  resealJob,
  scimSyncJob,
  mcpSyncJob,
  agentCardSyncJob,
  mcpHealthJob,
  agentHealthJob,
  domainRecheckJob,
  oauthExpiryJob,
  loginExpiryJob,
  signingKeysJob,
  ssoMetadataJob,
];

/** Throws unless each job has exactly one processor and each processor a listed job. */
export function processorsByName(
  jobs: readonly JobSpec[],
  processors: readonly JobProcessor[],
): ReadonlyMap<string, JobProcessor> {
  const byName = new Map<string, JobProcessor>();
  for (const processor of processors) {
    const { name } = processor.spec;
    if (!jobs.some((job) => job.name === name)) fail(`The processor of ${name} has no job of that name.`);
    if (byName.has(name)) fail(`The job ${name} has more than one processor.`);
    byName.set(name, processor);
  }
  for (const { name } of jobs) if (!byName.has(name)) fail(`The job ${name} has no processor.`);
  return byName;
}

function fail(message: string): never {
  throw new GatewayError('internal_error', { message });
}
