import { createRequire } from 'node:module';

const lazily = createRequire(__filename);

/**
 * Loads the engine of the OAuth server at its first use, because many installations do not use it.
 */
export const oidcLibrary = () => lazily('oidc-provider') as typeof import('oidc-provider');

/** Returns the errors with which Tollgate's parts of the engine refuse a request. */
export const oidcErrors = () => oidcLibrary().errors;
