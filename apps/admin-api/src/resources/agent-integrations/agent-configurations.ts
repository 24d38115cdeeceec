import { agentAuthBinding } from '@gw/contracts';
import { COMMON_CHECKS, MEMBER_OF } from '../../platform/upstreams/configuration-checks';
import type { UpstreamKind } from '../../platform/upstreams/upstream-credentials.service';

/** Describes agent integrations to the code that upstreams share. */
export const AGENT_UPSTREAM: UpstreamKind = {
  rules: {
    memberOf: MEMBER_OF,
    checks: COMMON_CHECKS,
    unenforced: {
      oauth_metadata:
        'is not used for agents; use auth_type headers or oauth_client_credentials, and remove it',
    },
  },
  binding: agentAuthBinding,
};
