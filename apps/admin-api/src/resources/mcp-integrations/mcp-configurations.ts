import { isExchanged, mcpAuthBinding } from '@gw/contracts';
import { isObject } from '@gw/kernel';
import { MCP_CLIENTS } from '../../platform/upstreams/client-secrets';
import {
  checkAuthMethod,
  checkClient,
  checkSecretGiven,
  checkSwitch,
  checkTokenEndpoint,
  CLIENT_MEMBERS,
} from '../../platform/upstreams/configuration-checks';
import type {
  CheckedIntegration,
  ConfigurationCheck,
  Faults,
  Fields,
} from '../../platform/upstreams/configuration-faults';
import { COMMON_CHECKS, ROOT, type ConfigurationRules } from '../../platform/upstreams/configuration-rules';
import type { UpstreamKind } from '../../platform/upstreams/upstream-kind';
import { checkAwsKey } from './aws-key-checks';
import {
  checkClientKey,
  checkIssuer,
  KEY_MEMBERS,
  PRIVATE_KEY_JWT,
  signsAssertions,
} from './client-key-checks';
import { checkIdJag, checkTokenExchange } from './exchange-checks';
import { checkIdentity } from './identity-checks';

const checkClientCredentials: ConfigurationCheck = (value, path, faults, of) => {
  if (!faults.object(value, path, [...CLIENT_MEMBERS, 'issuer', ...KEY_MEMBERS])) return;
  checkClient(value, path, faults);
  checkClientKey(value, path, faults, of);
  checkIssuer(value, path, faults);
  checkAuthMethod(value['auth_method'], `${path}.auth_method`, faults, [PRIVATE_KEY_JWT]);
  checkTokenEndpoint(value, path, faults);
  if (!signsAssertions(value)) checkSecretGiven(value, path, faults, of);
};

const METADATA_MEMBERS = ['client_id', 'client_secret', 'auth_method', 'scope', 'issuer', ...KEY_MEMBERS];

/** Checks the client for an authorization server at which users sign in. */
const checkMetadata: ConfigurationCheck = (value, path, faults, of) => {
  if (!faults.object(value, path, METADATA_MEMBERS)) return;
  const { issuer, client_id: id, client_secret: secret, auth_method: method } = value;
  faults.optionalText(issuer, `${path}.issuer`, 2_048);
  if (method !== undefined && method !== null && !signsAssertions(value))
    faults.add(
      `${path}.auth_method`,
      `must be ${PRIVATE_KEY_JWT}, or absent: the authorization server says how it takes a secret`,
    );
  checkClientKey(value, path, faults, of);
  // Without a client, the member only confirms the authorization server.
  const isClient = id !== undefined || secret !== undefined || signsAssertions(value);
  if (issuer === undefined || isClient) checkClient(value, path, faults);
  else faults.optionalText(value['scope'], `${path}.scope`, 2_048);
};

const MAX_TOKENS_MAX = 4_096;

/** Checks the workspace model that responds to sampling requests of the server. */
const checkSampling: ConfigurationCheck = (value, path, faults) => {
  if (!faults.object(value, path, ['model', 'max_tokens'])) return;
  const { max_tokens: most } = value;
  faults.text(value['model'], `${path}.model`, 255);
  const isValid = Number.isInteger(most) && (most as number) >= 1 && (most as number) <= MAX_TOKENS_MAX;
  if (most !== undefined && !isValid)
    faults.add(`${path}.max_tokens`, `must be an integer from 1 to ${String(MAX_TOKENS_MAX)}`);
};

/** Checks members that depend on the authentication type. */
function checkTogether(
  values: Fields,
  faults: Faults,
  { authType, mapped, hasIssuer }: CheckedIntegration,
): void {
  if (isExchanged(authType) && !hasIssuer)
    faults.add('auth_type', `${authType} needs the setting PUBLIC_URL, which names who asserts the user`);
  if (authType === 'oauth_auto' && mapped.has('client_secret'))
    checkMappedClient(values['oauth_metadata'], faults);
}

