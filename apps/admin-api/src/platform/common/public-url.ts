import type { AdminSettings } from '../../settings';

export type PublicUrlSettings = Pick<AdminSettings, 'CONSOLE_URL' | 'PUBLIC_URL' | 'HOST' | 'ADMIN_PORT'>;

/**
 * Returns a URL for a browser: below CONSOLE_URL, else below PUBLIC_URL, else on HOST (localhost
 * when listening on all addresses).
 */
export function publicUrl(
  { CONSOLE_URL, PUBLIC_URL, HOST, ADMIN_PORT }: PublicUrlSettings,
  path: string,
): string {
  const isWildcard = HOST === '0.0.0.0' || HOST === '::';
  const host = isWildcard ? 'localhost' : HOST.includes(':') ? `[${HOST}]` : HOST;
  const base = CONSOLE_URL ?? PUBLIC_URL ?? `http://${host}:${String(ADMIN_PORT)}`;
  return base.replace(/(?<!\/)\/+$/, '') + path;
}

/**
 * Returns a URL of the gateway: below PUBLIC_URL, else the same as `publicUrl`, since one address
 * serves both planes.
 */
export const gatewayUrl = (settings: PublicUrlSettings, path: string): string =>
  publicUrl({ ...settings, CONSOLE_URL: settings.PUBLIC_URL ?? settings.CONSOLE_URL }, path);

/** Returns the base URL of the gateway for clients, without a slash at its end. */
export const clientGatewayUrl = ({
  PUBLIC_GATEWAY_URL: own,
  ...settings
}: PublicUrlSettings & Pick<AdminSettings, 'PUBLIC_GATEWAY_URL'>): string =>
  own === null ? gatewayUrl(settings, '') : own.replace(/(?<!\/)\/+$/, '');

/** Returns the URL at which clients reach an agent. */
export const agentServerUrl = (settings: PublicUrlSettings, workspaceSlug: string, slug: string): string =>
  gatewayUrl(settings, `/${workspaceSlug}/agents/${slug}`);

/** Returns the URL at which clients reach an MCP server. */
export const mcpServerUrl = (
  settings: PublicUrlSettings,
  workspaceSlug: string,
  serverSlug: string,
): string => gatewayUrl(settings, `/${workspaceSlug}/${serverSlug}/mcp`);
