import { defineJob } from './job';

/**
 * Refreshes the metadata of SAML identity providers and sends warnings about certificates that
 * expire. The payload is empty.
 */
export const ssoMetadataJob = defineJob({
  name: 'sso-metadata',
  everyMs: 21_600_000,
  scheduledPayload: {},
});
