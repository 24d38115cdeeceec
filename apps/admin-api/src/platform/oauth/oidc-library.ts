import { createRequire } from 'node:module';

const lazily = createRequire(__filename);

/** The engine of the OAuth server. It is loaded with its first use, because many installations have none. */
export const oidcLibrary = () => lazily('oidc-provider') as typeof import('oidc-provider');

/** The errors by which our parts of the engine refuse a request. */
export const oidcErrors = () => oidcLibrary().errors;
