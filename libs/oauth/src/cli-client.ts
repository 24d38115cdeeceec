export const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';
/**
 * The JWT bearer grant (RFC 7523): an identity provider's assertion for a user of the client
 * (ID-JAG).
 */
export const ASSERTION_GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
export const ID_JAG_PROFILE = 'urn:ietf:params:oauth:grant-profile:id-jag';

/** The public client of `tollgate login`, built into every installation. */
export const CLI_CLIENT = {
  id: 'gw_cli',
  name: 'Tollgate CLI',
  /** Any port is accepted (RFC 8252, section 7.3). */
  redirectUri: 'http://127.0.0.1/callback',
} as const;
