import { ClickHouseAnalytics } from '@gw/clickhouse';
import { DomainProofs } from '@gw/federation';
import { PostgresAnalytics } from '@gw/log-store';
import { createAddressPolicy, parseTrustedHosts, type AddressPolicy } from '@gw/kernel';
import { openLogStores } from '@gw/object-store';
import { sandboxAgentPolicy } from '@gw/a2a-client';
import { sandboxPolicy } from '@gw/mcp-client';
import { BufferedClient, createVendorCalls, OutboundClient } from '@gw/outbound';
import { createSecretReader } from '@gw/secret-managers';
import { Global, Module, type DynamicModule, type FactoryProvider } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { PassportModule } from '@nestjs/passport';
import { DataSource } from 'typeorm';
import { MembershipEnds } from './accounts/membership-ends';
import { MappedMemberships } from './accounts/mapped-memberships';
import { InviteEntries } from './accounts/invite-entries';
import { WorkspaceEntries } from './accounts/workspace-entries';
import { AuditLogsController } from './audit/audit-logs.controller';
import { AuditLogsService } from './audit/audit-logs.service';
import { AccessGate } from './auth/access.gate';
import { AccessTokens } from './auth/access-tokens';
import { AccessGuard } from './auth/access.guard';
import { ApiKeyAuthenticator } from './auth/api-key.authenticator';
import { AuthController } from './logins/auth.controller';
import { ClaimController, ClaimLinksController } from './logins/claims.controller';
import { Claims } from './logins/claims.service';
import { EarlierKeysController } from './auth/earlier-keys.controller';
import { PlaygroundKeysController } from './auth/playground-keys.controller';
import { PlaygroundKeys } from './auth/playground-keys.service';
import { NewPasswords } from './auth/new-passwords';
import { PasswordChecks } from './auth/password-checks';
import { PasswordLogins } from './logins/password-logins';
import { PermissionsService } from './auth/permissions.service';
import { PrincipalsService } from './auth/principals.service';
import { SelfService } from './auth/self.service';
import { IssuerTrusts } from './accounts/issuer-trusts';
import { TokenUsers } from './accounts/token-users.service';
import { TokenIdentities } from './auth/token-identities';
import { ContinuedAccess } from './auth/continued-access';
import { CookieSessions } from './auth/cookie-sessions.service';
import { ConsoleLoginInterceptor } from './logins/console-login.interceptor';
import { TokenProofs } from './auth/token-proofs';
import { SessionGuard, SessionStrategy } from './auth/session.strategy';
import { SessionsService } from './auth/sessions.service';
import { CredentialsService } from './credentials/credentials.service';
import { GuardrailCredentials } from './credentials/guardrail-credentials';
import { ADDRESS_POLICY, IntegrationCredentials } from './credentials/integration-credentials';
import { SecretAccess } from './credentials/secret-access';
import { VENDOR_CALLS } from './credentials/vendor-calls';
import { SECRET_READER } from './credentials/secret-reader';
import { ApiKeySecretsService } from './keys/api-key-secrets.service';
import { UserKeysService } from './keys/user-keys.service';
import { ANALYTICS_STORE, CLICKHOUSE, LOG_STORES } from './logs/stores';
import { ResourceCaps } from './resource-caps/resource-caps';
import { Secrets, SETTINGS, type AdminSettings } from '../settings';
import { Factors } from './mfa/factors';
import { LoginChallenges } from './mfa/login-challenges';
import { MfaController } from './mfa/mfa.controller';
import { PasskeyCeremonies } from './mfa/passkey-ceremonies';
import { PasskeyChallenges } from './mfa/passkey-challenges';
import { PasskeyLogins } from './logins/passkey-logins.service';
import { PasskeyLoginController } from './logins/passkey-login.controller';
import { PasskeysController } from './mfa/passkeys.controller';
import { PasskeysService } from './mfa/passkeys.service';
import { Proofs } from './mfa/proofs';
import { SecondFactorsService } from './mfa/second-factors.service';
import { OrganisationChanges } from './logins/organisation-changes.service';
import { OidcClients } from './logins/oidc-clients.service';
import { PasswordSessions } from './logins/password-sessions.service';
import { CardKeysController } from './agents/card-keys.controller';
import { GrantsController, OwnGrantsController } from './oauth/grants.controller';
import { SigningKeys } from './oauth/signing-keys';
import { SigningKeysController } from './oauth/signing-keys.controller';
import { DevicePageController } from './oauth/device-page.controller';
import { OauthConsentController } from './oauth/oauth-consent.controller';
import { OAUTH_PROVIDERS } from './oauth/oauth.providers';
import { PageSessions } from './oauth/page-sessions';
import { PageSignIns } from './oauth/page-sign-ins';
import { PageSso } from './oauth/page-sso';
import { SamlLoginController } from './logins/saml-login.controller';
import { SamlProviders } from './logins/saml-providers.service';
import { SamlReturns } from './logins/saml-returns.service';
import { SsoLoginController } from './logins/sso-login.controller';
import { SsoAttempts } from './logins/sso-attempts';
import { SsoLogoutController } from './logins/sso-logout.controller';
import { EndedLogins } from './logins/ended-logins';
import { SamlLogoutController } from './logins/saml-logout.controller';
import { SamlLogouts } from './logins/saml-logouts.service';
import { SsoLogouts } from './logins/sso-logout.service';
import { SsoFlows } from './logins/sso-flows';
import { SsoGroups } from './logins/sso-groups.service';
import { SsoKeysController } from './logins/sso-keys.controller';
import { SsoLogins } from './logins/sso-login.service';
import { SsoTests } from './logins/sso-tests.service';
import { SsoUsers } from './logins/sso-users.service';
import { McpSecrets } from './mcp/mcp-secrets.service';
import { TokenEndpoint } from './mcp/token-endpoint';
import { UpstreamRevocations } from './mcp/upstream-revocations';
import { AuditRecorder } from './unit-of-work/audit-recorder';
import { Writes } from './unit-of-work/writes';
import { MappedSecrets } from './upstreams/mapped-secrets.service';
import { SharedHeaders } from './upstreams/shared-headers.service';
import { UpstreamCredentials } from './upstreams/upstream-credentials.service';

