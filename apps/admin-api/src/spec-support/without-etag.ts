/** Routes without an etag: links of a guardrail, SCIM tokens and feedback, where the last write wins. They refuse the header. */
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