/**
 * Checks that a mapped client names its authorization server: a secret from a secret manager must
 * not go to a server that only the MCP server names.
 */
function checkMappedClient(client: unknown, faults: Faults): void {
  const { client_id: id, issuer } = isObject(client) ? client : {};
  for (const [name, value] of Object.entries({ client_id: id, issuer }))
    if (typeof value !== 'string')
      faults.add(
        `${ROOT}.oauth_metadata.${name}`,
        'is required with a secret mapping of client_secret; send it',
      );
}

/** Members of `configurations` that MCP integrations allow. */
const RULES: ConfigurationRules = {
  checks: {
    ...COMMON_CHECKS,
    user_identity_forwarding: checkIdentity,
    allow_sampling: checkSwitch,
    sampling: checkSampling,
    retry_idempotent: checkSwitch,
    denial: (value, path, faults) => {
      if (value !== 'error' && value !== 'tool_error') faults.add(path, 'must be error or tool_error');
    },
    oauth_client_credentials: checkClientCredentials,
    aws_sigv4: checkAwsKey,
    token_exchange: checkTokenExchange,
    id_jag: checkIdJag,
    oauth_metadata: checkMetadata,
  },
  memberOf: {
    none: null,
    headers: 'headers',
    oauth_auto: 'oauth_metadata',
    oauth_client_credentials: 'oauth_client_credentials',
    aws_sigv4: 'aws_sigv4',
    token_exchange: 'token_exchange',
    id_jag: 'id_jag',
  },
  required: ['oauth_client_credentials', 'aws_sigv4', 'token_exchange', 'id_jag'],
  checkTogether,
  unenforced: {
    jwt_validation: 'is not enforced; add a trust (POST /trusts) for the issuer of the tokens, and remove it',
    external_auth_config: 'is not enforced; use auth_type oauth_client_credentials, and remove it',
  },
  // Every kind of integration refuses the headers of MCP.
  protocolHeaders: new Set(),
};

/** Members that describe a client with a token endpoint. */
const ENDPOINT_MEMBERS = ['oauth_client_credentials', 'token_exchange', 'id_jag'];

function clientAddresses(values: Fields): Record<string, unknown> {
  const addresses: Record<string, unknown> = {};
  for (const name of ['oauth_metadata', 'oauth_client_credentials', 'token_exchange']) {
    const client = values[name];
    if (isObject(client) && (name === 'oauth_metadata' || signsAssertions(client)))
      addresses[`${ROOT}.${name}.issuer`] = client['issuer'];
  }
  for (const name of ENDPOINT_MEMBERS) {
    const client = values[name];
    if (!isObject(client)) continue;
    addresses[`${ROOT}.${name}.token_endpoint`] = client['token_endpoint'];
    if (name === 'id_jag') addresses[`${ROOT}.${name}.issuer`] = client['issuer'];
  }
  return addresses;
}

/**
 * Whether the MCP server itself names the authorization server that receives the client secret.
 * Each path of a host may name another one.
 */
const isIssuerOpen = ({ oauth_metadata: client }: Fields): boolean =>
  isObject(client) && (client['issuer'] ?? null) === null;

/** Describes MCP integrations to the code that upstreams share. */
export const MCP_UPSTREAM: UpstreamKind = {
  rules: RULES,
  clients: MCP_CLIENTS,
  mappable: {
    client_secret: ['oauth_auto', 'oauth_client_credentials', 'token_exchange', 'id_jag'],
    private_key: ['oauth_auto', 'oauth_client_credentials', 'token_exchange'],
    secret_access_key: ['aws_sigv4'],
    server_client_secret: ['id_jag'],
  },
  clientAddresses,
  isPathBound: isIssuerOpen,
  binding: mcpAuthBinding,
};