const proxyOf = ({ HTTP_PROXY, HTTPS_PROXY, NO_PROXY }: AdminSettings) => ({
  httpProxy: HTTP_PROXY,
  httpsProxy: HTTPS_PROXY,
  noProxy: NO_PROXY,
});

/** HTTP bounds for connections to MCP servers, which are read one after another. */
const STREAMING = { maxConnectionsPerOrigin: 8, maxPools: 64, keepAliveTimeoutMs: 5_000 };

/** Providers that are built from the settings. */
const FROM_SETTINGS: readonly FactoryProvider[] = [
  {
    provide: ADDRESS_POLICY,
    inject: [SETTINGS],
    useFactory: ({ TRUSTED_CUSTOM_HOSTS, SANDBOX_ENABLED }: AdminSettings) => {
      const policy = createAddressPolicy({ trustedHosts: parseTrustedHosts(TRUSTED_CUSTOM_HOSTS) });
      return SANDBOX_ENABLED ? sandboxAgentPolicy(sandboxPolicy(policy)) : policy;
    },
  },
  {
    provide: SECRET_READER,
    inject: [SETTINGS, ADDRESS_POLICY],
    useFactory: (settings: AdminSettings, policy: AddressPolicy) =>
      createSecretReader({
        settings,
        policy,
        trustedHosts: parseTrustedHosts(settings.TRUSTED_CUSTOM_HOSTS),
        proxy: proxyOf(settings),
      }),
  },
  {
    provide: DomainProofs,
    inject: [SETTINGS],
    useFactory: ({ DNS_SERVERS }: AdminSettings) => new DomainProofs(DNS_SERVERS),
  },
  {
    provide: BufferedClient,
    inject: [ADDRESS_POLICY, SETTINGS],
    useFactory: (policy: AddressPolicy, settings: AdminSettings) =>
      new BufferedClient({ policy, proxy: proxyOf(settings) }),
  },
  {
    provide: OutboundClient,
    inject: [ADDRESS_POLICY, SETTINGS],
    useFactory: (policy: AddressPolicy, settings: AdminSettings) =>
      new OutboundClient({ policy, proxy: proxyOf(settings), ...STREAMING }),
  },
  {
    provide: VENDOR_CALLS,
    inject: [ADDRESS_POLICY, SETTINGS],
    useFactory: (policy: AddressPolicy, settings: AdminSettings) =>
      createVendorCalls({ policy, proxy: proxyOf(settings), ownEndpoints: [] }),
  },
  {
    provide: LOG_STORES,
    inject: [SETTINGS, DataSource],
    useFactory: (settings: AdminSettings, source: DataSource) =>
      openLogStores(settings, (sql, parameters) => source.query(sql, parameters)),
  },
  {
    provide: CLICKHOUSE,
    inject: [SETTINGS],
    useFactory: (settings: AdminSettings) =>
      settings.ANALYTICS_STORE === 'clickhouse' ? new ClickHouseAnalytics(settings) : null,
  },
  {
    provide: ANALYTICS_STORE,
    inject: [DataSource, CLICKHOUSE],
    useFactory: (source: DataSource, clickhouse: ClickHouseAnalytics | null) =>
      clickhouse ?? new PostgresAnalytics(source),
  },
];

