import { PROTOCOL_HEADERS } from '@gw/a2a';
import { agentAuthBinding } from '@gw/contracts';
import { isObject } from '@gw/kernel';
import { AGENT_CLIENTS } from '../../platform/upstreams/client-secrets';
import {
  checkAuthMethod,
  checkClaims,
  checkClient,
  checkSecretGiven,
  checkTokenEndpoint,
  CLIENT_MEMBERS,
} from '../../platform/upstreams/configuration-checks';
import type { ConfigurationCheck } from '../../platform/upstreams/configuration-faults';
import { COMMON_CHECKS, ROOT, type ConfigurationRules } from '../../platform/upstreams/configuration-rules';
import { sentHeaderFault } from '../../platform/upstreams/header-names';
import type { UpstreamKind } from '../../platform/upstreams/upstream-kind';

const checkIdentity: ConfigurationCheck = (value, path, faults, of) => {
  if (!faults.object(value, path, ['method', 'include_claims', 'header_name'])) return;
  const { method, header_name: header } = value;
  if (method !== 'claims_header')
    faults.add(`${path}.method`, 'must be claims_header; other methods are not enforced');
  checkClaims(value, path, faults, of);
  if (header !== undefined) faults.add(`${path}.header_name`, sentHeaderFault(header, of.protocolHeaders));
};

const checkClientCredentials: ConfigurationCheck = (value, path, faults, of) => {
  if (!faults.object(value, path, CLIENT_MEMBERS)) return;
  checkClient(value, path, faults);
  checkAuthMethod(value['auth_method'], `${path}.auth_method`, faults);
  checkTokenEndpoint(value, path, faults);
  checkSecretGiven(value, path, faults, of);
};

/** Members of `configurations` that agent integrations allow. */
const RULES: ConfigurationRules = {
  checks: {
    ...COMMON_CHECKS,
    user_identity_forwarding: checkIdentity,
    oauth_client_credentials: checkClientCredentials,
  },
  memberOf: {
    none: null,
    headers: 'headers',
    oauth_auto: 'oauth_metadata',
    oauth_client_credentials: 'oauth_client_credentials',
    // These types exist only for MCP servers.
    aws_sigv4: null,
    token_exchange: null,
    id_jag: null,
  },
  required: ['oauth_client_credentials'],
  unenforced: {
    oauth_metadata:
      'is not used for agents; use auth_type headers or oauth_client_credentials, and remove it',
  },
  protocolHeaders: PROTOCOL_HEADERS,
};

/** Describes agent integrations to the code that upstreams share. */
export const AGENT_UPSTREAM: UpstreamKind = {
  rules: RULES,
  clients: AGENT_CLIENTS,
  mappable: { client_secret: ['oauth_client_credentials'] },
  clientAddresses({ oauth_client_credentials: client }) {
    if (!isObject(client)) return {};
    return { [`${ROOT}.oauth_client_credentials.token_endpoint`]: client['token_endpoint'] };
  },
  // `aimsOf` decides where the path of the URL counts.
  isPathBound: () => false,
  binding: agentAuthBinding,
};
