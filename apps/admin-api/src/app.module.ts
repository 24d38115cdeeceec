import { dataSourceOptions } from '@gw/entities';
import { databaseTls } from '@gw/kernel';
import { EtagInterceptor, RequestValidationPipe, type Log } from '@gw/web';
import { Module, type DynamicModule } from '@nestjs/common';
import { APP_FILTER, APP_INTERCEPTOR, APP_PIPE } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { AnalyticsModule } from './resources/analytics/analytics.module';
import { ApiKeysModule } from './resources/api-keys/api-keys.module';
import { AuditRecorder } from './platform/unit-of-work/audit-recorder';
import { AccountsModule } from './resources/accounts/accounts.module';
import { AlertWebhooksModule } from './resources/alert-webhooks/alert-webhooks.module';
import { AuditModule } from './platform/audit/audit.module';
import { AuditingErrorFilter } from './platform/audit/auditing-error-filter';
import { AuthModule } from './platform/auth/auth.module';
import { CollectionsModule } from './resources/collections/collections.module';
import { BatchesModule } from './resources/batches/batches.module';
import { ConfigsModule } from './resources/configs/configs.module';
import { CredentialsModule } from './platform/credentials/credentials.module';
import { DryRunInterceptor } from './platform/dry-runs/dry-run.interceptor';
import { DeploymentsModule } from './resources/deployments/deployments.module';
import { FixedMembersInterceptor } from './platform/fixed-members/fixed-members.interceptor';
import { IdempotencyInterceptor } from './platform/idempotency/idempotency.interceptor';
import { IdempotentRequests } from './platform/idempotency/idempotent-requests';
import { GuardrailsModule } from './resources/guardrails/guardrails.module';
import { GatewaysModule } from './resources/deployments/gateways.module';
import { HealthModule } from './platform/health/health.module';
import { InvitesModule } from './resources/accounts/invites.module';
import { IntegrationsModule } from './resources/providers/integrations.module';
import { LabelsModule } from './resources/labels/labels.module';
import { LogExportsModule } from './resources/log-exports/log-exports.module';
import { LogsModule } from './resources/logs/logs.module';
import { OrganisationPropertiesModule } from './resources/organisation-properties/organisation-properties.module';
import { OrganisationsModule } from './resources/organisations/organisations.module';
import { PromptsModule } from './resources/prompts/prompts.module';
import { PoliciesModule } from './resources/policies/policies.module';
import { PluginsModule } from './resources/plugins/plugins.module';
import { ProvidersModule } from './resources/providers/providers.module';
import { ReadModelModule } from './publishing/read-model.module';
import { RepricingsModule } from './resources/repricings/repricings.module';
import { SecretReferencesModule } from './resources/secret-references/secret-references.module';
import type { AdminSettings } from './platform/settings';
import { SettingsModule } from './platform/settings.module';
import { TracesModule } from './resources/traces/traces.module';
import { UsersModule } from './resources/users/users.module';
import { VirtualKeysModule } from './resources/providers/virtual-keys.module';
import { WorkspaceExclusionsModule } from './resources/workspace-exclusions/workspace-exclusions.module';
import { WorkspacesModule } from './resources/workspaces/workspaces.module';

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