const SHARED = [
  ApiKeySecretsService,
  AuditRecorder,
  ContinuedAccess,
  CredentialsService,
  PermissionsService,
  GuardrailCredentials,
  IntegrationCredentials,
  MembershipEnds,
  OidcClients,
  NewPasswords,
  SamlProviders,
  PasswordChecks,
  PasswordLogins,
  SecretAccess,
  MappedSecrets,
  SharedHeaders,
  // Pages of resources sign users in with the same services as the pages of the OAuth server.
  PageSessions,
  PageSignIns,
  PageSso,
  SsoTests,
  McpSecrets,
  SigningKeys,
  TokenEndpoint,
  UpstreamCredentials,
  UpstreamRevocations,
  UserKeysService,
  MappedMemberships,
  InviteEntries,
  WorkspaceEntries,
  Writes,
];

const SINGLE_SIGN_ON = [
  SsoLogins,
  SsoAttempts,
  SamlReturns,
  SsoFlows,
  EndedLogins,
  SamlLogouts,
  SsoLogouts,
  SsoGroups,
  SsoUsers,
];

const CONTROLLERS = [
  AuditLogsController,
  AuthController,
  PlaygroundKeysController,
  ClaimController,
  ClaimLinksController,
  MfaController,
  PasskeysController,
  PasskeyLoginController,
  SsoLoginController,
  SamlLoginController,
  SamlLogoutController,
  SsoKeysController,
  CardKeysController,
  SsoLogoutController,
  EarlierKeysController,
  DevicePageController,
  OauthConsentController,
  OwnGrantsController,
  GrantsController,
  SigningKeysController,
];

/**
 * Services that all resources share: settings, access, credentials and the unit of work. Its guard
 * protects every route of the app.
 */
@Global()
@Module({})
export class PlatformModule {
  static with(settings: AdminSettings): DynamicModule {
    const { ENCRYPTION_KEY, SERVICE_TOKEN, ENCRYPTION_KEYS_PREVIOUS } = settings;
    const secrets = new Secrets(ENCRYPTION_KEY, SERVICE_TOKEN, ENCRYPTION_KEYS_PREVIOUS);
    return {
      module: PlatformModule,
      imports: [PassportModule],
      controllers: CONTROLLERS,
      providers: [
        { provide: SETTINGS, useValue: settings },
        { provide: Secrets, useValue: secrets },
        ...FROM_SETTINGS,
        ...SHARED,
        AccessGate,
        AccessTokens,
        ApiKeyAuthenticator,
        AuditLogsService,
        Factors,
        LoginChallenges,
        PasswordSessions,
        Claims,
        PlaygroundKeys,
        OrganisationChanges,
        PrincipalsService,
        PasskeyCeremonies,
        PasskeyChallenges,
        PasskeyLogins,
        PasskeysService,
        Proofs,
        SecondFactorsService,
        ...OAUTH_PROVIDERS,
        ResourceCaps,
        SelfService,
        SessionGuard,
        SessionStrategy,
        CookieSessions,
        IssuerTrusts,
        ConsoleLoginInterceptor,
        TokenProofs,
        { provide: TokenIdentities, useClass: TokenUsers },
        SessionsService,
        ...SINGLE_SIGN_ON,
        { provide: APP_GUARD, useClass: AccessGuard },
      ],
      exports: [
        ...[SETTINGS, Secrets, SigningKeys, AccessGate],
        ...FROM_SETTINGS.map(({ provide }) => provide),
        ...SHARED,
      ],
    };
  }
}
