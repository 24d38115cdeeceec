import { clientCredentialsToken } from '@gw/cloud-identities';
import {
  CLIENT_SECRET_CONTENT,
  configuredClient,
  configuredSecret,
  type McpAuthContent,
} from '@gw/contracts';
import type { UpstreamIntegration } from '@gw/entities';
import type { VendorCalls } from '@gw/kernel';
import { Inject, Injectable } from '@nestjs/common';
import { VENDOR_CALLS } from '../credentials/vendor-calls';
import { MappedSecrets, type MappingRow } from './mapped-secrets.service';
import { UpstreamCredentials, type CredentialRow } from './upstream-credentials.service';
import type { UpstreamKind } from './upstream-kind';

type Row = CredentialRow & MappingRow;

/**
 * Creates the headers with which the control plane authenticates at an upstream server or agent.
 */
@Injectable()
export class SharedHeaders {
  constructor(
    private readonly credentials: UpstreamCredentials,
    private readonly mapped: MappedSecrets,
    @Inject(VENDOR_CALLS) private readonly calls: VendorCalls,
  ) {}

  /**
   * Returns the headers of the credential that all callers share; empty when users authenticate
   * individually. Throws `VendorError`.
   */
  async headersOf(kind: UpstreamKind, row: Row): Promise<Readonly<Record<string, string>>> {
    return signInHeaders(row, this.credentials.open(kind, row), await this.mapped.of(row), this.calls);
  }
}

/**
 * Returns the headers of a shared credential; empty for a kind of credential that is not shared.
 * `content` contains its saved secrets; `secrets` contains the mapped ones by target. Throws
 * `VendorError`.
 */
async function signInHeaders(
  { authType, configurations }: Pick<UpstreamIntegration, 'authType' | 'configurations'>,
  content: McpAuthContent,
  secrets: ReadonlyMap<string, string>,
  calls: VendorCalls,
): Promise<Readonly<Record<string, string>>> {
  if (authType === 'headers') return withMapped(content, secrets);
  if (authType !== 'oauth_client_credentials') return {};
  const name = configuredSecret(configurations);
  const secret = secrets.get(name) ?? content[CLIENT_SECRET_CONTENT[name]] ?? '';
  const token = await clientCredentialsToken(configuredClient(configurations, secret), calls);
  return { authorization: `Bearer ${token}` };
}

function withMapped(
  { headers = {} }: McpAuthContent,
  secrets: ReadonlyMap<string, string>,
): Record<string, string> {
  const merged = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  for (const [target, value] of secrets) merged.set(target.slice('headers.'.length), value);
  return Object.fromEntries(merged);
}
