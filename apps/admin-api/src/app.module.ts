import { dataSourceOptions } from '@gw/entities';
import { databaseTls } from '@gw/kernel';
import { EtagInterceptor, RequestValidationPipe, type Log } from '@gw/web';
import { Module, type DynamicModule } from '@nestjs/common';
import { APP_FILTER, APP_INTERCEPTOR, APP_PIPE } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { AnalyticsModule } from './analytics/analytics.module';
import { ApiKeysModule } from './api-keys/api-keys.module';
import { AuditRecorder } from './unit-of-work/audit-recorder';
import { AccountsModule } from './accounts/accounts.module';
import { AlertWebhooksModule } from './alert-webhooks/alert-webhooks.module';
import { AuditModule } from './audit/audit.module';
import { AuditingErrorFilter } from './audit/auditing-error-filter';
import { AuthModule } from './auth/auth.module';
import { CollectionsModule } from './collections/collections.module';
import { BatchesModule } from './batches/batches.module';
import { ConfigsModule } from './configs/configs.module';
import { CredentialsModule } from './credentials/credentials.module';
import { DryRunInterceptor } from './dry-runs/dry-run.interceptor';
import { DeploymentsModule } from './deployments/deployments.module';
import { FixedMembersInterceptor } from './fixed-members/fixed-members.interceptor';
import { IdempotencyInterceptor } from './idempotency/idempotency.interceptor';
import { IdempotentRequests } from './idempotency/idempotent-requests';
import { GuardrailsModule } from './guardrails/guardrails.module';
import { GatewaysModule } from './gateways/gateways.module';
import { HealthModule } from './health/health.module';
import { InvitesModule } from './invites/invites.module';
import { IntegrationsModule } from './integrations/integrations.module';
import { LabelsModule } from './labels/labels.module';
import { LogExportsModule } from './log-exports/log-exports.module';
import { LogsModule } from './logs/logs.module';
import { OrganisationPropertiesModule } from './organisation-properties/organisation-properties.module';
import { OrganisationsModule } from './organisations/organisations.module';
import { PromptsModule } from './prompts/prompts.module';
import { PoliciesModule } from './policies/policies.module';
import { PluginsModule } from './plugins/plugins.module';
import { ProvidersModule } from './providers/providers.module';
import { ReadModelModule } from './read-model/read-model.module';
import { RepricingsModule } from './repricings/repricings.module';
import { SecretReferencesModule } from './secret-references/secret-references.module';
import type { AdminSettings } from './settings';
import { SettingsModule } from './settings.module';
import { TracesModule } from './traces/traces.module';
import { UsersModule } from './users/users.module';
import { VirtualKeysModule } from './virtual-keys/virtual-keys.module';
import { WorkspaceExclusionsModule } from './workspace-exclusions/workspace-exclusions.module';
import { WorkspacesModule } from './workspaces/workspaces.module';

/** Every resource of the control plane: one line each. */
const RESOURCES = [
  OrganisationsModule,
  UsersModule,
  InvitesModule,
  WorkspacesModule,
  ApiKeysModule,
  IntegrationsModule,
  ProvidersModule,
  VirtualKeysModule,
  ConfigsModule,
  GuardrailsModule,
  LogExportsModule,
  LogsModule,
  AnalyticsModule,
  TracesModule,
  GatewaysModule,
  LabelsModule,
  CollectionsModule,
  PromptsModule,
  PoliciesModule,
  SecretReferencesModule,
  DeploymentsModule,
  PluginsModule,
  WorkspaceExclusionsModule,
  OrganisationPropertiesModule,
  AccountsModule,
  BatchesModule,
  AlertWebhooksModule,
  RepricingsModule,
];

/** A locked table must not hold all connections of the pool, which other routes need. */
const LOCK_TIMEOUT_MS = 3_000;

@Module({})
export class AppModule {
  static with(settings: AdminSettings, log: Log): DynamicModule {
    const database = {
      url: settings.DATABASE_URL,
      poolSize: settings.DB_POOL_SIZE,
      applicationName: 'tollgate-admin-api',
      lockTimeoutMs: LOCK_TIMEOUT_MS,
    };
    return {
      module: AppModule,
      imports: [
        SettingsModule.with(settings),
        TypeOrmModule.forRootAsync({
          useFactory: async () => ({
            ...dataSourceOptions({ ...database, tls: await databaseTls(database.url, settings) }),
            retryAttempts: 0,
          }),
        }),
        AuditModule,
        AuthModule,
        CredentialsModule,
        ReadModelModule,
        HealthModule,
        ...RESOURCES,
      ],
      providers: [
        { provide: APP_PIPE, useClass: RequestValidationPipe },
        { provide: APP_INTERCEPTOR, useClass: EtagInterceptor },
        { provide: APP_INTERCEPTOR, useClass: DryRunInterceptor },
        IdempotentRequests,
        { provide: APP_INTERCEPTOR, useClass: IdempotencyInterceptor },
        { provide: APP_INTERCEPTOR, useClass: FixedMembersInterceptor },
        {
          provide: APP_FILTER,
          inject: [DataSource, AuditRecorder],
          useFactory: (dataSource: DataSource, audits: AuditRecorder) =>
            new AuditingErrorFilter(log, dataSource, audits),
        },
      ],
    };
  }
}
