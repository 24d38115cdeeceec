import type { DatabaseTls } from '@gw/entities';
import { DomainProofs } from '@gw/federation';
import type { JobProcessor, JobStore } from '@gw/jobs';
import { apiKeyPepper, sealingKeyring, SettingsError } from '@gw/kernel';
import { Mailer, mailServerOf } from '@gw/mail';
import type { LogStores } from '@gw/object-store';
import { ServiceClient } from '@gw/outbound';
import type { Log } from '@gw/web';
import type { Provider } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { LogPartitions } from '../ingest/log-partitions.service';
import { BudgetStates } from '../ledger/budget-states';
import { keyringOf, masterKeys, type WorkerSettings } from '../settings';
import { tenantsClient } from '../tenants-client';
import { STORES, TLS } from '../tokens';
import { AlertsProcessor } from './alerts/alerts.processor';
import { BudgetsProcessor } from './budgets/budgets.processor';
import { LoginExpiryProcessor } from './login-expiry/login-expiry.processor';
import { OauthExpiryProcessor } from './oauth-expiry/oauth-expiry.processor';
import { SigningKeysProcessor } from './signing-keys/signing-keys.processor';
import { DomainRecheckProcessor } from './domain-recheck/domain-recheck.processor';
import { ExpiryProcessor } from './expiry/expiry.processor';
import { JobRunner } from './job-runner';
import { LogExportsProcessor } from './log-exports/log-exports.processor';
import { LogPartitionsProcessor } from './log-partitions/log-partitions.processor';
import { LogRetentionProcessor } from './log-retention/log-retention.processor';
import { ZoneMapsProcessor } from './log-zones/log-zones.processor';
import { MailProcessor, type Post } from './mail/mail.processor';
import { repricingProviders } from './repricings/repricing-providers';
import { RepricingsProcessor } from './repricings/repricings.processor';
import { ResealProcessor } from './reseal/reseal.processor';
import { RollupsProcessor } from './rollups/rollups.processor';
import { SsoMetadataProcessor } from './sso-metadata/sso-metadata.processor';
import { RotationMails } from './rotation/rotation-mails';
import { ScimSyncProcessor } from './scim-sync/scim-sync.processor';
import { UPSTREAM_JOBS, UpstreamsProcessor } from './upstreams/upstreams.processor';
import { RotationProcessor, type RotationTools } from './rotation/rotation.processor';

/** A batch of users takes some seconds at most. */
const SCIM_CLIENT = { timeoutMs: 60_000, connections: 1, bytesMax: 65_536 };

/** Providers of the processors of all jobs. */
const PROCESSORS = [
  LogPartitionsProcessor,
  LogRetentionProcessor,
  ZoneMapsProcessor,
  LogExportsProcessor,
  ExpiryProcessor,
  BudgetsProcessor,
  MailProcessor,
  AlertsProcessor,
  RotationProcessor,
  RollupsProcessor,
  RepricingsProcessor,
  ResealProcessor,
  ScimSyncProcessor,
  ...UPSTREAM_JOBS.map(({ spec }) => spec.name),
  DomainRecheckProcessor,
  OauthExpiryProcessor,
  LoginExpiryProcessor,
  SigningKeysProcessor,
  SsoMetadataProcessor,
];

/** Providers that run jobs, and all processors except alerts. */
export const jobProviders = (settings: WorkerSettings, log: Log): Provider[] => [
  LogPartitionsProcessor,
  ZoneMapsProcessor,
  RollupsProcessor,
  {
    provide: ExpiryProcessor,
    inject: [DataSource],
    useFactory: (source: DataSource) => new ExpiryProcessor(source, settings.AUDIT_LOGS_ENABLED),
  },
  {
    provide: BudgetsProcessor,
    inject: [DataSource, BudgetStates],
    useFactory: (source: DataSource, states: BudgetStates) =>
      new BudgetsProcessor(source, states, settings.AUDIT_LOGS_ENABLED),
  },
  {
    provide: LogRetentionProcessor,
    inject: [DataSource, LogPartitions, STORES],
    useFactory: (source: DataSource, partitions: LogPartitions, { bodies }: LogStores) =>
      new LogRetentionProcessor(source, partitions, bodies, settings.LOG_RETENTION_DAYS, log),
  },
  {
    provide: LogExportsProcessor,
    inject: [DataSource, STORES],
    useFactory: (source: DataSource, stores: LogStores) =>
      new LogExportsProcessor(source, stores, settings.DATA_EXPORTS_ENABLED, log),
  },
  {
    provide: ResealProcessor,
    inject: [DataSource],
    useFactory: (source: DataSource) => new ResealProcessor(source, keyringOf(settings), log),
  },
  ...identityProviders(settings, log),
  ...postProviders(settings, log),
  ...repricingProviders(settings, log),
  {
    provide: JobRunner,
    inject: [TLS, ...PROCESSORS],
    useFactory: (tls: DatabaseTls, ...processors: JobProcessor[]) =>
      new JobRunner(jobStoreOf(settings, tls), processors, log),
  },
];

