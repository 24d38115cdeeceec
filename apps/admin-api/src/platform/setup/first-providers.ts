import { ProviderEntity } from '@gw/entities';
import { createAddressPolicy, parseTrustedHosts } from '@gw/kernel';
import type { DataSource } from 'typeorm';
import { CredentialsService } from '../credentials/credentials.service';
import { createProviderIfMissing, type WantedProvider } from './create-provider-if-missing';
import { ChangeRecorder } from '../unit-of-work/change-recorder';
import type { Secrets } from '../../settings';

export type FirstProvider = Omit<WantedProvider, 'workspaceId'>;

/**
 * Saves the providers that the workspace never had. Providers that a user deleted or changed stay
 * as they are. Returns the new slugs.
 */
export async function saveMissingProviders(
  dataSource: DataSource,
  secrets: Secrets,
  trustedHosts: string,
  workspaceId: string,
  wanted: readonly FirstProvider[],
): Promise<string[]> {
  return dataSource.transaction(async (manager) => {
    const rows = await manager.find(ProviderEntity, { where: { workspaceId }, select: { slug: true } });
    const had = new Set(rows.map(({ slug }) => slug));
    const missing = wanted.filter(({ slug }) => !had.has(slug));
    const dependencies = {
      credentials: new CredentialsService(secrets),
      addresses: createAddressPolicy({ trustedHosts: parseTrustedHosts(trustedHosts) }),
      changes: new ChangeRecorder(),
    };
    for (const provider of missing)
      await createProviderIfMissing(manager, dependencies, { ...provider, workspaceId });
    return missing.map(({ slug }) => slug);
  });
}
