import type { LogStores } from '@gw/object-store';
import { Module, type ModuleMetadata } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { LogReader } from '../platform/logs/log-reader';
import { LOG_STORES } from '../platform/logs/stores';
import { Secrets, SETTINGS, type AdminSettings } from '../settings';
import { AccountPagesController } from './accounts/account-pages.controller';
import { InviteAcceptanceService } from './accounts/invite-acceptance.service';
import { InviteLinks } from './accounts/invite-links';
import { InviteAcceptanceController, InvitesController } from './accounts/invites.controller';
import { InvitesService } from './accounts/invites.service';
import { PasswordLinks } from './accounts/password-links';
import { PasswordResetsController, PasswordsController } from './accounts/passwords.controller';
import { FactorResetsController } from './accounts/factor-resets.controller';
import { FactorResetsService } from './accounts/factor-resets.service';
import { SsoLinksController } from './accounts/sso-links.controller';
import { SsoLinksService } from './accounts/sso-links.service';
import { PasswordsService } from './accounts/passwords.service';
import { AlertWebhooksController } from './alert-webhooks/alert-webhooks.controller';
import { AlertWebhooksService } from './alert-webhooks/alert-webhooks.service';
import { AnalyticsGraphsController } from './analytics/analytics-graphs.controller';
import { AnalyticsGraphsService } from './analytics/analytics-graphs.service';
import { AnalyticsGroupsController } from './analytics/analytics-groups.controller';
import { AnalyticsGroupsService } from './analytics/analytics-groups.service';
import { AnalyticsScopes } from './analytics/analytics-scopes.service';
import { ApiKeyPages } from './api-keys/api-key-pages';
import { ApiKeysController } from './api-keys/api-keys.controller';
import { ApiKeysService } from './api-keys/api-keys.service';
import { BatchesController } from './batches/batches.controller';
import { CollectionsController } from './collections/collections.controller';
import { CollectionsService } from './collections/collections.service';
import { ConfigLookupController, ConfigsController } from './configs/configs.controller';
import { ConfigsService } from './configs/configs.service';
import { ConsoleController } from './console/console.controller';
import { ConsoleService } from './console/console.service';
import { SignInChoices } from './console/sign-in-choices';
import { SimulationService } from './configs/simulation.service';
import { OauthClientsController } from './oauth-clients/oauth-clients.controller';
import { OauthClientsService } from './oauth-clients/oauth-clients.service';
import { DomainsController } from './domains/domains.controller';
import { DomainsService } from './domains/domains.service';
import { DeploymentsController } from './deployments/deployments.controller';
import { DeploymentsService } from './deployments/deployments.service';
import { GatewayPresenceController, GatewaysController } from './deployments/gateways.controller';
import { GatewaysService } from './deployments/gateways.service';
import { DefaultGuardrailsService } from './guardrails/default-guardrails.service';
import { GuardrailContents } from './guardrails/guardrail-contents';
import { DefaultGuardrailsController, GuardrailsController } from './guardrails/guardrails.controller';
import { GuardrailsService } from './guardrails/guardrails.service';
import { InvocationService } from './guardrails/invocation.service';
import { ServerMappingsService } from './guardrails/server-mappings.service';
import { OutboundGuardrailPort } from './guardrails/outbound-guardrail-port';
import { GuardrailServersController } from './guardrails/guardrail-servers.controller';
import { GuardrailQualityController } from './guardrails/quality.controller';
import { QualityService } from './guardrails/quality.service';
import { LabelsController } from './labels/labels.controller';
import { LabelsService } from './labels/labels.service';
import { LogExportsController } from './log-exports/log-exports.controller';
import { LogExportsService } from './log-exports/log-exports.service';
import { FeedbackController } from './logs/feedback.controller';
import { FeedbackService } from './logs/feedback.service';
import { LogBodyFiles } from './logs/log-body-files';
import { LogTail } from './logs/log-tail';
import { LogsController } from './logs/logs.controller';
import { LogsService } from './logs/logs.service';
import { MCP_APPROVALS } from './mcp-approvals/mcp-approvals.parts';
import { MCP_CONNECTIONS } from './mcp-connections/mcp-connections.parts';
import { MCP_INTEGRATIONS } from './mcp-integrations/mcp-integrations.parts';
import { MCP_SERVERS } from './mcp-servers/mcp-servers.parts';
import { McpAdminRoutes } from './mcp-admin/mcp-admin-routes';
import { McpAdminService } from './mcp-admin/mcp-admin.service';
import { Plans } from './mcp-admin/plans.service';
import { MCP_TOOLSETS } from './mcp-toolsets/mcp-toolsets.parts';
import { McpRegistryRoutes } from './mcp-registry/mcp-registry-routes';
import { McpRegistryService } from './mcp-registry/mcp-registry.service';
import { OrganisationPropertiesController } from './organisation-properties/organisation-properties.controller';
import { OrganisationPropertiesService } from './organisation-properties/organisation-properties.service';
import { OrganisationsController } from './organisations/organisations.controller';
import { OrganisationsService } from './organisations/organisations.service';
import { PluginsController } from './plugins/plugins.controller';
import { PluginsService } from './plugins/plugins.service';
import { RateLimitPoliciesController, UsageLimitPoliciesController } from './policies/policies.controller';
import { PoliciesService } from './policies/policies.service';
import { PolicyValuesService } from './policies/policy-values.service';
import { PartialsController } from './prompts/partials.controller';
import { PromptSharesService } from './prompts/prompt-shares.service';
import { PromptsController } from './prompts/prompts.controller';
import { PromptsService } from './prompts/prompts.service';
import { IntegrationModelsService } from './providers/integration-models.service';
import { IntegrationWorkspacesService } from './providers/integration-workspaces.service';
import { IntegrationsController } from './providers/integrations.controller';
import { ProviderCatalogueController } from './providers/provider-catalogue.controller';
import { IntegrationsService } from './providers/integrations.service';
import { PROVIDERS } from './providers/providers.parts';
import { RepricingsController } from './repricings/repricings.controller';
import { RepricingsService } from './repricings/repricings.service';
import { ScimBulk } from './scim/scim-bulk.service';
import { ScimDispatcher } from './scim/scim-dispatcher.service';
import { ScimExchanges } from './scim/scim-exchanges.service';
import { ScimGroupMembers } from './scim/scim-group-members.service';
import { ScimGroupsService } from './scim/scim-groups.service';
import { ScimMappingsController } from './scim/scim-mappings.controller';
import { ScimMappingsService } from './scim/scim-mappings.service';
import { ScimMemberships } from './scim/scim-memberships.service';
import { ScimRoutes } from './scim/scim-routes';
import { ScimSeats } from './scim/scim-seats.service';
import { PendingScimUsers } from './scim/pending-scim-users.service';
import {
  ScimSettleController,
  ScimSetupController,
  ScimTokensController,
} from './scim/scim-setup.controller';
import { ScimSetupService } from './scim/scim-setup.service';
import { ScimTokensService } from './scim/scim-tokens.service';
import { ScimUserGroups } from './scim/scim-user-groups.service';
import { ScimUsersService } from './scim/scim-users.service';
import { SecretReferencesController } from './secret-references/secret-references.controller';
import { SecretReferencesService } from './secret-references/secret-references.service';
import { SamlSettingsReader } from './sso/saml-settings.service';
import { SsoProviderFields } from './sso/sso-provider-fields.service';
import { AGENT_INTEGRATIONS } from './agent-integrations/agent-integrations.parts';
import { AGENT_SERVERS } from './agent-servers/agent-servers.parts';
import { AuthSettingsController } from './sso/auth-settings.controller';
import { AuthSettingsService } from './sso/auth-settings.service';
import { SsoConnectionsController } from './sso/sso-connections.controller';
import { SsoConnectionsService } from './sso/sso-connections.service';
import { TracesController } from './traces/traces.controller';
import { TracesService } from './traces/traces.service';
import { TrustKeys } from './trusts/trust-keys.service';
import { TrustTester } from './trusts/trust-tester.service';
import { TrustsController } from './trusts/trusts.controller';
import { TrustsService } from './trusts/trusts.service';
import { UserChangesService } from './users/user-changes.service';
import { UsersController } from './users/users.controller';
import { UsersService } from './users/users.service';
import { WorkspaceExclusionsController } from './workspace-exclusions/workspace-exclusions.controller';
import { WorkspaceExclusionsService } from './workspace-exclusions/workspace-exclusions.service';
import { WorkspaceMembersController } from './workspaces/workspace-members.controller';
import { WorkspaceMembersService } from './workspaces/workspace-members.service';
import { WorkspacesController } from './workspaces/workspaces.controller';
import { WorkspacesService } from './workspaces/workspaces.service';
import { CustomLogsService } from './logs/custom-logs.service';
import { LogBodiesReader } from './logs/log-bodies.reader';
import { LogSearch } from './logs/log-search';
import { LogExportFiles } from './log-exports/log-export-files';

