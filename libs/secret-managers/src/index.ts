export { createSecretReader, type SecretManagerOptions } from './create-secret-reader';
export type { SecretReader } from './secret-manager';
export { pick, SecretResolver, type SecretResolverOptions } from './secret-resolver';
export { SECRET_MANAGER_SETTINGS, type SecretManagerSettings } from './settings';
