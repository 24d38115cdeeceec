/**
 * Routes without an etag, on which the last write wins: links of a guardrail, SCIM tokens and
 * feedback. They refuse If-Match.
 */
export const WITHOUT_ETAG: readonly string[] = [
  'feedback_update',
  'grants_end',
  'guardrailServers_put',
  'guardrailServers_replace',
  'guardrailServers_replaceAgents',
  'ownGrants_end',
  'scimTokens_remove',
  'ssoLinks_remove',
];
