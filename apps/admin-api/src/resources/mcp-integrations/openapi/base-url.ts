import type { McpAuthType } from '@gw/contracts';
import { OpenApiFault, openApiServerUrl, own, ownList, type JsonObject } from '@gw/mcp';
import { invalid } from '@gw/web';
import { isObject } from '@gw/kernel';

/** Maximum number of servers of a document that are examined. */
const SERVERS_MAX = 20;

export interface BaseUrlInput {
  readonly base_url?: string | undefined;
  readonly server_variables?: Readonly<Record<string, string>> | undefined;
  readonly auth_type: McpAuthType;
}

/** Returns the valid URLs of a document's servers, resolved against the URL of the document. */
export function serversOf(
  document: JsonObject,
  specUrl: string | null,
  values: Readonly<Record<string, string>> = {},
): readonly string[] {
  return ownList(document, 'servers')
    .slice(0, SERVERS_MAX)
    .flatMap((server) => urlOf(server, specUrl, values) ?? []);
}

function urlOf(
  server: unknown,
  specUrl: string | null,
  values: Readonly<Record<string, string>>,
): string | null {
  if (!isObject(server) || own(server, 'url') === undefined) return null;
  try {
    const url = openApiServerUrl(server, values);
    if (/^https?:\/\//i.test(url)) return url;
    return specUrl !== null && url.startsWith('/') && !url.startsWith('//')
      ? new URL(url, specUrl).href
      : null;
  } catch (error) {
    if (error instanceof OpenApiFault) return null;
    throw error;
  }
}

/**
 * Returns the URL of the service: the requested one, or that of the document's first server. A
 * credential is sent to a host that only the document names if it has the origin of the document's
 * URL. Throws `validation_failed` for `base_url`.
 */
export function baseUrlOf(
  document: JsonObject,
  specUrl: string | null,
  { base_url: requested, server_variables: values = {}, auth_type: authType }: BaseUrlInput,
): string {
  if (requested !== undefined) return requested;
  const [first] = serversOf(document, specUrl, values);
  if (first === undefined)
    throw invalid('base_url', 'is required, since the document names no server with a complete URL');
  if (authType === 'none' || (specUrl !== null && originOf(specUrl) === originOf(first))) return first;
  throw invalid(
    'base_url',
    `is required with auth_type ${authType}: send ${first.slice(0, 256)} if the credential may go there`,
  );
}

const originOf = (url: string): string | null => (URL.canParse(url) ? new URL(url).origin : null);

/**
 * Returns why a URL cannot be the base of a service's URLs, as part of a sentence; null if it can.
 */
export const baseUrlFault = (url: string): string | null =>
  url.includes('?') ? 'must not have a query; add the parameters to the document' : null;
