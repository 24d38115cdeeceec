import type { Setting } from '@gw/kernel';
import { Resolver } from 'node:dns/promises';

const TIMEOUT_MS = 3_000;
/** DNS error codes that prove that the record does not exist. */
const ABSENT: ReadonlySet<string> = new Set(['ENOTFOUND', 'ENODATA']);

/** Setting of the resolvers that verify domains; by default the system's resolvers. */
export const dnsServers: Setting<readonly string[]> = {
  fallback: [],
  parse: (value) => {
    const servers = value.split(',').flatMap((server) => (server.trim() === '' ? [] : [server.trim()]));
    try {
      new Resolver().setServers(servers);
    } catch {
      throw new Error('must be IP addresses separated by commas, with or without a port');
    }
    return servers;
  },
};

/** Returns the name of the TXT record that proves control of a domain. */
export const proofRecord = (domain: string): string => `_tollgate-challenge.${domain}`;

/**
 * Checks the proof of control in DNS. `servers`: addresses of resolvers; empty for the system's.
 */
export class DomainProofs {
  private readonly resolver = new Resolver({ timeout: TIMEOUT_MS, tries: 2 });

  constructor(servers: readonly string[]) {
    if (servers.length > 0) this.resolver.setServers(servers);
  }

  /**
   * Returns whether the domain's record contains the token. Rejects when the resolvers do not
   * respond.
   */
  async isProven(domain: string, token: string): Promise<boolean> {
    try {
      const records = await this.resolver.resolveTxt(proofRecord(domain));
      return records.some((parts) => parts.join('').trim() === token);
    } catch (error) {
      if (ABSENT.has((error as { code?: string }).code ?? '')) return false;
      throw error;
    }
  }
}
