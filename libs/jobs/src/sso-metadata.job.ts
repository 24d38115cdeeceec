import { defineJob } from './job';

/**
 * Reads the metadata of identity providers by SAML again, and writes of certificates that expire. The
 * payload is empty.
 */
export const ssoMetadataJob = defineJob({
  name: 'sso-metadata',
  everyMs: 21_600_000,
  scheduledPayload: {},
});
