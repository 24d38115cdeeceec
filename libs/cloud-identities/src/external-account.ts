import { propertyOf, textOf, VendorError } from '@gw/kernel';
import type { WorkloadToken } from '@gw/contracts';

/** Fields of a key file of type `external_account`. */
export interface ExternalAccount {
  readonly audience: string;
  readonly serviceAccount: string | null;
  readonly token: WorkloadToken;
}

const KEY_FILE = 'The key file';
const TOKEN_URL = 'https://sts.googleapis.com/v1/token';
const IMPERSONATION =
  /^https:\/\/iamcredentials\.googleapis\.com\/v1\/projects\/-\/serviceAccounts\/([A-Za-z0-9@.-]{1,256}):generateAccessToken$/;

/**
 * Reads a key file of type `external_account`. A tenant wrote it, so only Google's URLs are
 * accepted, and tokens only from a file or from AWS. @throws VendorError
 */
export function externalAccountOf(json: string): ExternalAccount {
  if (propertyOf(json, 'token_url') !== TOKEN_URL)
    throw new VendorError('refused', `token_url of the key file must be ${TOKEN_URL}.`);
  return {
    audience: textOf(propertyOf(json, 'audience'), KEY_FILE),
    serviceAccount: serviceAccountOf(propertyOf(json, 'service_account_impersonation_url')),
    token: tokenOf(json),
  };
}

function serviceAccountOf(url: unknown): string | null {
  if (url === undefined || url === null) return null;
  const [, account] = IMPERSONATION.exec(textOf(url, KEY_FILE)) ?? [];
  if (account !== undefined) return account;
  throw new VendorError(
    'refused',
    'service_account_impersonation_url of the key file must be that of iamcredentials.googleapis.com.',
  );
}

function tokenOf(json: string): WorkloadToken {
  const file = propertyOf(json, 'credential_source', 'file');
  if (typeof file === 'string') return { source: 'file', file, audience: null };
  if (propertyOf(json, 'credential_source', 'environment_id') === 'aws1')
    return { source: 'aws', file: null, audience: null };
  throw new VendorError('refused', 'credential_source of the key file must be a file, or AWS.');
}
