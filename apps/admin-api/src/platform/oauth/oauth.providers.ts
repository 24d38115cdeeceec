import { AssertionGrants } from './assertion-grants.service';
import { ClientDocuments } from './client-documents';
import { KeyReplacements } from './key-replacements.service';
import { IdentityAssertions } from './identity-assertions';
import { GrantsService } from './grants.service';
import { GrantWriter } from './grant-writer';
import { OauthDevices } from './oauth-devices.service';
import { OauthAccounts } from './oauth-accounts.service';
import { OauthArtifacts } from './oauth-artifacts';
import { OauthClients } from './oauth-clients';
import { OauthConsents } from './oauth-consents.service';
import { OauthEndpoint } from './oauth-endpoint';
import { OauthEngine } from './oauth-engine.service';
import { OauthIntrospection } from './oauth-introspection.service';
import { OauthTransactions } from './oauth-transactions';

/** Providers of the OAuth server. */
export const OAUTH_PROVIDERS = [
  AssertionGrants,
  GrantsService,
  IdentityAssertions,
  KeyReplacements,
  GrantWriter,
  OauthAccounts,
  OauthArtifacts,
  ClientDocuments,
  OauthClients,
  OauthConsents,
  OauthDevices,
  OauthEndpoint,
  OauthEngine,
  OauthIntrospection,
  OauthTransactions,
];
