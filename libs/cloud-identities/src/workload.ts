import { resolve, sep } from 'node:path';
import type { WorkloadToken } from '@gw/contracts';
import { signAws, VendorError } from '@gw/kernel';
import { managedToken } from './azure';
import { ownAwsKeys } from './aws-own';
import { stsUrl } from './aws-sts';
import { googleIdentityToken } from './google';
import { tokenOf } from './token-response';
import type { IdentityTools } from './tools';

export interface SubjectToken {
  readonly token: string;
  /** URN of RFC 8693. */
  readonly type: string;
}

const JWT = 'urn:ietf:params:oauth:token-type:jwt';
const AWS_REQUEST = 'urn:ietf:params:aws:token-type:aws4_request';

/** Gets a token that identifies the installation's workload to an audience. @throws VendorError */
export async function subjectToken(
  { source, file }: WorkloadToken,
  audience: string,
  tools: IdentityTools,
): Promise<SubjectToken> {
  switch (source) {
    case 'file':
      return { token: await tokenOfFile(file, tools), type: JWT };
    case 'gcp_metadata':
      return { token: await googleIdentityToken(audience, tools), type: JWT };
    case 'azure_imds': {
      const { credential } = await managedToken(audience, null, tools);
      return { token: credential.kind === 'bearer' ? credential.token : '', type: JWT };
    }
    case 'aws':
      return { token: await callerIdentity(audience, tools), type: AWS_REQUEST };
  }
}

/** Reads a token file, which must be in a folder of `WIF_TOKEN_DIRS`. @throws VendorError */
async function tokenOfFile(file: string | null, { settings, readFile }: IdentityTools): Promise<string> {
  const path = resolve(file ?? '');
  const folders = settings.WIF_TOKEN_DIRS.split(',').map((folder) => folder.trim());
  const isAllowed = folders.some((folder) => folder !== '' && path.startsWith(resolve(folder) + sep));
  if (!isAllowed)
    throw new VendorError('refused', 'wif_token_file must be in a folder of WIF_TOKEN_DIRS of the gateway.');
  return tokenOf((await readFile(path)).trim(), 'The token file');
}

const AWS_REGION = 'us-east-1';

/**
 * Returns a signed GetCallerIdentity request, which Google's token service sends to AWS to identify
 * the signer.
 */
async function callerIdentity(audience: string, tools: IdentityTools): Promise<string> {
  const { credential } = await ownAwsKeys(AWS_REGION, tools);
  if (credential.kind !== 'aws') throw new VendorError('refused', 'The installation has no keys of AWS.');
  const url = stsUrl(AWS_REGION, tools);
  url.search = 'Action=GetCallerIdentity&Version=2011-06-15';
  const headers = { 'x-goog-cloud-target-resource': audience };
  const request = { method: 'POST', url, headers, body: '', region: AWS_REGION, service: 'sts' } as const;
  const signed = await signAws(request, credential.keys, new Date(tools.now()));
  const list = Object.entries({ ...signed, host: url.host }).map(([key, value]) => ({ key, value }));
  return encodeURIComponent(JSON.stringify({ url: url.href, method: 'POST', headers: list }));
}