/** Providers of the jobs on users, domains, logins and the OAuth server. */
const identityProviders = (settings: WorkerSettings, log: Log): Provider[] => [
  {
    provide: OauthExpiryProcessor,
    inject: [DataSource],
    useFactory: (source: DataSource) => new OauthExpiryProcessor(source),
  },
  {
    provide: LoginExpiryProcessor,
    inject: [DataSource],
    useFactory: (source: DataSource) => new LoginExpiryProcessor(source),
  },
  {
    provide: SigningKeysProcessor,
    inject: [DataSource],
    useFactory: (source: DataSource) => new SigningKeysProcessor(source, keyringOf(settings)),
  },
  {
    provide: DomainRecheckProcessor,
    inject: [DataSource],
    useFactory: (source: DataSource) =>
      new DomainRecheckProcessor(
        source,
        new DomainProofs(settings.DNS_SERVERS),
        settings.AUDIT_LOGS_ENABLED,
        postOf(settings)?.keyring ?? null,
        log,
      ),
  },
  {
    provide: SsoMetadataProcessor,
    inject: [DataSource],
    useFactory: (source: DataSource) =>
      new SsoMetadataProcessor(
        source,
        tenantsClient(settings),
        settings.AUDIT_LOGS_ENABLED,
        postOf(settings)?.keyring ?? null,
        log,
      ),
  },
  ...adminApiProviders(settings),
];

/** Processors of jobs that the admin API carries out. */
const adminApiProviders = ({
  ADMIN_URL: adminUrl,
  SERVICE_TOKEN: serviceToken,
}: WorkerSettings): Provider[] => [
  {
    provide: ScimSyncProcessor,
    inject: [DataSource],
    useFactory: (source: DataSource) =>
      new ScimSyncProcessor(source, { client: new ServiceClient(SCIM_CLIENT), adminUrl, serviceToken }),
  },
  ...UPSTREAM_JOBS.map((job) => ({
    provide: job.spec.name,
    inject: [DataSource],
    useFactory: (source: DataSource) =>
      new UpstreamsProcessor(job, source, { client: new ServiceClient(job.client), adminUrl, serviceToken }),
  })),
];

const jobStoreOf = ({ DATABASE_URL, REDIS_URL }: WorkerSettings, tls: DatabaseTls): JobStore =>
  REDIS_URL === null ? { kind: 'postgres', url: DATABASE_URL, tls } : { kind: 'redis', url: REDIS_URL };

/** Providers of mail and of the job that writes most mails. */
const postProviders = (settings: WorkerSettings, log: Log): Provider[] => [
  {
    provide: MailProcessor,
    inject: [DataSource],
    useFactory: (source: DataSource) => new MailProcessor(source, postOf(settings), log),
  },
  {
    provide: RotationProcessor,
    inject: [DataSource],
    useFactory: (source: DataSource) => new RotationProcessor(source, rotationToolsOf(settings, log)),
  },
];

function rotationToolsOf(settings: WorkerSettings, log: Log): RotationTools | null {
  const { API_KEY_PREFIX: prefix, AUDIT_LOGS_ENABLED: auditEnabled } = settings;
  const masters = masterKeys(settings);
  if (masters === null) {
    log.warn('ENCRYPTION_KEY is not set; API keys are not rotated by policy');
    return null;
  }
  const keyring = sealingKeyring(...masters);
  const mails = settings.SMTP_HOST === null ? null : new RotationMails(keyring);
  return { maker: { prefix, pepper: apiKeyPepper(masters[0]) }, keyring, mails, auditEnabled };
}

/** Throws `SettingsError` for settings that contradict each other. */
function postOf(settings: WorkerSettings): Post | null {
  const server = mailServerOf(settings);
  if (!server) return null;
  const keyring = keyringOf(settings);
  if (keyring === null) throw new SettingsError([{ name: 'ENCRYPTION_KEY', rule: 'is required by mail' }]);
  return { mailer: new Mailer(server), keyring };
}
