import { oauthExpiryJob, type JobProcessor } from '@gw/jobs';
import type { DataSource } from 'typeorm';
import { deleteInBatches } from '../deletions';

/**
 * SQL condition: a dynamic client that no user consented to within a day, or that was last used 90
 * days ago, and that has no consent.
 */
const UNUSED = `kind = 'dynamic' AND (
  (last_used_at IS NULL AND created_at < now() - interval '24 hours') OR last_used_at < now() - interval '90 days'
) AND NOT EXISTS (SELECT 1 FROM oauth_consents WHERE oauth_consents.client_id = oauth_clients.client_id)`;

const DELETIONS = [
  { table: 'oauth_artifacts', key: 'id_hash', condition: 'expires_at <= now()' },
  { table: 'oauth_consents', key: 'id', condition: 'expires_at <= now()' },
  { table: 'oauth_clients', key: 'client_id', condition: UNUSED },
  { table: 'mcp_connect_tickets', key: 'ticket_hash', condition: 'expires_at <= now()' },
  { table: 'mcp_approvals', key: 'id', condition: `expires_at < now() - interval '30 days'` },
  { table: 'mcp_health', key: 'integration_id, minute', condition: `minute < now() - interval '1 day'` },
  { table: 'agent_health', key: 'integration_id, minute', condition: `minute < now() - interval '1 day'` },
  // Rows that admin APIs left when they stopped: they hold tokens to revoke at MCP servers, which
  // Tollgate itself refuses since then.
  { table: 'mcp_revocations', key: 'id', condition: `created_at < now() - interval '1 day'` },
];

/**
 * Deletes expired rows of the OAuth server, of connections to MCP servers and agents, and of
 * approvals. Safe to run twice and on many machines.
 */
export class OauthExpiryProcessor implements JobProcessor {
  readonly spec = oauthExpiryJob;

  constructor(private readonly source: DataSource) {}

  process(): Promise<void> {
    return deleteInBatches(this.source, DELETIONS);
  }
}
