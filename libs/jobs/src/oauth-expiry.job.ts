import { defineJob } from './job';

/**
 * Deletes expired codes, tokens, grants and unused clients of the OAuth server, links for
 * connections to MCP servers, and approvals of calls that ended a month ago. Expired ones are
 * refused without the job too; a delay only costs storage.
 */
export const oauthExpiryJob = defineJob({ name: 'oauth-expiry', everyMs: 600_000, scheduledPayload: {} });
