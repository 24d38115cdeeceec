import { defineJob } from './job';

/**
 * Deletes codes, tokens, grants and unused clients of the OAuth server, links for connections to MCP
 * servers, and approvals of calls that have been over for a month. What has expired is refused without the job; a delay only takes room.
 */
export const oauthExpiryJob = defineJob({ name: 'oauth-expiry', everyMs: 600_000, scheduledPayload: {} });
