export { clientCredentialsToken } from './oauth';
export { ownAwsKeys } from './aws-own';
export { assumeRole, AWS_DENIED } from './aws-sts';
export { entraToken, managedToken } from './azure';
export { OWN_REFUSED, type Issuing } from './issue';
export { IssuedCredentials, type IssuedCredentialsOptions } from './issued-credentials';
export { CLOUD_IDENTITY_SETTINGS, ownEndpoints, type CloudIdentitySettings } from './settings';
export type { IdentityTools } from './tools';
