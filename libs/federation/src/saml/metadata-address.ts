import { endpointFault, readIdpMetadata, SamlMetadataFault, type IdpMetadata } from './idp-metadata';

const BOUNDS = { bytesMax: 1_048_576, totalTimeoutMs: 10_000 } as const;

/** A client that fetches metadata under the address policy. */
export interface MetadataClient {
  fetchBuffered(request: {
    readonly url: string;
    readonly bytesMax: number;
    readonly totalTimeoutMs: number;
  }): Promise<{ readonly status: number; readonly body: Uint8Array }>;
}

/**
 * Fetches and reads the metadata at a URL in at most 10 s, without following redirects. Throws
 * `SamlMetadataFault`, whose message reveals nothing about hosts in our network.
 */
export async function fetchIdpMetadata(url: string, client: MetadataClient): Promise<IdpMetadata> {
  const fault = endpointFault(url);
  if (fault !== null) throw new SamlMetadataFault(`the address ${fault}`);
  return readIdpMetadata(await textAt(url, client));
}

async function textAt(url: string, client: MetadataClient): Promise<string> {
  try {
    const { status, body } = await client.fetchBuffered({ url, ...BOUNDS });
    if (status === 200) return new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    // The cause could reveal hosts in our network, so callers get only the message below.
  }
  throw new SamlMetadataFault(
    'the address must respond with status 200 and metadata of at most 1 MB in UTF-8',
  );
}