/** Providers of logs and log exports that are built from the settings and stores. */
const FROM_SETTINGS: NonNullable<ModuleMetadata['providers']> = [
  {
    provide: CustomLogsService,
    inject: [DataSource, SETTINGS],
    useFactory: (source: DataSource, settings: AdminSettings) => new CustomLogsService(source, settings),
  },
  {
    provide: LogBodiesReader,
    inject: [LOG_STORES],
    useFactory: ({ bodies }: LogStores) => new LogBodiesReader(bodies),
  },
  {
    provide: LogSearch,
    inject: [DataSource, LOG_STORES],
    useFactory: (source: DataSource, { bodies }: LogStores) => new LogSearch(source, bodies === null),
  },
  {
    provide: LogExportFiles,
    inject: [DataSource, LOG_STORES, Secrets, SETTINGS],
    useFactory: (source: DataSource, { exports }: LogStores, secrets: Secrets, settings: AdminSettings) =>
      new LogExportFiles(source, exports, secrets.exportLinkKey, settings),
  },
];

/**
 * All resources of the control plane, one entry each. Partials come before prompts, whose routes
 * would otherwise match the paths of partials.
 */
const RESOURCES: readonly Pick<ModuleMetadata, 'controllers' | 'providers'>[] = [
  { controllers: [OrganisationsController], providers: [OrganisationsService] },
  { controllers: [OauthClientsController], providers: [OauthClientsService] },
  { controllers: [UsersController], providers: [UsersService, UserChangesService] },
  { controllers: [ConsoleController], providers: [ConsoleService, SignInChoices] },
  { controllers: [DomainsController], providers: [DomainsService] },
  {
    controllers: [AuthSettingsController, SsoConnectionsController],
    providers: [AuthSettingsService, SsoConnectionsService, SsoProviderFields, SamlSettingsReader],
  },
  { controllers: [TrustsController], providers: [TrustsService, TrustKeys, TrustTester] },
  {
    controllers: [ScimTokensController, ScimMappingsController, ScimSetupController, ScimSettleController],
    providers: [
      ScimTokensService,
      ScimMemberships,
      ScimSeats,
      ScimUserGroups,
      ScimGroupMembers,
      ScimMappingsService,
      ScimUsersService,
      ScimGroupsService,
      ScimDispatcher,
      ScimBulk,
      ScimExchanges,
      ScimSetupService,
      PendingScimUsers,
      ScimRoutes,
    ],
  },
  {
    controllers: [InvitesController, InviteAcceptanceController],
    providers: [InvitesService, InviteAcceptanceService, InviteLinks],
  },
  {
    controllers: [WorkspacesController, WorkspaceMembersController],
    providers: [WorkspacesService, WorkspaceMembersService],
  },
  { controllers: [ApiKeysController], providers: [ApiKeysService, ApiKeyPages] },
  {
    controllers: [IntegrationsController, ProviderCatalogueController],
    providers: [IntegrationsService, IntegrationModelsService, IntegrationWorkspacesService],
  },
  MCP_INTEGRATIONS,
  PROVIDERS,
  {
    controllers: [ConfigsController, ConfigLookupController],
    providers: [ConfigsService, SimulationService],
  },
  {
    controllers: [
      GuardrailsController,
      GuardrailQualityController,
      GuardrailServersController,
      DefaultGuardrailsController,
    ],
    providers: [
      GuardrailsService,
      GuardrailContents,
      DefaultGuardrailsService,
      InvocationService,
      OutboundGuardrailPort,
      ServerMappingsService,
      QualityService,
    ],
  },
  MCP_SERVERS,
  MCP_TOOLSETS,
  { controllers: [LogExportsController], providers: [LogExportsService] },
  {
    controllers: [LogsController, FeedbackController],
    providers: [
      LogsService,
      { provide: LogReader, useExisting: LogsService },
      FeedbackService,
      LogBodyFiles,
      LogTail,
      ...FROM_SETTINGS,
    ],
  },
  {
    controllers: [AnalyticsGraphsController, AnalyticsGroupsController],
    providers: [AnalyticsScopes, AnalyticsGraphsService, AnalyticsGroupsService],
  },
  { controllers: [TracesController], providers: [TracesService] },
  { controllers: [GatewaysController, GatewayPresenceController], providers: [GatewaysService] },
  { controllers: [LabelsController], providers: [LabelsService] },
  { controllers: [CollectionsController], providers: [CollectionsService] },
  {
    controllers: [PartialsController, PromptsController],
    providers: [PromptsService, PromptSharesService],
  },
  {
    controllers: [UsageLimitPoliciesController, RateLimitPoliciesController],
    providers: [PoliciesService, PolicyValuesService],
  },
  { controllers: [SecretReferencesController], providers: [SecretReferencesService] },
  { controllers: [DeploymentsController], providers: [DeploymentsService] },
  { controllers: [PluginsController], providers: [PluginsService] },
  { controllers: [WorkspaceExclusionsController], providers: [WorkspaceExclusionsService] },
  { controllers: [OrganisationPropertiesController], providers: [OrganisationPropertiesService] },
  {
    controllers: [
      PasswordsController,
      PasswordResetsController,
      FactorResetsController,
      SsoLinksController,
      AccountPagesController,
    ],
    providers: [PasswordsService, PasswordLinks, FactorResetsService, SsoLinksService],
  },
  AGENT_INTEGRATIONS,
  AGENT_SERVERS,
  MCP_APPROVALS,
  MCP_CONNECTIONS,
  { controllers: [], providers: [McpAdminService, McpAdminRoutes, Plans] },
  { controllers: [], providers: [McpRegistryService, McpRegistryRoutes] },
  { controllers: [BatchesController] },
  { controllers: [AlertWebhooksController], providers: [AlertWebhooksService] },
  { controllers: [RepricingsController], providers: [RepricingsService] },
];

@Module({
  controllers: RESOURCES.flatMap(({ controllers = [] }) => controllers),
  providers: RESOURCES.flatMap(({ providers = [] }) => providers),
})
export class ResourcesModule {}
