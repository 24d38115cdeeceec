import { IntegrationModelEntity } from '@gw/entities';
import { In, Not, type EntityManager } from 'typeorm';
import type { CredentialInput } from '../../platform/credentials/integration-credentials';
import { isMaskedHeader } from '../../platform/credentials/header-map';
import type { IntegrationModelDto } from './integrations.dto';

/**
 * Returns the headers of models that use the integration's address, and the addresses of the other
 * models, which receive the integration's secrets. Both are keyed by their paths in a request.
 * Omits models with the slugs in `without`.
 */
export async function modelsOf(
  manager: EntityManager,
  integrationId: string,
  without: readonly string[] = [],
): Promise<Required<Pick<CredentialInput, 'alsoBound' | 'alsoAimed'>>> {
  const rows = await manager.findBy(IntegrationModelEntity, { integrationId, slug: Not(In([...without])) });
  return {
    alsoBound: boundHeaders(rows),
    alsoAimed: rows.flatMap(({ slug, customHost }) =>
      customHost === null ? [] : [`models.${slug}.configurations.custom_host`],
    ),
  };
}

/**
 * Returns the headers of the models that use the integration's address, by their paths in a
 * request. Omits the headers for which `isGiven` returns true.
 */
export const boundHeaders = (
  rows: readonly IntegrationModelEntity[],
  isGiven: (slug: string, header: string) => boolean = () => false,
): Record<string, string> =>
  Object.fromEntries(
    rows
      .filter(({ customHost }) => customHost === null)
      .flatMap(({ slug, customHeaders }) =>
        Object.entries(customHeaders)
          .filter(([name]) => !isGiven(slug, name))
          .map(([name, value]) => [`models.${slug}.custom_headers.${name}`, value]),
      ),
  );

/** Returns the names of the headers whose values a request contains in clear text. */
export const givenHeaders = ({ configurations, custom_headers: headers }: IntegrationModelDto): string[] =>
  Object.entries({ ...(configurations?.['custom_headers'] as object | undefined), ...headers })
    .filter(([, value]) => !isMaskedHeader(value))
    .map(([name]) => name);
