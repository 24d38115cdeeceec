export const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';
/** The grant of assertions (RFC 7523): of an identity provider, for a user of the client (ID-JAG). */
export const ASSERTION_GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
export const ID_JAG_PROFILE = 'urn:ietf:params:oauth:grant-profile:id-jag';

/** The client of `tollgate login`: built in, public, known to every installation. */
export const CLI_CLIENT = {
  id: 'gw_cli',
  name: 'Tollgate CLI',
  /** The port may be any; see RFC 8252, 7.3. */
  redirectUri: 'http://127.0.0.1/callback',
} as const;
