import { agentAuthBinding, guardrailBinding, mcpAuthBinding } from '@gw/contracts';
import { webhookBinding } from '../alerts/alert-webhook.entity';
import { idempotentRequestBinding } from '../idempotency/idempotent-requests.queries';
import { apiKeySecretBinding } from '../identity/api-key-secrets';
import { INSTALLATION_BINDING } from '../identity/installation.entity';
import { mailBinding } from '../mails/mail-queue';

interface Owner {
  readonly id: string;
  readonly organisationId: string;
}

// Each binding names the owner of an encrypted value, so that the value does not decrypt elsewhere.
export const integrationBinding = ({ id, organisationId }: Owner): string =>
  `integration:${organisationId}:${id}`;
export const secretReferenceBinding = ({ id, organisationId }: Owner): string =>
  `secret_reference:${organisationId}:${id}`;
export const deploymentBinding = ({ id, organisationId }: Owner): string =>
  `deployment:${organisationId}:${id}`;
export const pluginBinding = ({ id, organisationId }: Owner): string => `plugin:${organisationId}:${id}`;
/** The binding prevents tokens from being decrypted in the row of another user or server. */
export const mcpConnectionBinding = (owner: {
  readonly organisationId: string;
  readonly serverId: string;
  readonly userId: string;
}): string => `mcp_connection:${owner.organisationId}:${owner.serverId}:${owner.userId}`;
export const mcpTicketBinding = (ticketHash: string): string => `mcp-ticket:${ticketHash}`;
export const mcpOauthClientBinding = (id: string): string => `mcp-oauth-client:${id}`;
export const ssoConnectionBinding = (id: string): string => `sso:${id}`;
export const secondFactorBinding = (id: string): string => `second-factor:${id}`;
export const ssoFlowBinding = (stateHash: string): string => `sso-flow:${stateHash}`;

export const oauthClientBinding = (clientId: string): string => `oauth-client:${clientId}`;
export const signingKeyBinding = (kid: string): string => `signing-key:${kid}`;

/** A column with values that `seal()` encrypted. */
export interface SealedColumn {
  readonly table: string;
  readonly column: string;
  /** Primary key of the table. */
  readonly key: string;
  /** SQL of the id in the binding. */
  readonly id: string;
  /** SQL of the organisation in the binding; absent if the binding names none. */
  readonly organisation?: string;
  readonly binding: (owner: Owner) => string;
}

const owned = (table: string, column: string, binding: (owner: Owner) => string): SealedColumn => ({
  ...{ table, column, key: 'id', id: 'id', organisation: 'organisation_id', binding },
});

const ofConnection = (table: string): SealedColumn => ({
  ...{ table, column: 'sealed_tokens', key: 'id', organisation: 'organisation_id' },
  id: `concat(server_id, ':', user_id)`,
  binding: ({ organisationId, id }) => {
    const [serverId = '', userId = ''] = id.split(':');
    return mcpConnectionBinding({ organisationId, serverId, userId });
  },
});

/**
 * Every column that is encrypted with the installation's key; a test compares the list with the
 * schema.
 */
export const SEALED_COLUMNS: readonly SealedColumn[] = [
  owned('integrations', 'sealed_credential', integrationBinding),
  owned('secret_references', 'sealed_auth', secretReferenceBinding),
  owned('deployments', 'sealed_registry_password', deploymentBinding),
  owned('plugins', 'sealed_credentials', pluginBinding),
  owned('mcp_integrations', 'sealed_auth', ({ id, organisationId }) => mcpAuthBinding(organisationId, id)),
  owned('agent_integrations', 'sealed_auth', ({ id, organisationId }) =>
    agentAuthBinding(organisationId, id),
  ),
  ofConnection('mcp_connections'),
  ofConnection('mcp_revocations'),
  {
    ...{ table: 'mcp_connect_tickets', column: 'sealed', key: 'ticket_hash', id: 'ticket_hash' },
    binding: ({ id: ticketHash }) => mcpTicketBinding(ticketHash),
  },
  {
    ...{ table: 'mcp_oauth_clients', column: 'sealed', key: 'id', id: 'id' },
    binding: ({ id }) => mcpOauthClientBinding(id),
  },
  {
    ...{ table: 'guardrail_versions', column: 'sealed_secrets', key: 'id', id: 'guardrail_id' },
    organisation: '(SELECT organisation_id FROM guardrails WHERE guardrails.id = guardrail_id)',
    binding: ({ organisationId, id }) => guardrailBinding(organisationId, id),
  },
  {
    ...{ table: 'alert_webhooks', column: 'sealed_secret', key: 'id', id: 'id' },
    binding: ({ id }) => webhookBinding(id),
  },
  {
    ...{ table: 'api_key_secrets', column: 'sealed', key: 'secret_hash', id: 'api_key_id' },
    binding: ({ id }) => apiKeySecretBinding(id),
  },
  {
    ...{ table: 'idempotent_requests', column: 'sealed_response', key: 'scope', id: 'scope' },
    organisation: 'organisation_id',
    binding: ({ id: scope, organisationId }) => idempotentRequestBinding({ scope, organisationId }),
  },
  {
    ...{ table: 'sso_connections', column: 'sealed_secrets', key: 'id', id: 'id' },
    binding: ({ id }) => ssoConnectionBinding(id),
  },
  {
    ...{ table: 'sso_flows', column: 'sealed', key: 'state_hash', id: 'state_hash' },
    binding: ({ id: stateHash }) => ssoFlowBinding(stateHash),
  },
  {
    ...{ table: 'second_factors', column: 'sealed_secret', key: 'id', id: 'id' },
    binding: ({ id }) => secondFactorBinding(id),
  },
  {
    ...{ table: 'oauth_clients', column: 'sealed_secret', key: 'client_id', id: 'client_id' },
    binding: ({ id: clientId }) => oauthClientBinding(clientId),
  },
  {
    ...{ table: 'signing_keys', column: 'sealed_private', key: 'kid', id: 'kid' },
    binding: ({ id: kid }) => signingKeyBinding(kid),
  },
  { ...{ table: 'mails', column: 'sealed', key: 'id', id: 'id' }, binding: ({ id }) => mailBinding(id) },
  {
    ...{ table: 'installation', column: 'key_check', key: 'id', id: 'id' },
    binding: () => INSTALLATION_BINDING,
  },
];
